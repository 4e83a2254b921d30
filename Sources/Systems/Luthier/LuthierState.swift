import Reactive
import StateStore

/// A guitar that somebody puts together, checks out and orders.
struct LuthierState {
    let guitar = Variable(Guitar())

    let checkoutUnderWay = Variable<CheckoutRequest?>(nil)
    let checkout = Variable<Checkout?>(nil)
    let checkoutError = Variable<String?>(nil)
    /// The name of the shipping option that is selected.
    let shipping = Variable<String?>(nil)

    let currency = Variable(Currency.usd)
    /// The currency that is to be shown as soon as its rate is there.
    let currencyWanted = Variable<Currency?>(nil)
    let currencyError = Variable<String?>(nil)

    let orderUnderWay = Variable<Order?>(nil)
    let uncertainOrder = Variable<UncertainOrder?>(nil)
    let order = Variable<Order?>(nil)
}
