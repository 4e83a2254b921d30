import JSON
import Reactive
import StateStore

/// The views of a cart.
struct CartViewModel: ViewModel {
    let orders: OrderedRows<Int, CartLine>
    let order: ParameterView<CartItem, CartLine?>
    let numberOfProducts: Observable<Int>
    let numberOfItems: Observable<Int>
    let totalPrice: Observable<Decimal>
    let discountedTotalPrice: Observable<Decimal>

    init(_ cart: CartState, _ catalog: ReadOnly<CatalogState>) {
        let lines = cart.orders.joined(with: catalog.products, CartLine.init)
        orders = lines.sorted(by: \.since)
        order = ParameterView { input in lines.row(input.productId) }
        numberOfProducts = cart.orders.rowCount()
        numberOfItems = cart.orders.fold(0, add: { $0 + $1.quantity }, remove: { $0 - $1.quantity }).removeDuplicates()
        totalPrice = lines.fold(0, add: { try $0 + $1.price }, remove: { try $0 - $1.price }).removeDuplicates()
        discountedTotalPrice = combineLatest(totalPrice, catalog.discountRate)
            .map { total, rate in try Self.share(1 - rate, of: total) }
            .removeDuplicates()
    }

    /// Returns a share of an amount: exact, or rounded to the cent if the exact result has too many digits.
    private static func share(_ share: Decimal, of amount: Decimal) throws -> Decimal {
        do {
            return try amount * share
        } catch {
            return try amount.multiplied(by: share, places: 2)
        }
    }
}
