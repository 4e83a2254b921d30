import JSON
import StateStore

/// A product for sale.
struct Product: Record {
    var id = 0
    var name = ""
    var price: Decimal = 0

    static let shape = Shape(Product()) {
        $0.required("id", \.id, .from(1...))
        $0.required("name", \.name, .line(1...200))
        $0.required("price", \.price, .money)
    }
}
