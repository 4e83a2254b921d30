import Glibc
import JSON
import Testing

@Suite struct EventsTests {
    let server: Service

    init() throws {
        server = try Service.shared()
    }

    private func logIn(_ space: String, _ name: String) throws -> Response {
        try server.ask("POST", "/v1/spaces/\(space)/user/logIn", "{\"name\": \"\(name)\"}")
    }

    @Test func `a stream begins with the retry time and the value, and has an event for each change`() throws {
        let client = try server.connect()
        try client.send(Request.text("GET", "/v1/spaces/events1/user/title", nil, ["Accept": "text/event-stream"]))
        let head = try client.head()
        #expect(
            head["Cache-Control"] == "no-store" && head["X-Accel-Buffering"] == "no"
                && head["Content-Type"] == "text/event-stream")
        let retry = Event(try #require(try client.block()))
        #expect(Int(retry.retry ?? "") != nil && retry.data == nil)
        let first = try #require(try client.event())
        #expect(first.data == #""Logged out""# && first.name == nil)
        #expect(try first.opaque == server.ask("GET", "/v1/spaces/events1/user/title").opaque)
        for name in ["Ada", "Bo", "Cy"] {
            _ = try logIn("events1", name)
            let event = try #require(try client.event())
            #expect(event.data == "\"\(name)\"" && event.name == nil)
            #expect(try event.opaque == server.ask("GET", "/v1/spaces/events1/user/title").opaque)
        }
    }

