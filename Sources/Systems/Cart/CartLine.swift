import JSON
import StateStore

/// A line of the cart in the view.
struct CartLine: Record {
    var productId = 0
    var name: String?
    var quantity = 0
    /// The price of the line; 0 if the product is gone.
    var price: Decimal = 0
    /// True if the catalog no longer has the product.
    var gone = false
    /// The position in the sort order of lines.
    var since = 0

    static let shape = Shape(CartLine()) {
        $0.required("productId", \.productId)
        $0.required("name", \.name)
        $0.required("quantity", \.quantity)
        $0.required("price", \.price)
        $0.required("gone", \.gone)
        $0.leaveOut(\.since)
    }
}

extension CartLine {
    init(_ productId: Int, _ order: CartOrder, _ product: CatalogProduct?) throws {
        self.productId = productId
        name = product?.name
        quantity = order.quantity
        price = try Decimal(order.quantity) * (product?.price ?? 0)
        gone = product == nil
        since = order.since
    }
}
