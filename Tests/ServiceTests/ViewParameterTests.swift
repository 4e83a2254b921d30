import JSON
import ServiceInProcess
import Testing

/// Views with parameters and windows, over HTTP.
@Suite struct ViewParameterTests {
    private static let product = #"{"id":3,"name":"Desk lamp","price":79.9}"#

    // Law PARAM1
    @Test func `a view with parameters is read by its path and by its name`() throws {
        let service = try ServiceInProcess()
        let reply = try service.ask("GET /v1/spaces/a/catalog/product?id=3")
        #expect(reply.status == 200 && reply.body == Self.product)
        #expect(try service.ask("GET /v1/spaces/a/catalog/product?id=99").body == "null")
        for written in ["catalog.product%3Fid%3D3", "catalog.product%3Fid=3", "catalog.product%3Fid%3D%2533"] {
            let several = try service.ask("GET /v1/spaces/a/views?view=\(written)&view=catalog.discountRate")
            #expect(several.body == #"{"catalog.product?id=3":\#(Self.product),"catalog.discountRate":0.1}"#)
        }
        let twice = try service.ask(
            "GET /v1/spaces/a/views?view=catalog.product%3Fid%3D3&view=catalog.product%3Fid=%33")
        #expect(twice.body == #"{"catalog.product?id=3":\#(Self.product)}"#)
        let all = try service.ask("GET /v1/spaces/a/views").json
        #expect(all["catalog.products"] != nil && all["catalog.product"] == nil)
    }

    // Law PARAM1
    @Test func `the tag of an instance is that of its value, however it is asked for`() throws {
        let service = try ServiceInProcess()
        let tag = try #require(try service.ask("GET /v1/spaces/a/catalog/product?id=3")["etag"])
        let again = try service.ask("GET /v1/spaces/a/catalog/product?_x=1&id=%33", ["If-None-Match": tag])
        #expect(again.status == 304 && again["etag"] == tag)
        #expect(try service.ask("GET /v1/spaces/a/catalog/product?id=2", ["If-None-Match": tag]).status == 200)
    }

    // Law PARAM2
    @Test(arguments: [
        ("catalog/product", "/id"), ("catalog/product?id=x", "/id"), ("catalog/product?id=0", "/id"),
        ("catalog/product?id=", "/id"), ("catalog/product?ids=3", "/ids"), ("catalog/product?id=3&limit=1", "/limit"),
        ("catalog/products?limit=0", "/limit"), ("catalog/products?limit=1e2", "/limit"),
        ("catalog/products?after=x", "/after"), ("catalog/products?limit=2&total=2", "/total"),
        ("catalog/product/why", "/id"), ("views?view=catalog.product", "/id"),
        ("views?view=catalog.product%3Fid%3Dx", "/id"), ("views?view=catalog.product%3Fid%3D3%26x%3D1", "/x"),
        ("views?view=catalog.products%3Flimit%3D0", "/limit"),
    ])
    func `a faulty parameter is refused with a pointer`(_ path: String, _ pointer: String) throws {
        for way in ["", "&events=1", "&wait=1"] {
            if path.hasSuffix("why"), !way.isEmpty { continue }
            let mark = path.contains("?") ? way : "?" + way.dropFirst()
            let reply = try ServiceInProcess().ask("GET /v1/spaces/a/\(path)\(way.isEmpty ? "" : mark)")
            #expect(reply.status == 422)
            let json = try reply.json
            #expect(json["type"] == "/problems/invalid" && json["pointer"] == .string(pointer), "\(reply)")
        }
    }

    // Law PARAM2
    @Test func `what is wrong beside the parameters is said first`() throws {
        let service = try ServiceInProcess()
        #expect(try service.ask("GET /v1/spaces/a/catalog/nothing?id=3").status == 404)
        #expect(try service.ask("GET /v1/spaces/a/views?view=catalog.nothing%3Fid%3D3").status == 404)
        #expect(try service.ask("DELETE /v1/spaces/a/catalog/product").status == 405)
        #expect(try service.ask("OPTIONS /v1/spaces/a/catalog/product").status == 204)
        let closed = try ServiceInProcess(tokenFile: String(repeating: "0", count: 64) + " read a\n")
        #expect(try closed.ask("GET /v1/spaces/a/catalog/product").status == 401)
    }

