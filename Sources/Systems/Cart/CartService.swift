import StateStore

/// The actions that fill and empty a cart.
struct CartService: StateService {
    let add: Action<CartAddition>
    let increment: Action<CartItem>
    let decrement: Action<CartItem>
    let clear: Action<NoInput>

    init(_ cart: CartState, _ catalog: ReadOnly<CatalogState>) {
        /// Sets the quantity; 0 removes the line.
        func set(
            _ quantity: Int, of product: Int, at field: String = "productId", _ commit: inout Commit
        ) throws(Rejection) {
            guard quantity <= 999 else { throw .conflict("a cart holds at most 999 of one product", at: field) }
            let since = commit[cart.orders, product]?.since ?? commit.version
            commit[cart.orders, product] = quantity > 0 ? CartOrder(quantity: quantity, since: since) : nil
        }
        func order(of product: Int, _ commit: inout Commit) throws(Rejection) -> CartOrder {
            if let order = commit[cart.orders, product] { return order }
            throw .conflict("product \(product) is not in the cart", at: "productId")
        }

        /// Checks that the catalog has the product.
        func demand(_ product: Int, _ commit: inout Commit) throws(Rejection) {
            guard commit[catalog.products, product] != nil else {
                throw .conflict("there is no product \(product) in the catalog", at: "productId")
            }
        }

        add = Action { input, commit throws(Rejection) in
            try demand(input.productId, &commit)
            let already = commit[cart.orders, input.productId]?.quantity ?? 0
            try set(already + input.quantity, of: input.productId, at: "quantity", &commit)
        }
        increment = Action { input, commit throws(Rejection) in
            let order = try order(of: input.productId, &commit)
            try demand(input.productId, &commit)
            try set(order.quantity + 1, of: input.productId, &commit)
        }
        decrement = Action { input, commit throws(Rejection) in
            try set(order(of: input.productId, &commit).quantity - 1, of: input.productId, &commit)
        }
        clear = Action { commit in
            commit.removeAll(of: cart.orders)
        }
    }
}

/// A product to add to the cart.
struct CartAddition: Record {
    var productId = 0
    var quantity = 1

    static let shape = Shape(CartAddition()) {
        $0.required("productId", \.productId, .from(1...))
        $0.optional("quantity", \.quantity, .from(1...999))
    }
}

/// A product in the cart.
struct CartItem: Record {
    var productId = 0

    static let shape = Shape(CartItem()) {
        $0.required("productId", \.productId, .from(1...))
    }
}
