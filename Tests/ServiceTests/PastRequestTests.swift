import JSON
import ServiceInProcess
import Testing

/// The answers to requests for the past: their forms, fields and refusals.
@Suite struct PastRequestTests {
    private static let secret = "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b"

    /// A service whose space `a` has three commits: a total of 9.5, of 19, and a name.
    private func service(history: Int = 100) throws -> ServiceInProcess {
        let service = try ServiceInProcess(history: history)
        for (path, body) in [
            ("cart/add", #"{"productId": 1}"#), ("cart/add", #"{"productId": 1}"#), ("user/logIn", #"{"name": "Ann"}"#),
        ] {
            service.advance(seconds: 1)
            #expect(try service.ask("POST /v1/spaces/a/\(path)", [:], body).status == 200)
        }
        return service
    }

    private func tag(_ reply: Reply) throws -> String { try #require(reply["ETag"]).replacing("\"", with: "") }

    // Law PAST1
    @Test func `an answer names its version, its time and its place`() throws {
        let service = try service()
        let reply = try service.ask("GET /v1/spaces/a/cart/totalPrice?_x=1&at=1&access_token=t")
        let tag = try tag(reply)
        #expect(reply.status == 200 && reply.body == "9.5" && tag.hasPrefix("1.0-"))
        #expect(reply["Cache-Control"] == "no-cache")
        #expect(reply["Memento-Datetime"] == "Tue, 14 Nov 2023 22:30:01 GMT")
        #expect(reply["Content-Location"] == "/v1/spaces/a/cart/totalPrice?_x=1&at=\(tag)")
        let whole = try service.ask("GET /v1/spaces/a/cart/totalPrice?at=\(tag)")
        #expect(whole.body == "9.5" && whole["Cache-Control"] == "private, max-age=31536000, immutable")
        // The second answer comes from memory.
        let again = try service.ask("GET /v1/spaces/a/cart/totalPrice?at=\(tag)")
        #expect(again.body == whole.body && again.fields.keys == whole.fields.keys)
        #expect(again["Memento-Datetime"] == whole["Memento-Datetime"] && again["ETag"] == whole["ETag"])
        let head = try service.ask("HEAD /v1/spaces/a/cart/totalPrice?at=1")
        #expect(head.status == 200 && head.body.isEmpty && head["ETag"] == reply["ETag"])
        #expect(head["Content-Length"] == "3")
        let known = try service.ask("GET /v1/spaces/a/cart/totalPrice?at=1", ["If-None-Match": "W/\"\(tag)-gzip\""])
        #expect(known.status == 304 && known["ETag"] == "W/\"\(tag)-gzip\"" && known["Content-Location"] != nil)
        let now = try service.ask("GET /v1/spaces/a/cart/totalPrice")
        let present = try service.ask("GET /v1/spaces/a/cart/totalPrice?at=3")
        #expect(present.body == now.body && present["ETag"] == now["ETag"])
        let beginning = try service.ask("GET /v1/spaces/a/cart/totalPrice?at=0")
        #expect(beginning.body == "0" && beginning["Memento-Datetime"] == "Thu, 01 Jan 1970 00:00:00 GMT")
        let unused = try service.ask("GET /v1/spaces/z/cart/totalPrice?at=0")
        #expect(try unused["ETag"] == service.ask("GET /v1/spaces/z/cart/totalPrice")["ETag"])
    }

    // Law PAST1
    @Test func `the point is a version, a moment, a time or a tag`() throws {
        let service = try service()
        let first = try service.ask("GET /v1/spaces/a/changes?since=0").json
        guard case .array(let rows) = first, case .string(let time)? = rows.first?["at"] else {
            return #expect(Bool(false), "\(first)")
        }
        let answer = try tag(try service.ask("GET /v1/spaces/a?at=1"))
        for point in [
            "1", "1.0", time, time.replacing("Z", with: "%2B00:00"), time.replacing("Z", with: "+00:00"), answer,
        ] {
            let reply = try service.ask("GET /v1/spaces/a/cart/totalPrice?at=\(point)")
            #expect(reply.body == "9.5", "\(point) \(reply)")
        }
        #expect(try service.ask("GET /v1/spaces/a/cart/totalPrice?at=2030-01-01T00:00:00Z").body == "19")
        let space = try service.ask("GET /v1/spaces/a?at=1")
        #expect(try space.json["version"] == 1 && space["Content-Location"] == "/v1/spaces/a?at=\(answer)")
        #expect(try service.ask("GET /v1/spaces/a?at=\(answer)")["Cache-Control"]?.contains("immutable") == true)
        #expect(try service.ask("GET /v1/spaces/a?at=1", ["If-None-Match": "\"\(answer)\""]).status == 304)
        #expect(try service.ask("GET /v1/spaces/a?at=3").body == service.ask("GET /v1/spaces/a").body)
    }

    @Test(arguments: [
        ("cart/totalPrice?at=4", 404), ("cart/totalPrice?at=1.1", 404), ("views?at=999999999999999999", 404),
        ("views/diff?from=0&to=9", 404), ("cart/totalPrice/history?since=9", 404), ("?at=4", 404),
        ("cart/totalPrice?at=", 422), ("cart/totalPrice?at=-1", 422), ("cart/totalPrice?at=01", 422),
        ("cart/totalPrice?at=1.", 422), ("cart/totalPrice?at=x", 422), ("cart/totalPrice?at=2023-02-30T00:00:00Z", 422),
        ("cart/totalPrice?at=9999999999999999999", 422), ("cart/totalPrice?at=1&at=1", 422), ("changes?at=1", 422),
        ("cart/totalPrice?at=1&events=1", 422), ("cart/totalPrice?at=1&wait=1", 422), ("views?at=1&since=a", 422),
        ("views/diff?from=0", 422), ("views/diff?to=0", 422), ("views/diff?from=0&to=x", 422),
        ("cart/totalPrice/history?limit=0", 422), ("cart/totalPrice/history?limit=1001", 422),
        ("cart/totalPrice/history?limit=x", 422), ("cart/totalPrice/history?since=x", 422),
        ("cart/totalPrice/history?at=1", 422), ("cart/totalPrice/history?after=1", 422),
        ("cart/nothing?at=1", 404), ("views?view=no.such&at=1", 404), ("streams/x/value?at=1", 404),
        ("streams/x/history", 200), ("cart/nothing/history", 404), ("views/diff?from=0&to=1&view=no.such", 404),
        ("cart/totalPrice?at=1-1x_0", 410), ("cart/totalPrice/history?since=1-1x_0", 410), ("?at=1-1x_0", 410),
        ("cart/totalPrice?at=1.0-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", 410),
        ("views/diff?from=1.0-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA&to=1", 410),
    ]) func `a point that cannot be read is refused`(_ path: String, _ status: Int) throws {
        let line = path.hasPrefix("?") ? "GET /v1/spaces/a\(path)" : "GET /v1/spaces/a/\(path)"
        let reply = try service().ask(line)
        #expect(reply.status == status, "\(reply)")
    }

    @Test func `deleting does not take a point`() throws {
        let service = try service()
        #expect(try service.ask("DELETE /v1/spaces/a?at=1").status == 422)
        #expect(try service.ask("GET /v1/spaces/a").json["version"] == 3)
    }

    // Law PAST3
    @Test func `a tag of another life, of another view or of other values is gone`() throws {
        let service = try service()
        let total = try tag(try service.ask("GET /v1/spaces/a/cart/totalPrice"))
        let space = try tag(try service.ask("GET /v1/spaces/a"))
        #expect(try service.ask("GET /v1/spaces/a/user/title?at=\(total)").status == 410)
        #expect(
            try service.ask("GET /v1/spaces/a/views?view=cart.totalPrice&at=\(total)").body
                == #"{"cart.totalPrice":19}"#)
        let moved = total.replacing("3.0-", with: "1.0-")
        #expect(try service.ask("GET /v1/spaces/a/cart/totalPrice?at=\(moved)").status == 410)
        #expect(try service.ask("DELETE /v1/spaces/a").status == 204)
        for _ in 0..<3 { _ = try service.ask("POST /v1/spaces/a/cart/add", [:], #"{"productId": 1}"#) }
        for point in [total, space] {
            let reply = try service.ask("GET /v1/spaces/a/cart/totalPrice?at=\(point)")
            #expect(try reply.status == 410 && reply.json["oldest"] == 0, "\(reply)")
        }
        #expect(try service.ask("POST /v1/spaces/a/restore", [:], #"{"at": "\#(space)"}"#).status == 410)
    }

    @Test func `a state that is trimmed is gone, with the oldest version`() throws {
        let service = try service(history: 2)
        for line in [
            "cart/totalPrice?at=0", "views?at=0.0", "views/diff?from=0&to=3", "cart/totalPrice/history?since=0",
        ] {
            let reply = try service.ask("GET /v1/spaces/a/\(line)")
            #expect(try reply.status == 410 && reply.json["oldest"] == 1, "\(line) \(reply)")
        }
        #expect(try service.ask("GET /v1/spaces/a/cart/totalPrice?at=1").body == "9.5")
        let rows = try service.ask("GET /v1/spaces/a/cart/totalPrice/history").json
        #expect(rows[0]?["version"] == 2 && rows[1] == nil)
        #expect(try service.ask("POST /v1/spaces/a/restore", [:], #"{"version": 0}"#).status == 410)
    }

    // Law PAST2
    @Test func `a history waits for its next row`() throws {
        let service = try service()
        let connection = try service.connect()
        connection.send("GET /v1/spaces/a/cart/totalPrice/history?since=2&wait=30")
        service.settle()
        connection.receive()
        #expect(connection.takeHead() == nil)
        _ = try service.ask("POST /v1/spaces/a/user/logOut", [:], "{}")
        service.settle()
        connection.receive()
        #expect(connection.takeHead() == nil, "the total has not changed")
        _ = try service.ask("POST /v1/spaces/a/cart/add", [:], #"{"productId": 2}"#)
        service.settle()
        connection.receive()
        let head = try #require(connection.takeHead())
        #expect(head.contains("200 OK") && head.contains("Preference-Applied: wait=30"), "\(head)")
        let row = try JSON(parsing: Array(connection.takeAll().utf8))[0]
        #expect(row?["version"] == 5 && row?["action"] == "cart/add" && row?["value"] == 31)
        let known = try service.ask("GET /v1/spaces/a/cart/totalPrice/history")
        let etag = try #require(known["ETag"])
        #expect(try service.ask("GET /v1/spaces/a/cart/totalPrice/history", ["If-None-Match": etag]).status == 304)
    }

    // Law PAST2
    @Test func `a stream of a history has each row, also those of common`() throws {
        let service = try service()
        let connection = try service.connect()
        connection.send("GET /v1/spaces/a/cart/totalPrice/history?events=1")
        func blocks() -> [StreamBlock] {
            service.advance(seconds: 1)
            connection.receive()
            var blocks: [StreamBlock] = []
            while let text = connection.takeBlock() {
                let block = StreamBlock(text)
                if block.data != nil { blocks.append(block) }
            }
            return blocks
        }
        service.settle()
        connection.receive()
        #expect(connection.takeHead()?.contains("text/event-stream") == true)
        var told = blocks()
        #expect(told.map(\.versions) == ["1.0", "2.0"])
        let last = try #require(told.last?.id)
        #expect(try last == tag(try service.ask("GET /v1/spaces/a/cart/totalPrice?at=2")))
        let put = #"{"id": 1, "name": "Cup", "price": 10}"#
        _ = try service.ask("POST /v1/spaces/common/catalog/put", [:], put)
        _ = try service.ask("POST /v1/spaces/a/cart/add", [:], #"{"productId": 1}"#)
        _ = try service.ask("POST /v1/spaces/a/cart/clear", [:], "{}")
        told = blocks()
        #expect(told.map(\.versions) == ["3.1", "4.1", "5.1"])
        let resumed = try service.connect()
        resumed.send(
            "GET /v1/spaces/a/cart/totalPrice/history", ["Accept": "text/event-stream", "Last-Event-ID": last])
        service.settle()
        resumed.receive()
        #expect(resumed.takeAll().split(separator: "\nid: ").count == 4)
        // Another life begins with a reset.
        _ = try service.ask("DELETE /v1/spaces/a")
        _ = try service.ask("POST /v1/spaces/a/cart/add", [:], #"{"productId": 1}"#)
        told = blocks()
        #expect(told.first == .reset && told.last?.versions == "1.1", "\(told)")
    }

    // Laws PAST1, PAST2
    @Test func `a commit by time has a version, a row and a past`() throws {
        let service = try service()
        let definition =
            #"{"source": {"view": "cart.totalPrice"}, "operators": [{"debounce": {"seconds": 5}}]}"#
        #expect(try service.ask("PUT /v1/spaces/a/streams/calm", [:], definition).status == 200)
        _ = try service.ask("POST /v1/spaces/a/cart/clear", [:], "{}")
        service.advance(seconds: 10)
        #expect(try service.ask("GET /v1/spaces/a/streams/calm/value").body == "0")
        guard case .array(let rows) = try service.ask("GET /v1/spaces/a/streams/calm/history").json,
            let last = rows.last, case .number(let version)? = last["version"]
        else { return #expect(Bool(false), "no history") }
        #expect(last["action"] == "streams/elapsed" && last["value"] == 0, "\(rows)")
        #expect(try service.ask("GET /v1/spaces/a/streams/calm/value?at=\(version)").body == "0")
        #expect(try service.ask("GET /v1/spaces/a/streams/calm/value?at=4").body == "null")
        // The definition and its memory come back with the version.
        #expect(try service.ask("DELETE /v1/spaces/a/streams/calm").status == 200)
        let back = try service.ask("POST /v1/spaces/a/restore?view=streams.calm", [:], #"{"version": \#(version)}"#)
        #expect(try back.json["views"] == ["streams.calm": 0], "\(back)")
    }

    // Law PAST5
    @Test func `a return is one commit, and leaves the present state alone`() throws {
        let service = try service()
        let stream = try service.connect()
        stream.send("GET /v1/spaces/a/views?view=cart.totalPrice&view=user.title&events=1")
        service.settle()
        let reply = try service.ask(
            "POST /v1/spaces/a/restore?view=cart.totalPrice&view=user.name", ["Idempotency-Key": "k"],
            #"{"version": 1}"#)
        #expect(
            reply.body
                == #"{"space":"a","version":4,"changed":["user.isLoggedIn","user.name","cart.orders"],"views":{"cart.totalPrice":9.5,"user.name":null}}"#
        )
        service.settle()
        stream.receive()
        let frames = stream.takeAll().split(separator: "\nid: ").dropFirst()
        #expect(
            frames.count == 2 && frames.last?.contains(#"{"cart.totalPrice":9.5,"user.title":"Logged out"}"#) == true)
        let again = try service.ask(
            "POST /v1/spaces/a/restore?view=cart.totalPrice&view=user.name", ["Idempotency-Key": "k"],
            #"{"version": 1}"#)
        #expect(again["Idempotency-Replayed"] == "true" && again.body == reply.body)
        let other = try service.ask("POST /v1/spaces/a/restore", ["Idempotency-Key": "k"], #"{"version": 2}"#)
        #expect(other.status == 422)
        let same = try service.ask("POST /v1/spaces/a/restore", [:], #"{"version": 1}"#)
        #expect(try same.json["version"] == 4 && same.json["changed"] == [])
        let rows = try service.ask("GET /v1/spaces/a/changes?since=3").json
        #expect(rows[0]?["action"] == "space/restore" && rows[0]?["input"] == ["version": 1] && rows[1] == nil)
        #expect(try service.ask("GET /v1/spaces/a/cart/totalPrice?at=3").body == "19")
    }

    @Test func `a return needs the right, the condition and a good body`() throws {
        let service = try service()
        let old = try tag(try service.ask("GET /v1/spaces/a?at=2"))
        let now = try tag(try service.ask("GET /v1/spaces/a"))
        let path = "POST /v1/spaces/a/restore"
        #expect(try service.ask(path, ["If-Match": "\"\(old)\""], #"{"version": 1}"#).status == 412)
        for body in [
            "", "{}", "[]", "1", #"{"version": "1"}"#, #"{"version": -1}"#, #"{"version": 1.5}"#, #"{"at": null}"#,
            #"{"at": ""}"#, #"{"version": 1, "at": "1"}"#, #"{"versions": 1}"#, #"{"version": 1e30}"#,
        ] {
            let status = try service.ask(path, [:], body).status
            #expect(status == 422, "\(body)")
        }
        #expect(try service.ask(path, [:], "{").status == 400)
        #expect(try service.ask(path, [:], #"{"version": 4}"#).status == 404)
        #expect(try service.ask(path + "?view=no.such", [:], #"{"version": 1}"#).status == 404)
        #expect(try service.ask(path, ["If-Match": "\"\(now)\""], #"{"at": "2023-11-14T22:30:01Z"}"#).status == 200)
        let common = "POST /v1/spaces/common/restore"
        #expect(try service.ask(common, [:], #"{"version": 0}"#).status == 409)
        #expect(try service.ask(common + "?common=no", [:], #"{"version": 0}"#).status == 409)
        _ = try service.ask("POST /v1/spaces/common/catalog/remove", [:], #"{"id": 1}"#)
        #expect(try service.ask("GET /v1/spaces/a/cart/totalPrice").body == "0")
        #expect(try service.ask(common + "?common=yes", [:], #"{"version": 0}"#).json["version"] == 2)
        #expect(try service.ask("GET /v1/spaces/a/cart/totalPrice").body == "9.5")
        let closed = try ServiceInProcess(tokenFile: "\(Self.secret) act *\n")
        let refused = try closed.ask(path, ["Authorization": "Bearer secret"], #"{"version": 0}"#)
        #expect(refused.status == 403)
    }
}
