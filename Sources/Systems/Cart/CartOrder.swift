import StateStore

/// How many of a product are in the cart.
struct CartOrder: Record {
    var quantity = 0
    /// The version that first put it in, which is the place it has among the others.
    var since = 0

    static let shape = Shape(CartOrder()) {
        $0.required("quantity", \.quantity)
        $0.required("since", \.since)
    }
}