    @Test func `an event of views has the changed views only, all of one version`() throws {
        let client = try server.stream(
            "/v1/spaces/events2/views?view=user.title&view=user.isLoggedIn&view=cart.numberOfItems")
        #expect(
            try client.event()?.data == #"{"user.title":"Logged out","user.isLoggedIn":false,"cart.numberOfItems":0}"#)
        _ = try logIn("events2", "Ada")
        #expect(try client.event()?.data == #"{"user.title":"Ada","user.isLoggedIn":true}"#)
        try server.ask("POST", "/v1/spaces/events2/cart/add", #"{"productId": 1}"#)
        #expect(try client.event()?.data == #"{"cart.numberOfItems":1}"#)
    }

    @Test(arguments: [true, false])
    func `a client that reconnects with the current tag gets no event, and one with an older tag gets the value`(
        _ isField: Bool
    ) throws {
        let path = "/v1/spaces/events3-\(isField)/user/title"
        func stream(_ tag: String) throws -> Client {
            isField
                ? try server.stream(path, ["Last-Event-ID": tag])
                : try server.stream("\(path)?lastEventId=\(tag)&events=1", ["Accept": "*/*"])
        }
        let tag = try server.ask("GET", path).tag
        let current = try stream(tag)
        #expect(Event(try #require(try current.block())).retry != nil)
        _ = try logIn("events3-\(isField)", "Ada")
        #expect(try current.event()?.data == #""Ada""#)
        #expect(try stream(tag).event()?.data == #""Ada""#)
    }

    // Law H4: a silent stream has heartbeats.
    @Test func `a silent stream has heartbeat comments`() throws {
        let client = try server.stream("/v1/spaces/events4/user/title")
        _ = try client.event()
        for _ in 0..<2 {
            let block = Event(try #require(try client.block()))
            #expect(block.comment != nil && block.data == nil)
        }
    }

    // Law H6: the last value arrives, in order, and the buffered bytes are bounded.
    @Test func `a slow reader gets the last value, and never an older one after a newer one`() throws {
        let server = try Service("--memory", "--threads", "2")
        let client = try server.stream("/v1/spaces/a/catalog/products", receiveBytes: 4_096)
        _ = try client.event()
        let last = try server.changeMuch()
        #expect(try server.metric("headwater_frames_conflated_total") > 0)
        var price = 0
        var events = 0
        while price < last {
            guard case .array(let products) = try JSON(parsing: Array(try #require(try client.event()?.data).utf8))
            else { break }
            let next = products.last?["price"]?.integer ?? 0
            #expect(next >= price)
            price = next
            events += 1
        }
        #expect(price == last && events < last + 300)
    }

    @Test func `a reader that resumes is at the newest value after its own receive buffer and 64 KiB beyond one event`()
        throws
    {
        let server = try Service("--memory", "--threads", "2")
        let client = try server.stream("/v1/spaces/a/catalog/products", receiveBytes: 4_096)
        _ = try client.event()
        let last = 600
        let name = String(repeating: "n", count: 90)
        for count in 0...last + 30 {
            let (id, price) = count < 30 ? (1_000 + count, 0) : (1_029, count - 30)
            let body = "{\"id\": \(id), \"name\": \"\(name)\", \"price\": \(price)}"
            try #require(try server.ask("POST", "/v1/spaces/common/catalog/put", body).status == 200)
        }
        var room: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(client.descriptor, SOL_SOCKET, SO_RCVBUF, &room, &size)
        var older = 0
        while true {
            let data = try #require(try client.event()?.data)
            guard case .array(let products) = try JSON(parsing: Array(data.utf8)) else { break }
            if products.last?["price"]?.integer == last {
                #expect(older <= Int(room) + 65_536 + data.utf8.count, "\(older) bytes of older values")
                break
            }
            older += data.utf8.count
        }
    }

    @Test
    func `a client that disconnects leaves no stream behind, and one that only shuts down sending still gets events`()
        throws
    {
        let request = Request.text("GET", "/v1/spaces/events6/user/title", nil, ["Accept": "text/event-stream"])
        let text = try server.raw(request)
        #expect(text.contains("data: \"Logged out\"") && text.hasSuffix("\r\n0\r\n\r\n"))
        let own = try Service("--memory", "--threads", "1")
        do {
            let streams = try (0..<5).map { _ in try own.stream("/v1/spaces/a/user/title") }
            streams[4].reset()
            #expect(try own.eventually { try own.metric("headwater_streams_active") == 4 })
        }
        #expect(try own.eventually { try own.metric("headwater_streams_active") == 0 })
    }

    @Test func `HTTP 1 dot 0 gets a stream without chunks`() throws {
        let client = try server.connect()
        try client.send("GET /v1/spaces/events7/user/title?events=1 HTTP/1.0\r\n\r\n")
        let head = try client.head()
        #expect(head["Transfer-Encoding"] == nil && head["Connection"] == "close")
        client.finish()
        #expect(try client.rest().contains("data: \"Logged out\"\n\n"))
    }

    @Test func `events are sent only if the client names their media type`() throws {
        for accept in ["text/event-stream", "text/event-stream, */*", "application/json;q=0.5, text/event-stream"] {
            let client = try server.connect()
            try client.send(Request.text("GET", "/v1/spaces/a/user/title", nil, ["Accept": accept]))
            #expect(try client.head()["Content-Type"] == "text/event-stream", "\(accept)")
        }
        let json = try server.ask(
            "GET", "/v1/spaces/a/user/title", nil, ["Accept": "text/event-stream;q=0.5, application/json"])
        #expect(json["Content-Type"] == "application/json")
    }

    @Test func `a price change in common reaches every cart with the product`() throws {
        let put = #"{"id": 950, "name": "Drum", "price": "#
        try server.ask("POST", "/v1/spaces/common/catalog/put", put + "10}")
        try server.ask("POST", "/v1/spaces/events8/cart/add", #"{"productId": 950}"#)
        let client = try server.stream("/v1/spaces/events8/cart/totalPrice")
        #expect(try client.event()?.data == "10")
        try server.ask("POST", "/v1/spaces/common/catalog/put", put + "12.5}")
        #expect(try client.event()?.data == "12.5")
        #expect(try server.ask("GET", "/v1/spaces/events8/cart/totalPrice").text == "12.5")
    }
}
