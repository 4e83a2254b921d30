import StateStore

/// The quantity of a product in the cart.
struct CartOrder: Record {
    var quantity = 0
    /// The version of the commit that added the product; the lines sort by it.
    var since = 0

    static let shape = Shape(CartOrder()) {
        $0.required("quantity", \.quantity)
        $0.required("since", \.since)
    }
}
