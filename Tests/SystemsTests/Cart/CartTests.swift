import StateStore
import Testing

@Suite(.bothForms) struct CartTests {
    @Test func `a cart shows its lines, counts and totals`() throws {
        let shop = try Shop()
        #expect(shop.post("cart/add", #"{"productId": 3, "quantity": 2}"#).summary == "1 cart.orders")
        shop.post("cart/add", #"{"productId": 1}"#)
        shop.post("cart/add", #"{"productId": 3}"#)
        #expect(
            shop.get("cart.orders") == #"""
                [{"productId":3,"name":"Desk lamp","quantity":3,"price":239.7,"gone":false},{"productId":1,"name":"Espresso cup","quantity":1,"price":9.5,"gone":false}]
                """#)
        #expect(shop.get("cart.numberOfProducts") == "2")
        #expect(shop.get("cart.numberOfItems") == "4")
        #expect(shop.get("cart.totalPrice") == "249.2")
        #expect(shop.get("cart.discountedTotalPrice") == "224.28")
    }

    @Test func `decrementing to zero removes the line`() throws {
        let shop = try Shop()
        shop.post("cart/add", #"{"productId": 1, "quantity": 2}"#)
        shop.post("cart/increment", #"{"productId": 1}"#)
        for _ in 0..<3 { shop.post("cart/decrement", #"{"productId": 1}"#) }
        #expect(shop.get("cart.orders") == "[]")
        #expect(
            shop.post("cart/decrement", #"{"productId": 1}"#).summary
                == "conflict /productId: product 1 is not in the cart")
    }

    @Test func `a product added again sorts last`() throws {
        let shop = try Shop()
        for product in [1, 2] { shop.post("cart/add", "{\"productId\": \(product)}") }
        shop.post("cart/decrement", #"{"productId": 1}"#)
        shop.post("cart/add", #"{"productId": 1}"#)
        #expect(shop.get("cart.orders").contains(#"{"productId":2,"name":"Notebook""#))
        #expect(shop.get("cart.orders").hasSuffix(#""price":9.5,"gone":false}]"#))
    }

    @Test func `clear empties the cart; a second clear commits nothing`() throws {
        let shop = try Shop()
        shop.post("cart/add", #"{"productId": 1}"#)
        #expect(shop.post("cart/clear").summary == "2 cart.orders")
        #expect(shop.get("cart.totalPrice") == "0")
        #expect(shop.post("cart/clear").summary == "2 ")
    }

    @Test(arguments: [
        ("cart/add", #"{"productId": 77}"#, "conflict /productId"),
        ("cart/add", #"{"productId": 1, "quantity": 0}"#, "invalid /quantity"),
        ("cart/add", #"{"productId": 1, "quantity": 1000}"#, "invalid /quantity"),
        ("cart/add", #"{"productId": 1, "quantity": 999}"#, "conflict /quantity"),
        ("cart/add", #"{"productId": 1, "price": 0.01}"#, "invalid /price"),
        ("cart/increment", #"{"productId": 2}"#, "conflict /productId"),
        ("cart/decrement", #"{"productId": 2}"#, "conflict /productId"),
        ("cart/drop", "", "noSuchAction"),
    ])
    func `an invalid cart action is refused, and the cart stays the same`(
        _ action: String, _ input: String, _ words: String
    ) throws {
        let shop = try Shop()
        shop.post("cart/add", #"{"productId": 1}"#)
        let before = shop.get("cart.orders")
        #expect(shop.post(action, input).summary.hasPrefix(words), "\(shop.post(action, input).summary)")
        #expect(shop.get("cart.orders") == before)
    }

    @Test func `a new catalog price changes the totals of every cart with the product`() throws {
        let shop = try Shop()
        for space in ["a", "b"] { shop.post("cart/add", #"{"productId": 1, "quantity": 2}"#, in: space) }
        shop.post("cart/add", #"{"productId": 2}"#, in: "c")
        let watched = shop.watch(["cart.totalPrice", "cart.discountedTotalPrice"], in: "a")
        let other = shop.watch(["cart.totalPrice"], in: "c")
        #expect(
            shop.post("catalog/put", #"{"id": 1, "name": "Espresso cup", "price": 10.05}"#, in: "common").summary
                == "1 catalog.products")
        #expect(
            watched.events == [
                "cart.totalPrice=19 cart.discountedTotalPrice=17.1",
                "cart.totalPrice=20.1 cart.discountedTotalPrice=18.09",
            ])
        #expect(shop.get("cart.totalPrice", in: "b") == "20.1")
        #expect(other.events == ["cart.totalPrice=12"])
    }

    @Test func `a removed product stays in the cart with price 0`() throws {
        let shop = try Shop()
        shop.post("cart/add", #"{"productId": 1, "quantity": 2}"#)
        shop.post("catalog/remove", #"{"id": 1}"#, in: "common")
        #expect(shop.get("cart.orders") == #"[{"productId":1,"name":null,"quantity":2,"price":0,"gone":true}]"#)
        #expect(shop.get("cart.totalPrice") == "0")
        #expect(
            shop.post("cart/increment", #"{"productId": 1}"#).summary
                == "conflict /productId: there is no product 1 in the catalog")
        #expect(shop.post("cart/decrement", #"{"productId": 1}"#).summary == "2 cart.orders")
    }

    @Test func `the cart applies the catalog's discount`() throws {
        let shop = try Shop()
        shop.post("cart/add", #"{"productId": 2, "quantity": 3}"#)
        shop.post("catalog/setDiscount", #"{"rate": 0.25}"#, in: "common")
        #expect(shop.get("cart.discountedTotalPrice") == "27")
    }
}
