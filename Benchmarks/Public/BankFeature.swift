import HeadwaterServer
import Reactive
import StateStore

/// A bank whose clients transfer amounts: the feature of `Scripts/bench public` in Swift. The script has the same one as a
/// document.
enum BankFeature {
    /// Serves the bank alone, with the options of any server.
    static func serve(_ arguments: [String]) -> Never {
        let bank = Feature("bank", BankState.init, BankService.init, BankViewModel.init)
        Headwater.serve(features: [bank], arguments: arguments)
    }

    struct BankState {
        let accounts = Table<String, BankAccount>()
    }

    struct BankAccount: Record {
        var balance = 0

        static let shape = Shape(BankAccount()) { $0.required("balance", \.balance, .from(0...)) }
    }

    struct Opening: Record {
        var ids: [String] = []

        static let shape = Shape(Opening()) { $0.required("ids", \.ids) }
    }

    struct Transfer: Record {
        var from = ""
        var to = ""
        var amount = 0

        static let shape = Shape(Transfer()) {
            $0.required("from", \.from)
            $0.required("to", \.to)
            $0.required("amount", \.amount, .from(1...))
        }
    }

    struct BankService: StateService {
        let open: Action<Opening>
        let transfer: Action<Transfer>

        init(_ bank: BankState) {
            open = Action { input, commit in
                for id in input.ids { commit[bank.accounts, id] = BankAccount(balance: 1_000_000_000) }
            }
            transfer = Action { input, commit throws(Rejection) in
                guard var source = commit[bank.accounts, input.from], source.balance >= input.amount else {
                    throw .conflict("the balance is too low", at: "amount")
                }
                source.balance -= input.amount
                commit[bank.accounts, input.from] = source
                guard var target = commit[bank.accounts, input.to] else {
                    throw .conflict("there is no such account", at: "to")
                }
                target.balance += input.amount
                commit[bank.accounts, input.to] = target
            }
        }
    }

    struct BankViewModel: ViewModel {
        let first: OrderedRows<String, BankAccount>

        init(_ bank: BankState) {
            first = bank.accounts.sorted().limit(10)
        }
    }
}
