import JSON
import StateStore

/// The actions that configure, check out and order a guitar.
struct LuthierService: StateService {
    let select: Action<PartSelection>
    let clear: Action<NoInput>
    let checkout: Action<NoInput>
    let dismiss: Action<NoInput>
    let selectShipping: Action<ShippingName>
    let setCurrency: Action<CurrencyName>
    let order: Action<NoInput>

    let checkoutAnswered: InternalAction<Checkout>
    let checkoutFailed: InternalAction<CheckoutFailure>
    let currencyChanged: InternalAction<CurrencyName>
    let currencyFailed: InternalAction<CurrencyFailure>
    let orderPlaced: InternalAction<OrderNumber>
    let orderFailed: InternalAction<OrderFailure>

    init(_ luthier: LuthierState, _ rates: ReadOnly<RatesState>) {
        // MARK: Configuration

        select = Action { input, commit throws(Rejection) in
            guard input != PartSelection() else {
                throw Rejection(.invalid, "select at least one part: shape, color, body or fretboard")
            }
            var guitar = commit[luthier.guitar]
            guitar.shape = input.shape ?? guitar.shape
            guitar.color = input.color ?? guitar.color
            guitar.body = input.body ?? guitar.body
            guitar.fretboard = input.fretboard ?? guitar.fretboard
            commit[luthier.guitar] = guitar
        }
        clear = Action { commit in
            commit[luthier.guitar] = Guitar()
        }

        // MARK: Checkout

        checkout = Action { commit throws(Rejection) in
            guard commit[luthier.checkoutUnderWay] == nil else {
                throw .conflict("a checkout is in progress: wait for it, or dismiss it")
            }
            guard commit[luthier.checkout] == nil else { throw .conflict("a checkout is open: dismiss it first") }
            commit[luthier.checkoutUnderWay] = CheckoutRequest(number: commit.version, guitar: commit[luthier.guitar])
            commit[luthier.checkoutError] = nil
            commit[luthier.order] = nil
        }
        dismiss = Action { commit throws(Rejection) in
            guard commit[luthier.orderUnderWay] == nil else { throw .conflict("an order is being placed: wait for it") }
            commit[luthier.checkoutUnderWay] = nil
            commit[luthier.checkout] = nil
            commit[luthier.checkoutError] = nil
            commit[luthier.shipping] = nil
            commit[luthier.uncertainOrder] = nil
            commit[luthier.guitar] = Guitar()
        }
        checkoutAnswered = InternalAction { answer, commit throws(Rejection) in
            guard commit[luthier.checkoutUnderWay]?.number == answer.number else {
                throw .conflict("the checkout has ended")
            }
            commit[luthier.checkoutUnderWay] = nil
            commit[luthier.checkout] = answer
            commit[luthier.shipping] = answer.shippingOptions.first?.name
        }
        checkoutFailed = InternalAction { failure, commit throws(Rejection) in
            guard commit[luthier.checkoutUnderWay]?.number == failure.number else {
                throw .conflict("the checkout has ended")
            }
            commit[luthier.checkoutUnderWay] = nil
            commit[luthier.checkoutError] = failure.reason
        }
        selectShipping = Action { input, commit throws(Rejection) in
            guard let options = commit[luthier.checkout]?.shippingOptions.map(\.name) else {
                throw .conflict("no checkout is open: check out first")
            }
            guard options.contains(input.name) else {
                throw .conflict("there is no shipping option \(input.name)", at: "name", allowed: options)
            }
            guard commit[luthier.orderUnderWay] == nil, commit[luthier.order] == nil,
                commit[luthier.uncertainOrder] == nil
            else {
                throw .conflict("an order with this shipping was or may have been placed: dismiss the checkout first")
            }
            commit[luthier.shipping] = input.name
        }

        // MARK: Currency

        setCurrency = Action { input, commit in
            let shown = commit[luthier.currency]
            commit[luthier.currencyWanted] =
                input.currency == shown && commit[luthier.currencyWanted] == nil ? nil : input.currency
            commit[luthier.currencyError] = nil
        }
        currencyChanged = InternalAction { input, commit throws(Rejection) in
            guard commit[luthier.currencyWanted] == input.currency else {
                throw .conflict("another currency was selected since")
            }
            commit[luthier.currencyWanted] = nil
            commit[luthier.currency] = input.currency
        }
        currencyFailed = InternalAction { failure, commit throws(Rejection) in
            guard commit[luthier.currencyWanted] == failure.currency else {
                throw .conflict("another currency was selected since")
            }
            commit[luthier.currencyWanted] = nil
            commit[luthier.currency] = .usd
            commit[luthier.currencyError] = failure.reason
        }

        // MARK: Orders

        order = Action { commit throws(Rejection) in
            guard let checkout = commit[luthier.checkout] else {
                throw .conflict("no checkout is open: check out first")
            }
            guard commit[luthier.orderUnderWay] == nil else { throw .conflict("the order is being placed") }
            if let placed = commit[luthier.order] { throw .conflict("the order was placed as \(placed.number)") }
            if let uncertain = commit[luthier.uncertainOrder] {
                commit[luthier.uncertainOrder] = nil
                commit[luthier.orderUnderWay] = uncertain.order
                return
            }
            guard checkout.isAvailable else {
                throw .conflict("this guitar cannot be built now: dismiss the checkout and choose another")
            }
            guard commit[luthier.currencyWanted] == nil else {
                throw .conflict("the currency is being changed: wait for its rate")
            }
            guard let shipping = checkout.shippingOptions.first(where: { $0.name == commit[luthier.shipping] }) else {
                throw .conflict("no shipping is selected: select one first")
            }
            let money = ExchangeCurrency(commit[luthier.currency], commit[rates.table])
            do {
                let total = try checkout.guitar.price + shipping.price
                let number = String(commit.random.next() % 0x10_0000_0000_0000, radix: 36, uppercase: true)
                commit[luthier.orderUnderWay] = GuitarOrder(
                    number: "\(commit.version)-\(number)", guitar: try GuitarSummary(checkout.guitar, in: money),
                    shipping: shipping.name,
                    total: try money.amount(total), formattedTotal: try money.formatted(total), currency: money.currency
                )
            } catch {
                throw .conflict("the total cannot be computed: \(error)")
            }
        }
        orderPlaced = InternalAction { input, commit throws(Rejection) in
            guard let order = commit[luthier.orderUnderWay], order.number == input.number else {
                throw .conflict("the order has ended")
            }
            commit[luthier.orderUnderWay] = nil
            commit[luthier.order] = order
        }
        orderFailed = InternalAction { failure, commit throws(Rejection) in
            guard let order = commit[luthier.orderUnderWay], order.number == failure.number else {
                throw .conflict("the order has ended")
            }
            commit[luthier.orderUnderWay] = nil
            commit[luthier.uncertainOrder] = UncertainOrder(order: order, reason: failure.reason)
        }
    }
}
