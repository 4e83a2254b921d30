import JSON
import Testing

@Suite struct SpacesTests {
    @Test func `spaces are listed by name, page by page`() throws {
        let server = try Service("--memory", "--threads", "2")
        #expect(try server.ask("GET", "/v1/spaces").json["spaces"] == [])
        let names = ["B", "a", "a.b", "a0", "b_c", String(repeating: "z", count: 128)]
        for name in names.reversed() { try server.ask("POST", "/v1/spaces/\(name)/user/save", #"{"name": "x"}"#) }
        var path: String? = "/v1/spaces?limit=2"
        var found: [JSON] = []
        while let next = path {
            let page = try server.ask("GET", next).json
            guard case .array(let spaces)? = page["spaces"], spaces.count <= 2 else {
                return #expect(Bool(false), "\(page)")
            }
            found += spaces
            path = if case .string(let text)? = page["next"] { text } else { nil }
        }
        #expect(found.map { $0["name"] } == names.map { .string($0) } && found.allSatisfy { $0["version"] == 1 })
        #expect(try server.ask("GET", "/v1/spaces?after=a0").json["spaces"]?[0]?["name"] == "b_c")
        for query in ["limit=0", "limit=x", "limit=1001", "after=-"] {
            #expect(try server.ask("GET", "/v1/spaces?\(query)").isProblem("invalid", 422))
        }
        #expect(try server.ask("GET", "/v1/spaces/\(String(repeating: "z", count: 129))").status == 404)
    }

    @Test func `a space has its name, version and links`() throws {
        let server = try Service.shared()
        try server.ask("POST", "/v1/spaces/spaces1/user/save", #"{"name": "x"}"#)
        let answer = try server.ask("GET", "/v1/spaces/spaces1")
        #expect(try answer.json["name"] == "spaces1" && answer.json["version"] == 1)
        #expect(try answer.json["links"]?["changes"] == "/v1/spaces/spaces1/changes")
        #expect(try server.ask("GET", "/v1/spaces/spaces1", nil, ["If-None-Match": answer["ETag"] ?? ""]).status == 304)
    }

    @Test func `the index lists features, actions with their parameters, and views`() throws {
        let answer = try Service.shared().ask("GET", "/v1")
        guard case .array(let features)? = try answer.json["features"] else { return #expect(Bool(false)) }
        let cart = try #require(features.first { $0["name"] == "cart" })
        guard case .array(let actions)? = cart["actions"], case .array(let views)? = cart["views"] else {
            return #expect(Bool(false))
        }
        #expect(actions.map { $0["name"] } == ["add", "increment", "decrement", "clear"])
        #expect(actions[0]["parameters"]?["properties"]?["productId"]?["type"] == "integer")
        #expect(views.contains { $0["name"] == "totalPrice" })
    }
}
