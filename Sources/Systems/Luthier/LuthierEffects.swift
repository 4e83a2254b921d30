import Reactive
import StateStore

/// The effects that call the workshop and request rates.
struct LuthierEffects: Effects {
    let checkout: Effect
    let currency: Effect
    let order: Effect

    init(_ luthier: LuthierState, _ rates: ReadOnly<RatesState>, _ outside: Outside, _ workshop: any Workshop) {
        let clock = outside.scheduler

        checkout = Effect(for: luthier.checkoutUnderWay) { request in
            zip(
                workshop.isAvailable(request.guitar).withTimeoutAndRetries(on: clock),
                workshop.buildEstimate(request.guitar).withTimeoutAndRetries(on: clock),
                workshop.shippingOptions(request.guitar).withTimeoutAndRetries(on: clock)
            )
            .map { isAvailable, buildEstimate, shippingOptions in
                Checkout(
                    number: request.number, guitar: request.guitar, shippingOptions: shippingOptions,
                    buildEstimate: buildEstimate,
                    isAvailable: isAvailable)
            }
            .flatMap { outside.perform("checkoutAnswered", $0) }
            .catch {
                outside.perform(
                    "checkoutFailed", CheckoutFailure(number: request.number, reason: Outside.words(for: $0)))
            }
        }

        currency = Effect(following: luthier.currencyWanted) { wanted in
            wanted.debounce(.milliseconds(500), on: clock).flatMapLatest { currency -> Observable<Answer> in
                guard let currency else { return .empty() }
                let change = outside.perform("currencyChanged", CurrencyName(currency: currency))
                guard currency != .usd else { return change }
                return outside.perform("rates/ask", in: .common)
                    .flatMap { _ in
                        combineLatest(rates.asked, rates.table, rates.problem).first { asked, _, _ in asked == nil }
                    }
                    .flatMap { _, table, problem -> Observable<Answer> in
                        guard table?.rates[currency.code] == nil else { return change }
                        let reason = problem ?? "there is no rate for \(currency.code)"
                        return outside.perform("currencyFailed", CurrencyFailure(currency: currency, reason: reason))
                    }
            }
        }

        order = Effect(for: luthier.orderUnderWay) { order in
            workshop.place(order).withTimeoutAndRetries(on: clock)
                .flatMap { _ in outside.perform("orderPlaced", OrderNumber(number: order.number)) }
                .catch {
                    outside.perform("orderFailed", OrderFailure(number: order.number, reason: Outside.words(for: $0)))
                }
        }
    }
}
