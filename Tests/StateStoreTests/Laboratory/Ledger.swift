import JSON
import Reactive
import StateStore

/// A feature for tests: amounts by name, and their sum, which every commit updates.
struct LedgerState {
    let sum = Variable(0)
    let amounts = Table<String, Int>()
    let mark = Variable("")
}

struct LedgerService: StateService {
    let add: Action<Amount>
    let remove: Action<Amount>
    let clear: Action<NoInput>
    let refill: Action<NoInput>
    let check: Action<NoInput>
    let stamp: Action<NoInput>
    let price: Action<NoInput>

    init(_ ledger: LedgerState, _ rates: ReadOnly<RatesState>) {
        func set(_ name: String, _ amount: Int?, _ commit: inout Commit) {
            commit[ledger.sum] += (amount ?? 0) - (commit[ledger.amounts, name] ?? 0)
            commit[ledger.amounts, name] = amount
        }
        add = Action { input, commit throws(Rejection) in
            let amount = (commit[ledger.amounts, input.name] ?? 0) + input.amount
            set(input.name, amount, &commit)
            guard amount >= 0 else {
                throw .conflict("there is not so much of \(input.name)", at: "amount", allowed: ["0"])
            }
        }
        remove = Action { input, commit throws(Rejection) in
            guard commit[ledger.amounts, input.name] != nil else {
                throw .conflict("there is no \(input.name)", at: "name")
            }
            set(input.name, nil, &commit)
        }
        clear = Action { commit in
            commit.removeAll(of: ledger.amounts)
            commit[ledger.sum] = 0
        }
        refill = Action { commit in
            let rows = commit.rows(of: ledger.amounts)
            commit.removeAll(of: ledger.amounts)
            for (name, amount) in rows { commit[ledger.amounts, name] = amount }
            commit[ledger.amounts, "nobody"] = 1
            commit[ledger.amounts, "nobody"] = nil
        }
        check = Action { _ in }
        stamp = Action { commit in
            let number = commit.random.next()
            commit[ledger.mark] = "\(commit.now.microseconds) \(commit.version) \(number)"
        }
        price = Action { commit in
            commit[ledger.mark] = "at \(commit[rates.rate])"
        }
    }
}

struct LedgerViewModel: ViewModel {
    let sum: Observable<Int>
    let amounts: Observable<[String]>
    let total: Observable<Int>
    let worth: Observable<[Int]>
    let mark: Observable<String>
    let brittle: Observable<Int>

    init(_ ledger: LedgerState, _ rates: ReadOnly<RatesState>, _ tally: Tally) {
        sum = ledger.sum.map { tally.count("sum", $0) }
        amounts = ledger.amounts.sorted().map { $0.map { "\($0.key)=\($0.row)" } }
        total = ledger.amounts.fold(
            0, add: { tally.count("total", $0 + $1) }, remove: { tally.count("total", $0 - $1) })
        // The last value is the product of the two before it, if all are of one moment.
        worth = combineLatest(ledger.sum, rates.rate).map { sum, rate in tally.count("worth", [sum, rate, sum * rate]) }
        mark = ledger.mark
        brittle = ledger.sum.map { sum in
            if sum == 13 { throw Unlucky() }
            return sum
        }
    }
}

/// The error of a failing view.
struct Unlucky: Error {}

/// A feature in `common` for tests.
struct RatesState {
    let rate = Variable(1)
    let names = Table<String, Int>(["first": 1, "second": 2])
}

struct RatesService: StateService {
    let set: Action<Amount>
    let name: Action<Amount>
    let drop: Action<Amount>

    init(_ rates: RatesState) {
        set = Action { input, commit in commit[rates.rate] = input.amount }
        name = Action { input, commit in commit[rates.names, input.name] = input.amount }
        drop = Action { input, commit in commit[rates.names, input.name] = nil }
    }
}

struct RatesViewModel: ViewModel {
    let rate: Observable<Int>
    let names: Observable<[String]>

    init(_ rates: RatesState, _ tally: Tally) {
        rate = rates.rate.map { tally.count("rate", $0) }
        names = rates.names.sorted().map { $0.map { "\($0.key)=\($0.row)" } }
    }
}

struct Amount: Record {
    var name = ""
    var amount = 1

    static let shape = Shape(Amount()) {
        $0.optional("name", \.name, .line(1...20))
        $0.optional("amount", \.amount, .from(-1_000...1_000))
    }
}

extension Registry {
    /// The features for tests.
    static func ledger(_ tally: Tally = Tally()) throws -> Registry {
        try Registry([
            Feature("rates", in: .common, RatesState.init, RatesService.init) { RatesViewModel($0, tally) },
            Feature("ledger", given: RatesState.self, LedgerState.init, LedgerService.init) {
                LedgerViewModel($0, $1, tally)
            },
        ])
    }
}
