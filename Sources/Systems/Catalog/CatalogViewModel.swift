import JSON
import Reactive
import StateStore

/// The view of the catalog.
struct CatalogViewModel: ViewModel {
    let products: OrderedRows<Int, CatalogProduct>
    let discountRate: Observable<Decimal>

    init(_ catalog: CatalogState) {
        products = catalog.products.sorted()
        discountRate = catalog.discountRate
    }
}
