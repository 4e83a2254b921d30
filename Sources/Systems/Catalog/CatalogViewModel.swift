import JSON
import Reactive
import StateStore

/// The view of the catalog.
struct CatalogViewModel: ViewModel {
    let products: Observable<[CatalogProduct]>
    let discountRate: Observable<Decimal>

    init(_ catalog: CatalogState) {
        products = catalog.products.list { $0.key < $1.key }.map { $0.map(\.row) }
        discountRate = catalog.discountRate
    }
}
