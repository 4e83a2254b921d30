import JSON
import StateStore

/// A product for sale.
struct CatalogProduct: Record {
    var id = 0
    var name = ""
    var price: Decimal = 0

    static let shape = Shape(CatalogProduct()) {
        $0.required("id", \.id, .from(1...))
        $0.required("name", \.name, .line(1...200))
        $0.required("price", \.price, .money)
    }
}
