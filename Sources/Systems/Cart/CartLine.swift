import JSON
import StateStore

/// A line of a cart as it is shown.
struct CartLine: Record {
    var productId = 0
    var name: String?
    var quantity = 0
    /// What the line costs: nothing where the product is gone.
    var price: Decimal = 0
    /// Whether the product is no longer in the catalog.
    var gone = false
    /// Its place among the others.
    var since = 0

    static let shape = Shape(CartLine()) {
        $0.required("productId", \.productId)
        $0.required("name", \.name)
        $0.required("quantity", \.quantity)
        $0.required("price", \.price)
        $0.required("gone", \.gone)
    }
}

extension CartLine {
    init(_ productId: Int, _ order: CartOrder, _ product: Product?) throws {
        self.productId = productId
        name = product?.name
        quantity = order.quantity
        price = try Decimal(order.quantity) * (product?.price ?? 0)
        gone = product == nil
        since = order.since
    }
}
