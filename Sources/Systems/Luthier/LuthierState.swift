import Reactive
import StateStore

/// The configuration, checkout and order of a guitar.
struct LuthierState {
    let guitar = Variable(Guitar())

    let checkoutUnderWay = Variable<CheckoutRequest?>(nil)
    let checkout = Variable<Checkout?>(nil)
    let checkoutError = Variable<String?>(nil)
    /// The name of the selected shipping option.
    let shipping = Variable<String?>(nil)

    let currency = Variable(Currency.usd)
    /// The currency to show once its rate is available, or nil.
    let currencyWanted = Variable<Currency?>(nil)
    let currencyError = Variable<String?>(nil)

    let orderUnderWay = Variable<GuitarOrder?>(nil)
    let uncertainOrder = Variable<UncertainOrder?>(nil)
    let order = Variable<GuitarOrder?>(nil)
}
