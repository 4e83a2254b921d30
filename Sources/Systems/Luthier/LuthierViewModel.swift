import JSON
import Reactive
import StateStore

/// The view of a guitar, its checkout and its order.
struct LuthierViewModel: ViewModel {
    let options: Observable<GuitarOptions>
    let guitar: Observable<GuitarSummary>

    let isLoadingCheckout: Observable<Bool>
    let checkout: Observable<CheckoutSummary?>
    let checkoutError: Observable<String?>
    let shipping: Observable<String?>

    let currency: Observable<Currency>
    let isUpdatingCurrency: Observable<Bool>
    let currencyError: Observable<String?>

    let basePrice: Observable<String>
    let additionsPrice: Observable<String>
    let shippingPrice: Observable<String>
    let shippingPrices: Observable<[String: String]>
    let totalPrice: Observable<String>

    let isOrdering: Observable<Bool>
    let didOrder: Observable<Bool>
    let order: Observable<GuitarOrder?>
    let orderError: Observable<String?>

    init(_ luthier: LuthierState, _ rates: ReadOnly<RatesState>) {
        let money = combineLatest(luthier.currency, rates.table).map { ExchangeCurrency($0, $1) }.removeDuplicates()
        let priced = combineLatest(luthier.checkout, luthier.guitar).map { checkout, guitar in
            checkout?.guitar ?? guitar
        }
        .removeDuplicates()
        let shippingOption = combineLatest(luthier.checkout, luthier.shipping)
            .map { checkout, name in checkout?.shippingOptions.first { $0.name == name } }
            .removeDuplicates()

        options = .just(GuitarOptions())
        guitar = combineLatest(luthier.guitar, money).map { try GuitarSummary($0, in: $1) }.removeDuplicates()

        isLoadingCheckout = luthier.checkoutUnderWay.map { $0 != nil }.removeDuplicates()
        checkout = combineLatest(luthier.checkout, money)
            .map { checkout, money in try checkout.map { try CheckoutSummary($0, in: money) } }
            .removeDuplicates()
        checkoutError = luthier.checkoutError
        shipping = luthier.shipping

        currency = luthier.currency
        isUpdatingCurrency = luthier.currencyWanted.map { $0 != nil }.removeDuplicates()
        currencyError = luthier.currencyError

        basePrice = money.map { try $0.formatted(Guitar.basePrice) }.removeDuplicates()
        additionsPrice = combineLatest(priced, money).map { try $1.formatted($0.additionsPrice) }.removeDuplicates()
        shippingPrice = combineLatest(shippingOption, money).map { try $1.formattedShipping($0?.price ?? 0) }
            .removeDuplicates()
        shippingPrices = combineLatest(luthier.checkout, money)
            .map { checkout, money in
                var prices: [String: String] = [:]
                for option in checkout?.shippingOptions ?? [] {
                    prices[option.name] = try money.formattedShipping(option.price)
                }
                return prices
            }
            .removeDuplicates()
        totalPrice = combineLatest(priced, shippingOption, money)
            .map { guitar, shipping, money in try money.formatted(guitar.price + (shipping?.price ?? 0)) }
            .removeDuplicates()

        isOrdering = luthier.orderUnderWay.map { $0 != nil }.removeDuplicates()
        didOrder = luthier.order.map { $0 != nil }.removeDuplicates()
        order = luthier.order
        orderError = luthier.uncertainOrder.map { $0?.reason }.removeDuplicates()
    }
}
