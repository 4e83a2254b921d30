import JSON
import Testing

@Suite struct SnapshotTests {
    let server: Service

    init() throws {
        server = try Service.shared()
    }

    @Test func `an unused space has every view's first value at version 0, and does not exist`() throws {
        let space = try server.ask("GET", "/v1/spaces/snap0").json
        #expect(space["name"] == "snap0" && space["version"] == 0)
        let views = try server.ask("GET", "/v1/spaces/snap0/views").json
        #expect(
            views["user.title"] == "Logged out" && views["cart.numberOfItems"] == 0
                && views["catalog.discountRate"] == 0.1)
        #expect(try server.ask("GET", "/v1/spaces/snap0/changes").text == "[]")
        #expect(try !server.ask("GET", "/v1/spaces?after=snap&limit=10").text.contains("snap0"))
    }

    @Test func `a view is its bare value with a tag, and no cache stores it`() throws {
        let answer = try server.ask("GET", "/v1/spaces/snap1/user/title")
        #expect(answer.status == 200 && answer.text == #""Logged out""#)
        #expect(answer["Content-Type"] == "application/json" && answer["Cache-Control"] == "no-cache")
        let again = try server.ask("GET", "/v1/spaces/snap1/user/title", nil, ["If-None-Match": answer["ETag"] ?? ""])
        #expect(again.status == 304 && again["ETag"] == answer["ETag"] && again["Content-Length"] == nil)
        for list in ["\"x\", \(answer["ETag"] ?? "")", "W/\(answer["ETag"] ?? "")", "*"] {
            #expect(try server.ask("GET", "/v1/spaces/snap1/user/title", nil, ["If-None-Match": list]).status == 304)
        }
        #expect(try server.ask("GET", "/v1/spaces/snap1/user/title", nil, ["If-None-Match": "\"x\""]).status == 200)
        #expect(try server.ask("GET", "/v1/spaces/snap1/user/title?since=\(answer.tag)").status == 304)
    }

    // Law H5: a tag changes with the value, and only then.
    @Test func `a view's tag changes only if its value can have changed`() throws {
        let title = try server.ask("GET", "/v1/spaces/snap2/user/title").opaque
        let all = try server.ask("GET", "/v1/spaces/snap2/views").opaque
        try server.ask("POST", "/v1/spaces/snap2/cart/add", #"{"productId": 1}"#)
        #expect(try server.ask("GET", "/v1/spaces/snap2/user/title").opaque == title)
        #expect(try server.ask("GET", "/v1/spaces/snap2/views").opaque != all)
        try server.ask("POST", "/v1/spaces/snap2/user/logIn", #"{"name": "Ada"}"#)
        #expect(try server.ask("GET", "/v1/spaces/snap2/user/title").opaque != title)
    }

    @Test func `several views are one object, in the requested order, once each`() throws {
        try server.ask("POST", "/v1/spaces/snap3/user/logIn", #"{"name": "Ada"}"#)
        let answer = try server.ask(
            "GET", "/v1/spaces/snap3/views?view=user.title&view=cart.totalPrice&view=user.title")
        #expect(answer.text == #"{"user.title":"Ada","cart.totalPrice":0}"#)
        let encoded = try server.ask("GET", "/v1/spaces/snap3/views?view=user%2Etitle")
        #expect(encoded.text == #"{"user.title":"Ada"}"#)
    }

    @Test(arguments: [
        "/v1", "/v1/spaces?after=zzz", "/v1/spaces/snap4", "/v1/spaces/snap4/user/title", "/v1/spaces/snap4/views",
        "/healthz",
        "/readyz",
        "/v1/nothing",
    ])
    func `HEAD has the header fields of GET without the content`(_ path: String) throws {
        let get = try server.ask("GET", path)
        let client = try server.connect()
        try client.send(Request.text("HEAD", path) + Request.text("GET", "/healthz"))
        let head = try client.response(isHead: true)
        #expect(
            head.status == get.status && head["Content-Length"] == get["Content-Length"]
                && head["Content-Type"] == get["Content-Type"])
        #expect(head["ETag"] == get["ETag"])
        #expect(try client.response().text == "ok\n")
    }

    @Test func `HEAD of events has the header fields alone`() throws {
        let client = try server.connect()
        let fields = ["Accept": "text/event-stream"]
        try client.send(
            Request.text("HEAD", "/v1/spaces/snap5/user/title", nil, fields)
                + Request.text("HEAD", "/v1/spaces/snap5/changes", nil, fields)
                + Request.text("GET", "/healthz"))
        for _ in 0..<2 { #expect(try client.response(isHead: true)["Content-Type"] == "text/event-stream") }
        #expect(try client.response().text == "ok\n")
    }

    @Test func `a long poll is answered as soon as its own view differs, and not before`() throws {
        let title = try server.ask("GET", "/v1/spaces/snap6/user/title")
        let polls = try (0..<3).map { index in
            let client = try server.connect()
            let path = "/v1/spaces/snap6/user/title" + (index == 2 ? "?since=\(title.tag)&wait=25" : "")
            let fields =
                index == 2
                ? [:]
                : [
                    "If-None-Match": title["ETag"] ?? "",
                    "Prefer": index == 0 ? "wait=25" : "respond-async, Wait=\"25\"",
                ]
            try client.send(Request.text("GET", path, nil, fields))
            return client
        }
        #expect(try server.eventually { try server.metric("headwater_polls_waiting") >= 3 })
        try server.ask("POST", "/v1/spaces/snap6/cart/add", #"{"productId": 1}"#)
        for poll in polls { #expect(!poll.hasMore(within: 20)) }
        try server.ask("POST", "/v1/spaces/snap6/user/logIn", #"{"name": "Ada"}"#)
        for poll in polls {
            let answer = try poll.response()
            #expect(
                answer.status == 200 && answer.text == #""Ada""# && answer["Preference-Applied"] == "wait=25"
                    && answer.tag != title.tag)
        }
    }

    @Test func `a long poll ends with 304 after its wait, at most 60 seconds`() throws {
        let title = try server.ask("GET", "/v1/spaces/snap7/user/title")
        let fields = ["If-None-Match": title["ETag"] ?? "", "Prefer": "wait=1"]
        let answer = try server.ask("GET", "/v1/spaces/snap7/user/title", nil, fields)
        #expect(answer.status == 304 && answer["Preference-Applied"] == "wait=1" && answer.tag == title.tag)
        let behind = ["If-None-Match": "\"x\"", "Prefer": "wait=100"]
        let capped = try server.ask("GET", "/v1/spaces/snap7/user/title", nil, behind)
        #expect(capped.status == 200 && capped["Preference-Applied"] == "wait=60")
        #expect(try server.ask("GET", "/v1/spaces/snap7/user/title?wait=x").isProblem("invalid", 422))
    }

    @Test func `a long poll on several views is of one version`() throws {
        let path = "/v1/spaces/snap8/views?view=user.title&view=user.isLoggedIn"
        let first = try server.ask("GET", path)
        let poll = try server.connect()
        try poll.send(Request.text("GET", path, nil, ["If-None-Match": first["ETag"] ?? "", "Prefer": "wait=25"]))
        try server.ask("POST", "/v1/spaces/snap8/user/logIn", #"{"name": "Ada"}"#)
        #expect(try poll.response().text == #"{"user.title":"Ada","user.isLoggedIn":true}"#)
    }

    @Test func `a client that disconnects during a poll leaves nothing behind`() throws {
        let title = try server.ask("GET", "/v1/spaces/snap9/user/title")
        let request = Request.text(
            "GET", "/v1/spaces/snap9/user/title", nil, ["If-None-Match": title["ETag"] ?? "", "Prefer": "wait=25"])
        let before = try server.metric("headwater_connections")
        for _ in 0..<20 {
            let client = try server.connect()
            try client.send(request)
            client.reset()
        }
        #expect(try server.eventually { try server.metric("headwater_connections") <= before })
        // A client that only shuts down its sending side gets an answer before the close.
        #expect(try server.raw(request).hasPrefix("HTTP/1.1 304"))
    }
}
