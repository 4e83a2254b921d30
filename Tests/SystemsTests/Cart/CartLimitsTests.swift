import StateStore
import Testing

@Suite(.bothForms) struct CartLimitsTests {
    @Test func `a cart holds at most 999 of one product`() throws {
        let shop = try Shop()
        #expect(shop.post("cart/add", #"{"productId": 1, "quantity": 999}"#).summary == "1 cart.orders")
        for (action, field) in [("cart/add", "/quantity"), ("cart/increment", "/productId")] {
            #expect(
                shop.post(action, #"{"productId": 1}"#).summary
                    == "conflict \(field): a cart holds at most 999 of one product")
        }
        #expect(shop.get("cart.numberOfItems") == "999")
    }

    @Test func `a thousand lines at the highest price still have an exact total`() throws {
        let shop = try Shop()
        for id in 1...1_000 {
            shop.post("catalog/put", "{\"id\": \(id), \"name\": \"p\", \"price\": 9999999999.99}", in: "common")
            shop.post("cart/add", "{\"productId\": \(id), \"quantity\": 999}")
        }
        #expect(shop.get("cart.totalPrice") == "9989999999990010")
        #expect(shop.get("cart.discountedTotalPrice") == "8990999999991009")
    }

    @Test func `an action on a cart of a thousand lines writes one fact`() throws {
        let shop = try Shop()
        for id in 1...1_000 {
            shop.post("catalog/put", "{\"id\": \(id), \"name\": \"p\", \"price\": 1}", in: "common")
            shop.post("cart/add", "{\"productId\": \(id)}")
        }
        shop.post("cart/increment", #"{"productId": 500}"#)
        guard case .commits(let commits) = try shop.journal.read(#require(SpaceName("main")), after: 1_000, limit: 10)
        else { return }
        let registry = try Shop.registry()
        let permit = try CommitPermit.issue(in: #require(SpaceName("main")), to: .server)
        #expect(
            commits.map { permit.shown($0, by: registry).facts } == [
                [Fact(variable: "cart.orders", entry: "500", value: Array(#"{"quantity":2,"since":500}"#.utf8))]
            ])
    }

    @Test func `money is exact, the discounted total too`() throws {
        let shop = try Shop()
        shop.post("catalog/put", #"{"id": 9, "name": "Bolt", "price": 0.1}"#, in: "common")
        shop.post("catalog/setDiscount", #"{"rate": 0.15}"#, in: "common")
        shop.post("cart/add", #"{"productId": 9, "quantity": 3}"#)
        #expect(shop.get("cart.totalPrice") == "0.3")
        #expect(shop.get("cart.discountedTotalPrice") == "0.255")
    }

    @Test func `a discounted total with too many digits is rounded to the cent`() throws {
        let shop = try Shop()
        shop.post("catalog/put", #"{"id": 9, "name": "Yacht", "price": 9999999999.99}"#, in: "common")
        shop.post("catalog/setDiscount", #"{"rate": 0.000007}"#, in: "common")
        shop.post("cart/add", #"{"productId": 9, "quantity": 999}"#)
        #expect(shop.get("cart.discountedTotalPrice") == "9989930069990.01", "9989930069990.01006993")
    }

    @Test func `a discount with more than six decimals is refused`() throws {
        let shop = try Shop()
        shop.post("cart/add", #"{"productId": 1}"#)
        #expect(
            shop.post("catalog/setDiscount", #"{"rate": 1e-30}"#, in: "common").summary.contains("at most six decimals")
        )
        shop.post("catalog/setDiscount", #"{"rate": 0.999999}"#, in: "common")
        #expect(shop.get("cart.discountedTotalPrice") == "0.0000095")
    }

    @Test func `a product that returns to the catalog has its price again`() throws {
        let shop = try Shop()
        shop.post("cart/add", #"{"productId": 1, "quantity": 2}"#)
        let total = shop.watch(["cart.totalPrice"])
        shop.post("catalog/remove", #"{"id": 1}"#, in: "common")
        #expect(
            shop.post("cart/add", #"{"productId": 1}"#).summary.hasPrefix("conflict /productId: there is no product 1"))
        shop.post("catalog/put", #"{"id": 1, "name": "Cup", "price": 4}"#, in: "common")
        #expect(total.events == ["cart.totalPrice=19", "cart.totalPrice=0", "cart.totalPrice=8"])
    }

    @Test func `every committed action is in the history of the space, in order and without gaps`() throws {
        let shop = try Shop()
        shop.post("cart/add", #"{"productId": 1}"#)
        shop.post("cart/decrement", #"{"productId": 2}"#)
        shop.post("cart/increment", #"{"productId": 1}"#)
        shop.post("cart/clear")
        shop.post("cart/clear")
        guard case .commits(let commits) = try shop.journal.read(#require(SpaceName("main")), after: 0, limit: 10)
        else { return }
        #expect(
            commits.map {
                "\($0.version) \($0.action) \($0.input.map { String(decoding: $0, as: UTF8.self) } ?? "-") \($0.changed)"
            } == [
                #"1 cart/add {"productId": 1} ["cart.orders"]"#, #"2 cart/increment {"productId": 1} ["cart.orders"]"#,
                #"3 cart/clear - ["cart.orders"]"#,
            ])
    }
}
