import Reactive
import StateStore

struct Account { let balance = Variable(Money.zero) }
struct Amount: Record { var amount: Money = 0 }

static func spend(_ account: Account, _ input: Amount, _ commit: inout Commit) {
    // snippet
}
