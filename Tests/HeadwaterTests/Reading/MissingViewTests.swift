import JSON
import Testing

/// Undefined views in every way of reading: each request has an answer, and the connection stays usable.
@Suite struct MissingViewTests {
    private static let total = #"{"source": {"view": "cart.totalPrice"}}"#
    let server: Service

    init() throws {
        server = try Service.shared()
    }

    static let paths = [
        "views?view=streams.none", "views?view=cart.totalPrice&view=streams.none", "streams/none/value",
        // A stream that no live view feeds has no value.
        "views?view=streams.merge", "streams/merge/value",
        "views?view=cart.none", "cart/none", "none/none",
    ]

    /// The ways of reading, as header fields.
    static let ways: [[String: String]] = [
        [:], ["Accept": "text/event-stream"], ["Accept": "text/event-stream", "Last-Event-ID": "x"],
        ["If-None-Match": "*"],
        ["If-None-Match": "\"x\"", "Prefer": "wait=25"],
    ]

    @Test(arguments: paths) func `an undefined view is 404 in every way of reading, also repeatedly`(
        _ path: String
    ) throws {
        for way in Self.ways + Self.ways {
            let answer = try server.ask("GET", "/v1/spaces/missing1/\(path)", nil, way)
            #expect(try answer.isProblem("no-such-view", 404), "\(way): \(answer)")
        }
    }

    @Test func `an action that requests an undefined view is not performed`() throws {
        let answer = try server.ask("POST", "/v1/spaces/missing2/user/logIn?view=streams.none", #"{"name": "Ada"}"#)
        #expect(try answer.isProblem("no-such-view", 404))
        #expect(try server.ask("GET", "/v1/spaces/missing2").json["version"] == 0)
    }

    @Test func `a stream removed under a subscriber of several views is gone, is 404, and comes back whole`()
        throws
    {
        let space = "/v1/spaces/missing3"
        let path = "\(space)/views?view=streams.total&view=user.title"
        #expect(try server.ask("PUT", "\(space)/streams/total", Self.total).status == 200)
        let stream = try server.stream(path)
        #expect(try stream.event()?.data == #"{"streams.total":0,"user.title":"Logged out"}"#)
        let poll = try server.connect()
        let tag = try server.ask("GET", path).tag
        try poll.send(Request.text("GET", path, nil, ["If-None-Match": "\"\(tag)\"", "Prefer": "wait=25"]))

        #expect(try server.ask("DELETE", "\(space)/streams/total").status == 200)
        #expect(try poll.response().isProblem("no-such-view", 404))
        let told = try stream.event()
        #expect(told?.name == "gone" && told?.data?.contains("no-such-view") == true)
        for way in Self.ways {
            let answer = try server.ask("GET", path, nil, way)
            #expect(try answer.isProblem("no-such-view", 404), "\(way): \(answer)")
        }

        _ = try server.ask("POST", "\(space)/user/logIn", #"{"name": "Ada"}"#)
        #expect(try stream.event()?.data == #"{"user.title":"Ada"}"#)
        #expect(try server.ask("PUT", "\(space)/streams/total", Self.total).status == 200)
        #expect(try stream.event()?.data == #"{"streams.total":0,"user.title":"Ada"}"#)
        #expect(try server.ask("GET", path).status == 200)
    }
}
