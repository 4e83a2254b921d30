import JSON
import Testing

@Suite struct ActionTests {
    let server: Service

    init() throws {
        // Of its own, because a deleted space moves the tags of all spaces of a server.
        server = try Service("--memory", "--heartbeat", "1", "--request-timeout", "1", "--threads", "1")
    }

    @Test func `an action's answer has its space, version and variables, and the version's tag`() throws {
        let answer = try server.ask("POST", "/v1/spaces/act1/user/logIn", #"{"name": "Ada"}"#)
        #expect(answer.status == 200)
        #expect(answer["Content-Type"] == "application/json")
        #expect(answer.text == #"{"space":"act1","version":1,"changed":["user.isLoggedIn","user.name"]}"#)
        #expect(try server.ask("GET", "/v1/spaces/act1").tag == answer.tag)
        #expect(answer.tag.utf8.count <= 128)
        #expect(try server.ask("GET", "/v1/spaces/act1/user/title").text == #""Ada""#)
    }

    @Test func `an action that changes nothing makes no commit`() throws {
        try server.ask("POST", "/v1/spaces/act2/user/save", #"{"name": "Ada"}"#)
        let answer = try server.ask("POST", "/v1/spaces/act2/user/save", #"{"name": "Ada"}"#)
        #expect(answer.text == #"{"space":"act2","version":1,"changed":[]}"#)
    }

    @Test func `an action without parameters takes an empty body`() throws {
        #expect(try server.ask("POST", "/v1/spaces/act3/user/logOut").status == 200)
        #expect(try server.ask("POST", "/v1/spaces/act3/user/logOut", "{}").status == 200)
        #expect(try server.ask("POST", "/v1/spaces/act3/user/logOut", "").status == 200)
    }

    @Test func `requested views are of the action's own commit, once each`() throws {
        let path = "/v1/spaces/act4/cart/add?view=cart.totalPrice&view=cart.numberOfItems&view=cart.totalPrice"
        let answer = try server.ask("POST", path, #"{"productId": 1, "quantity": 2}"#).json
        #expect(answer["views"]?["cart.numberOfItems"] == 2)
        guard case .object(let views)? = answer["views"] else { return #expect(Bool(false), "\(answer)") }
        #expect(views.count == 2)
        #expect(try server.ask("POST", "/v1/spaces/act4/cart/clear?view=cart.no", "{}").isProblem("no-such-view", 404))
        #expect(try server.ask("GET", "/v1/spaces/act4").json["version"] == 1)
    }

    @Test func `a tag of the space decides whether an action is performed`() throws {
        let first = try server.ask("POST", "/v1/spaces/act5/user/logIn", #"{"name": "Ada"}"#)
        let second = try server.ask(
            "POST", "/v1/spaces/act5/user/save", #"{"name": "Bo"}"#, ["If-Match": "\"\(first.tag)\""])
        #expect(second.status == 200)
        let third = try server.ask("POST", "/v1/spaces/act5/user/logOut", "{}", ["If-Match": "\"\(first.tag)\""])
        #expect(try third.isProblem("changed", 412))
        #expect(third.tag == second.tag)
        #expect(try third.json["tag"] == .string(second.tag))
        #expect(
            try server.ask("POST", "/v1/spaces/act5/user/logOut", "{}", ["If-Match": "\"x\", \"\(second.tag)\""]).status
                == 200)
        #expect(
            try server.ask("POST", "/v1/spaces/act5/user/logOut", "{}", ["If-Match": "W/\"\(second.tag)\""]).status
                == 412)
        #expect(try server.ask("POST", "/v1/spaces/act5/user/logOut", "{}", ["If-Match": "*"]).status == 200)
        #expect(try server.ask("POST", "/v1/spaces/act5/user/logOut", "{}", ["If-Match": "none"]).status == 400)
        #expect(try server.ask("POST", "/v1/spaces/act5-unused/user/logOut", "{}", ["If-Match": "*"]).status == 412)
    }

    @Test func `a try over a live view reads its current value`() throws {
        let space = "/v1/spaces/act-tried"
        try server.ask("POST", "\(space)/cart/add", #"{"productId": 2, "quantity": 3}"#)
        try server.ask(
            "PUT", "\(space)/streams/double",
            #"{"source": {"view": "cart.totalPrice"}, "operators": [{"map": {"expression": "value * 2"}}]}"#)
        for source in [
            #"{"ref": "double"}"#,
            #"{"source": {"view": "cart.totalPrice"}, "operators": [{"map": {"expression": "value * 2"}}]}"#,
        ] {
            let answer = try server.ask(
                "POST", "\(space)/streams:test", #"{"definition": {"source": \#(source)}, "until": 60}"#)
            #expect(try answer.json["events"] == [["at": 0, "value": 72]])
        }
        let stranger = try server.ask(
            "POST", "\(space)/streams:test", #"{"definition": {"source": {"view": "cart.nope"}}}"#)
        #expect(try stranger.isProblem("invalid", 422) && stranger.json["pointer"] == "/definition/source/view")
    }

    @Test(arguments: ["cart/orders", "views?view=cart.orders", "views?view=cart.orders&view=cart.totalPrice"])
    func `a tag of views decides whether an action is performed`(_ path: String) throws {
        let space = "/v1/spaces/act6-\(path.utf8.count)"
        try server.ask("POST", "\(space)/cart/add", #"{"productId": 1}"#)
        let seen = try server.ask("GET", "\(space)/\(path)").tag
        // Commits to other features do not matter.
        try server.ask("POST", "\(space)/user/logIn", #"{"name": "Ada"}"#)
        let views = path.hasSuffix("totalPrice") ? "view=cart.totalPrice&view=cart.orders" : "view=cart.orders"
        let added = try server.ask(
            "POST", "\(space)/cart/add?\(views)", #"{"productId": 2}"#, ["If-Match": "\"\(seen)\""])
        #expect(added.status == 200)
        let refused = try server.ask("POST", "\(space)/cart/clear?\(views)", "{}", ["If-Match": "\"\(seen)\""])
        #expect(try refused.isProblem("changed", 412))
        #expect(refused.opaque == added.opaque && added.tag != seen)
        #expect(try server.ask("GET", "\(space)/\(path)").opaque == added.opaque)
        #expect(
            try server.ask("POST", "\(space)/cart/clear?\(views)", "{}", ["If-Match": "\"\(added.tag)\""]).status == 200
        )
    }

    @Test func `an action with a key is performed once, and a repeat gets the first answer`() throws {
        let body = #"{"productId": 1}"#
        let first = try server.ask("POST", "/v1/spaces/act7/cart/add", body, ["Idempotency-Key": "k-1"])
        let again = try server.ask("POST", "/v1/spaces/act7/cart/add", body, ["Idempotency-Key": "k-1"])
        #expect(first["Idempotency-Replayed"] == nil && again["Idempotency-Replayed"] == "true")
        #expect(first.text == again.text && first.status == again.status && first.tag == again.tag)
        #expect(try server.ask("GET", "/v1/spaces/act7/cart/numberOfItems").text == "1")
        #expect(
            try server.ask("POST", "/v1/spaces/act7/cart/add", #"{"productId": 2}"#, ["Idempotency-Key": "k-1"])
                .isProblem(
                    "key-reused", 422))
        #expect(
            try server.ask("POST", "/v1/spaces/act7/cart/increment", body, ["Idempotency-Key": "k-1"]).isProblem(
                "key-reused", 422))
        let elsewhere = try server.ask("POST", "/v1/spaces/act7b/cart/add", body, ["Idempotency-Key": "k-1"])
        #expect(elsewhere["Idempotency-Replayed"] == nil)
    }

    // Laws K7 and H8
    @Test func `a key of a deleted space is free at once`() throws {
        let body = #"{"productId": 1}"#
        try server.ask("POST", "/v1/spaces/act7c/cart/add", body, ["Idempotency-Key": "k"])
        #expect(try server.ask("DELETE", "/v1/spaces/act7c").status == 204)
        let anew = try server.ask("POST", "/v1/spaces/act7c/cart/add", body, ["Idempotency-Key": "k"])
        #expect(anew.status == 200 && anew["Idempotency-Replayed"] == nil)
        #expect(try server.ask("GET", "/v1/spaces/act7c/cart/numberOfItems").text == "1")
    }

    @Test(arguments: ["W/\"TAG\"", "\"TAG-gzip\"", "W/\"TAG-gzip\"", "\"TAG;gzip\""])
    func `a tag that a compressing proxy has changed is still the tag`(_ form: String) throws {
        let space = "/v1/spaces/act6b-\(form.utf8.count)\(form.contains(";") ? "s" : "")"
        try server.ask("POST", "\(space)/cart/add", #"{"productId": 1}"#)
        func changed(_ tag: String) -> String { form.replacing("TAG", with: tag) }
        let view = changed(try server.ask("GET", "\(space)/cart/orders").tag)
        #expect(try server.ask("GET", "\(space)/cart/orders", nil, ["If-None-Match": view]).status == 304)
        let stale = try server.ask("POST", "\(space)/cart/clear?view=cart.orders", "{}", ["If-Match": changed("other")])
        #expect(stale.status == 412)
        #expect(
            try server.ask("POST", "\(space)/cart/add?view=cart.orders", #"{"productId": 2}"#, ["If-Match": view])
                .status == 200)
        let version = changed(try server.ask("GET", space).tag)
        #expect(try server.ask("GET", space, nil, ["If-None-Match": version]).status == 304)
        let since = version.replacing("\"", with: "%22").replacing(";", with: "%3B")
        #expect(try server.ask("GET", "\(space)/changes?since=\(since)").text == "[]")
        #expect(try server.ask("POST", "\(space)/user/logOut", "{}", ["If-Match": version]).status == 200)
        #expect(try server.ask("DELETE", space, nil, ["If-Match": version]).status == 204)
    }

    @Test func `a key is 1 to 255 visible characters`() throws {
        for key in ["", String(repeating: "k", count: 256), "a b", "é"] {
            #expect(
                try server.ask("POST", "/v1/spaces/act8/user/logOut", "{}", ["Idempotency-Key": key]).isProblem(
                    "bad-request", 400))
        }
        let key = String(repeating: "~", count: 255)
        #expect(try server.ask("POST", "/v1/spaces/act8/user/logOut", "{}", ["Idempotency-Key": key]).status == 200)
    }

    @Test func `a refused action leaves its key free and the state unchanged`() throws {
        let refused = try server.ask(
            "POST", "/v1/spaces/act9/cart/increment", #"{"productId": 1}"#, ["Idempotency-Key": "k"])
        #expect(try refused.isProblem("conflict", 409) && refused.json["pointer"] == "/productId")
        try server.ask("POST", "/v1/spaces/act9/cart/add", #"{"productId": 1}"#)
        let performed = try server.ask(
            "POST", "/v1/spaces/act9/cart/increment", #"{"productId": 1}"#, ["Idempotency-Key": "k"])
        #expect(performed.status == 200 && performed["Idempotency-Replayed"] == nil)
    }

    @Test func `a feature of common is readable in every space and changed in common only`() throws {
        let elsewhere = try server.ask(
            "POST", "/v1/spaces/act10/catalog/put", #"{"id": 900, "name": "Kite", "price": 12.5}"#)
        #expect(try elsewhere.isProblem("wrong-space", 409))
        #expect(try #require(elsewhere.json["detail"]?.description).contains("/v1/spaces/common/catalog/put"))
        #expect(
            try server.ask("POST", "/v1/spaces/common/catalog/put", #"{"id": 900, "name": "Kite", "price": 12.5}"#)
                .status == 200)
        #expect(try server.ask("GET", "/v1/spaces/act10/catalog/products").text.contains("Kite"))
        #expect(try server.ask("GET", "/v1/spaces/common/catalog/products").text.contains("Kite"))
        #expect(try server.ask("POST", "/v1/spaces/common/cart/clear", "{}").isProblem("wrong-space", 409))
        #expect(try server.ask("DELETE", "/v1/spaces/common").status == 409)
    }
}
