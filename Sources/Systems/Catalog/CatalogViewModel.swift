import JSON
import Reactive
import StateStore

/// The views of the catalog.
struct CatalogViewModel: ViewModel {
    let products: OrderedRows<Int, CatalogProduct>
    let product: ParameterView<ProductReference, CatalogProduct?>
    let discountRate: Observable<Decimal>

    init(_ catalog: CatalogState) {
        products = catalog.products.sorted()
        product = ParameterView { input in catalog.products.row(input.id) }
        discountRate = catalog.discountRate
    }
}
