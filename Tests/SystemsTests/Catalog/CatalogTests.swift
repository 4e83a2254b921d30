import StateStore
import Testing

@Suite(.bothForms) struct CatalogTests {
    @Test func `the initial catalog has five products, sorted by id, and a discount of 10 %`() throws {
        let shop = try Shop()
        #expect(
            shop.get("catalog.products").hasPrefix(
                #"[{"id":1,"name":"Espresso cup","price":9.5},{"id":2,"name":"Notebook","price":12},"#))
        #expect(shop.get("catalog.discountRate") == "0.1")
        #expect(shop.get("catalog.products", in: "common") == shop.get("catalog.products", in: "any"))
    }

    @Test func `products are added and removed`() throws {
        let shop = try Shop()
        for id in [2, 3, 4, 5] { shop.post("catalog/remove", "{\"id\": \(id)}", in: "common") }
        shop.post("catalog/put", #"{"id": 20, "name": "Pen", "price": 0}"#, in: "common")
        shop.post("catalog/put", #"{"id": 7, "name": "  Ink ", "price": 3.99}"#, in: "common")
        let goods =
            #"[{"id":1,"name":"Espresso cup","price":9.5},{"id":7,"name":"Ink","price":3.99},{"id":20,"name":"Pen","price":0}]"#
        #expect(shop.get("catalog.products") == goods)
        #expect(try Shop(shop.journal).get("catalog.products") == goods, "also after a restart")
        #expect(
            shop.post("catalog/put", #"{"id": 20, "name": "Pen", "price": 0.00}"#, in: "common").summary == "6 ",
            "nothing has changed")
    }

    @Test(arguments: [
        ("put", #"{"id": 0, "name": "a", "price": 1}"#, "invalid /id"),
        ("put", #"{"id": 1.5, "name": "a", "price": 1}"#, "invalid /id"),
        ("put", #"{"id": 1, "name": " ", "price": 1}"#, "invalid /name"),
        ("put", #"{"id": 1, "name": "a"}"#, "invalid /price"),
        ("put", #"{"id": 1, "name": "a", "price": -0.01}"#, "invalid /price"),
        ("put", #"{"id": 1, "name": "a", "price": 1.001}"#, "invalid /price"),
        ("put", #"{"id": 1, "name": "a", "price": 1e300}"#, "invalid /price"),
        ("put", #"{"id": 1, "name": "a", "price": "1"}"#, "invalid /price"),
        ("remove", #"{"id": 77}"#, "conflict /id: there is no product 77"),
        ("setDiscount", #"{"rate": 1}"#, "invalid /rate"),
        ("setDiscount", #"{"rate": -0.1}"#, "invalid /rate"),
        ("setDiscount", "{}", "invalid /rate"),
    ])
    func `an invalid catalog action is refused, and the catalog stays the same`(
        _ action: String, _ input: String, _ words: String
    ) throws {
        let shop = try Shop()
        let told = shop.post("catalog/\(action)", input, in: "common").summary
        #expect(told.hasPrefix(words), "\(told)")
        #expect(shop.get("catalog.products") == (try Shop().get("catalog.products")))
        #expect(try shop.journal.load(.common) == nil)
    }

    @Test func `the catalog's actions run in the space common only`() throws {
        let shop = try Shop()
        #expect(
            shop.post("catalog/setDiscount", #"{"rate": 0.2}"#, in: "main").summary
                == "wrongSpace(StateModel.Scope.common)")
        #expect(shop.post("cart/clear", in: "common").summary == "wrongSpace(StateModel.Scope.space)")
    }
}
