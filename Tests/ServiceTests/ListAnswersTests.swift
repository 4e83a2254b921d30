import JSON
import ServiceInProcess
import StateStore
import Testing

/// Views that are lists, through the whole service, beside a model of the cart and the catalog.
@Suite struct ListAnswersTests {
    private struct Model {
        var products: [Int: (name: String, price: Int)] = [
            1: ("Espresso cup", 950), 2: ("Notebook", 1_200), 3: ("Desk lamp", 7_990), 4: ("Wool blanket", 12_000),
            5: ("Bicycle bell", 1_825),
        ]
        var orders: [Int: (quantity: Int, since: Int)] = [:]
        var version = 0

        private static func amount(_ cents: Int) throws -> JSON {
            try JSON(parsing: Array("\(cents / 100).\(cents / 10 % 10)\(cents % 10)".utf8))
        }

        private static func text(_ elements: [JSON]) throws -> String {
            String(decoding: try JSON.array(elements).json(), as: UTF8.self)
        }

        func catalog() throws -> String {
            try Self.text(
                products.sorted { $0.key < $1.key }.map { id, product in
                    [
                        "id": .number(Decimal(id)), "name": .string(product.name),
                        "price": try Self.amount(product.price),
                    ]
                })
        }

        func cart() throws -> String {
            try Self.text(
                orders.sorted { ($0.value.since, $0.key) < ($1.value.since, $1.key) }.map { id, order in
                    let product = products[id]
                    return [
                        "productId": .number(Decimal(id)), "name": product.map { .string($0.name) } ?? .null,
                        "quantity": .number(Decimal(order.quantity)),
                        "price": try Self.amount(order.quantity * (product?.price ?? 0)), "gone": .bool(product == nil),
                    ]
                })
        }
    }

    // Laws ROWS1 and ROWS2
    @Test(arguments: 1...4 as ClosedRange<UInt64>, [.max, -1] as [Int64])
    func `a look at a list has the model's JSON, and equal lists have equal tags`(
        _ seed: UInt64, _ slowNanoseconds: Int64
    ) throws {
        let service = try ServiceInProcess(slowNanoseconds: slowNanoseconds)
        var dice = Randomness(seed: seed)
        var model = Model()
        var tags: [String: Substring] = [:]
        for _ in 0..<80 {
            let id = Int.random(in: 1...9, using: &dice)
            switch Int.random(in: 0..<8, using: &dice) {
            case 0:
                let price = Int.random(in: 1...9_999, using: &dice)
                let body =
                    #"{"id": \#(id), "name": "P\#(price)", "price": \#(price / 100).\#(price / 10 % 10)\#(price % 10)}"#
                #expect(try service.ask("POST /v1/spaces/common/catalog/put", [:], body).status == 200)
                model.products[id] = ("P\(price)", price)
            case 1:
                let reply = try service.ask("POST /v1/spaces/common/catalog/remove", [:], #"{"id": \#(id)}"#)
                #expect((reply.status == 200) == (model.products.removeValue(forKey: id) != nil))
            case 2:
                let reply = try service.ask("POST /v1/spaces/main/cart/decrement", [:], #"{"productId": \#(id)}"#)
                #expect((reply.status == 200) == (model.orders[id] != nil))
                guard let order = model.orders[id] else { continue }
                model.version += 1
                model.orders[id] = order.quantity > 1 ? (order.quantity - 1, order.since) : nil
            default:
                let reply = try service.ask("POST /v1/spaces/main/cart/add", [:], #"{"productId": \#(id)}"#)
                #expect((reply.status == 200) == (model.products[id] != nil))
                guard model.products[id] != nil else { continue }
                model.version += 1
                let order = model.orders[id] ?? (0, model.version)
                model.orders[id] = (order.quantity + 1, order.since)
            }
            for (path, expected) in [("catalog/products", try model.catalog()), ("cart/orders", try model.cart())] {
                let reply = try service.ask("GET /v1/spaces/main/\(path)")
                #expect(reply.body == expected)
                // The versions move with each commit; only the rest is compared.
                let tag = try #require(reply["ETag"]?.split(separator: "-", maxSplits: 1).last)
                let text = path + expected
                if let known = tags[text] { #expect(known == tag) }
                tags[text] = tag
            }
        }
        #expect(Set(tags.values).count == tags.count)
    }

    @Test func `a view that takes long to compute stays watched while it is read every 3 seconds`() throws {
        let service = try ServiceInProcess(slowNanoseconds: -1)
        let window = "GET /v1/spaces/common/catalog/products?limit=2"
        func put(_ id: Int) throws {
            let body = #"{"id": \#(id), "name": "x", "price": 1}"#
            #expect(try service.ask("POST /v1/spaces/common/catalog/put", [:], body).status == 200)
        }
        _ = try service.ask(window)
        #expect(service.instanceCount(in: "common") == 0)
        for id in 6...12 {
            try put(id)
            #expect(try service.ask(window).status == 200)
            #expect(service.instanceCount(in: "common") == 1)
            service.advance(seconds: 2)
        }
        service.advance(seconds: 4)
        #expect(service.instanceCount(in: "common") == 0)
        // A view that is read again later is not watched.
        try put(13)
        _ = try service.ask(window)
        #expect(service.instanceCount(in: "common") == 0)
    }
}
