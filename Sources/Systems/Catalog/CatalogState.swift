import JSON
import Reactive
import StateStore

/// The products for sale and the discount.
struct CatalogState {
    let products = Table<Int, CatalogProduct>([
        1: CatalogProduct(id: 1, name: "Espresso cup", price: 9.5),
        2: CatalogProduct(id: 2, name: "Notebook", price: 12),
        3: CatalogProduct(id: 3, name: "Desk lamp", price: 79.9),
        4: CatalogProduct(id: 4, name: "Wool blanket", price: 120),
        5: CatalogProduct(id: 5, name: "Bicycle bell", price: 18.25),
    ])
    let discountRate = Variable<Decimal>(0.1)
}