    @Test func `an action answers with instances, and has a condition on them`() throws {
        let service = try ServiceInProcess()
        let view = "view=cart.order%3FproductId%3D1"
        let first = try service.ask("POST /v1/spaces/a/cart/add?\(view)", [:], #"{"productId": 1}"#)
        let order = try first.json["views"]?["cart.order?productId=1"]
        #expect(first.status == 200 && order?["quantity"] == 1)
        let tag = try #require(first["etag"])
        _ = try service.ask("POST /v1/spaces/a/cart/add", [:], #"{"productId": 2}"#)
        let fields = ["If-Match": tag]
        let second = try service.ask(
            "POST /v1/spaces/a/cart/add?view=cart.order%3FproductId=%31", fields, #"{"productId": 1}"#)
        #expect(second.status == 200)
        #expect(try service.ask("POST /v1/spaces/a/cart/add?\(view)", fields, #"{"productId": 1}"#).status == 412)
        let faulty = try service.ask("POST /v1/spaces/a/cart/add?view=cart.order", [:], #"{"productId": 1}"#)
        #expect(try faulty.status == 422 && faulty.json["pointer"] == "/productId")
        #expect(try service.ask("GET /v1/spaces/a").json["version"] == 3)
    }

    // Law WINDOW1
    @Test func `a list is read from window to window`() throws {
        let service = try ServiceInProcess()
        let first = try service.ask("GET /v1/spaces/a/catalog/products?limit=2&total=1").json
        #expect(first["total"] == 5 && first["items"]?[1]?["id"] == 2 && first["items"]?[2] == nil)
        guard case .string(let next)? = first["next"] else { return #expect(Bool(false), "\(first)") }
        let second = try service.ask("GET /v1/spaces/b/catalog/products?after=\(next)").json
        #expect(second["items"]?[0]?["id"] == 3 && second["items"]?[2]?["id"] == 5 && second["next"] == .null)
        let named = try service.ask("GET /v1/spaces/a/views?view=catalog.products%3Fafter%3D\(next)%26limit%3D1").json
        #expect(named["catalog.products?limit=1&after=\(next)"]?["items"]?[0]?["id"] == 3)
        let empty = try service.ask("GET /v1/spaces/a/feed/events?limit=1&after=").json
        #expect(empty == ["items": [], "next": .null])
    }

    // Law PARAM3
    // Law WINDOW2
    @Test func `windows follow one another in an order that the JSON of a row does not show`() throws {
        let service = try ServiceInProcess()
        for id in [5, 2, 3] {
            let reply = try service.ask("POST /v1/spaces/a/cart/add", [:], #"{"productId": \#(id)}"#)
            #expect(reply.status == 200)
        }
        var seen: [JSON] = []
        var after: String?
        repeat {
            let rest = after.map { "&after=\($0)" } ?? ""
            let page = try service.ask("GET /v1/spaces/a/cart/orders?limit=1\(rest)").json
            if case .array(let items)? = page["items"] { seen += items }
            if case .string(let next)? = page["next"] { after = next } else { after = nil }
        } while after != nil && seen.count < 9
        let all = try service.ask("GET /v1/spaces/a/cart/orders").json
        #expect(seen.count == 3 && all == .array(seen))
    }

    @Test func `a stream shows an instance and its changes, and leaves nothing behind`() throws {
        let service = try ServiceInProcess()
        let connection = try service.connect()
        connection.send("GET /v1/spaces/a/cart/order?productId=1&events=1")
        service.settle()
        connection.receive()
        _ = try #require(connection.takeHead())
        func data() -> String? {
            connection.receive()
            while let block = connection.takeBlock() {
                if let data = StreamBlock(block).data { return data }
            }
            return nil
        }
        #expect(data() == "null")
        #expect(service.instanceCount(in: "a") == 1)
        _ = try service.ask("POST /v1/spaces/a/cart/add", [:], #"{"productId": 2}"#)
        #expect(data() == nil)
        _ = try service.ask("POST /v1/spaces/a/cart/add", [:], #"{"productId": 1, "quantity": 2}"#)
        #expect(data()?.contains(#""quantity":2"#) == true)
        connection.close()
        service.settle()
        #expect(service.instanceCount(in: "a") == 1)
        service.advance(seconds: 5)
        #expect(service.instanceCount(in: "a") == 0 && service.broadcasterCount == 0)
    }

    // Law PARAM1
    @Test func `instances of several spaces are watched on one connection`() throws {
        let service = try ServiceInProcess()
        let connection = try service.connect()
        connection.send(
            "GET /v1/live?watch=a/cart.order%3FproductId%3D%2531&watch=b/catalog.products%3Flimit=1&events=1")
        service.settle()
        connection.receive()
        _ = try #require(connection.takeHead())
        let text = connection.takeAll()
        #expect(text.contains(#""a/cart.order?productId=1":null"#), "\(text)")
        #expect(text.contains(#""b/catalog.products?limit=1":{"items""#), "\(text)")
        for (watch, status) in [
            ("a/cart.order", 422), ("a/cart.order%3FproductId=x", 422), ("a/cart.orders%3Flimit=0", 422),
            ("a/cart.nothing%3Flimit=0", 404), ("a/cart.totalPrice%3Fa=b", 422),
        ] {
            #expect(try service.ask("GET /v1/live?watch=\(watch)&events=1").status == status, "\(watch)")
        }
    }

    // Law PARAM3
    @Test func `nothing is left of instances that were read once`() throws {
        let service = try ServiceInProcess()
        for id in 1...100 { _ = try service.ask("GET /v1/spaces/a/catalog/product?id=\(id)") }
        #expect(service.instanceCount(in: "common") == 0)
        service.advance(seconds: 5)
        #expect(service.broadcasterCount == 0)
    }

    @Test func `a definition of a stream names a view with parameters`() throws {
        let service = try ServiceInProcess()
        let definition = #"{"source": {"view": "cart.order", "parameters": {"productId": 1}}}"#
        #expect(try service.ask("PUT /v1/spaces/a/streams/one", [:], definition).status == 200)
        #expect(try service.ask("GET /v1/spaces/a/streams/one/value").body == "null")
        _ = try service.ask("POST /v1/spaces/a/cart/add", [:], #"{"productId": 1}"#)
        #expect(try service.ask("GET /v1/spaces/a/streams/one/value").json["quantity"] == 1)
        #expect(try service.ask("GET /v1/spaces/a/streams/one/value/why").status == 404)
        for (source, pointer) in [
            (#"{"view": "cart.order"}"#, "/source/parameters/productId"),
            (#"{"view": "cart.order", "parameters": {"productId": "x"}}"#, "/source/parameters/productId"),
            (#"{"view": "cart.order", "parameters": {"productId": [1]}}"#, "/source/parameters/productId"),
            (#"{"view": "cart.order", "parameters": {"productId": 1, "x": 1}}"#, "/source/parameters/x"),
            (#"{"view": "cart.order", "parameters": 7}"#, "/source/parameters"),
            (#"{"view": "cart.order?productId=1"}"#, "/source/view"),
        ] {
            let reply = try service.ask("PUT /v1/spaces/a/streams/two", [:], #"{"source": \#(source)}"#)
            #expect(try reply.status == 422 && reply.json["pointer"] == .string(pointer), "\(reply)")
            let trial = try service.ask(
                "POST /v1/spaces/a/streams:test", [:], #"{"definition": {"source": \#(source)}}"#)
            #expect(try trial.json["pointer"] == .string("/definition" + pointer), "\(trial)")
        }
    }

    @Test func `the index lists parameters, lists and reserved names`() throws {
        let index = try ServiceInProcess().ask("GET /v1").json
        guard case .array(let features)? = index["features"],
            let catalog = features.first(where: { $0["name"] == "catalog" }),
            case .array(let views)? = catalog["views"],
            case .array(let reserved)? = index["reservedParameters"]
        else { return #expect(Bool(false), "\(index)") }
        let product = views.first { $0["name"] == "product" }
        #expect(product?["parameters"]?["required"] == ["id"] && product?["isList"] == nil)
        #expect(product?["parameters"]?["properties"]?["id"]?["type"] == "integer")
        #expect(views.first { $0["name"] == "products" }?["isList"] == true)
        #expect(reserved.contains("after") && reserved.contains("access_token") && reserved.count == 24)
    }
}
