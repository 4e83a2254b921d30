import JSON
import Testing

@Suite struct ChangesTests {
    let server: Service

    init() throws {
        // Of its own, because a deleted space moves the tags of all spaces of a server.
        server = try Service("--memory", "--heartbeat", "1", "--request-timeout", "1", "--threads", "1")
    }

    private func add(_ space: String, _ product: Int = 1) throws {
        #expect(try server.ask("POST", "/v1/spaces/\(space)/cart/add", "{\"productId\": \(product)}").status == 200)
    }

    @Test func `changes are the commits in order, with the values that each changed`() throws {
        try server.ask("POST", "/v1/spaces/changes1/user/logIn", #"{"name": "Ada"}"#)
        try add("changes1", 2)
        try server.ask("POST", "/v1/spaces/changes1/cart/clear")
        let answer = try server.ask("GET", "/v1/spaces/changes1/changes?since=0")
        #expect(try answer["Cache-Control"] == "no-cache" && answer.tag == server.ask("GET", "/v1/spaces/changes1").tag)
        guard case .array(let changes) = try answer.json, changes.count == 3 else {
            return #expect(Bool(false), "\(answer)")
        }
        #expect(changes.map { $0["version"] } == [1, 2, 3])
        #expect(changes.map { $0["action"] } == ["user/logIn", "cart/add", "cart/clear"])
        #expect(changes[0]["input"] == ["name": "Ada"])
        #expect(changes[0]["changed"] == ["user.isLoggedIn": true, "user.name": "Ada"] && changes[0]["partial"] == nil)
        #expect(
            changes[1]["partial"] == ["cart.orders"] && changes[1]["changed"]?["cart.orders"]?["2"]?["quantity"] == 1)
        // The removal of all rows is one change of the whole table.
        #expect(changes[2]["changed"] == ["cart.orders": .object(JSON.Object())] && changes[2]["partial"] == nil)
        guard case .string(let at)? = changes[0]["at"] else { return #expect(Bool(false)) }
        #expect(at.hasSuffix("Z") && at.utf8.count == 27)
        #expect(try server.ask("GET", "/v1/spaces/changes1/changes?since=2").json[0]?["version"] == 3)
        #expect(try server.ask("GET", "/v1/spaces/changes1/changes?since=3").text == "[]")
        #expect(try server.ask("GET", "/v1/spaces/changes1/changes?since=\(answer.tag)").text == "[]")
        #expect(
            try server.ask("GET", "/v1/spaces/changes1/changes", nil, ["If-None-Match": answer["ETag"] ?? ""]).status
                == 304)
        #expect(try server.ask("GET", "/v1/spaces/changes1/changes?since=x").isProblem("invalid", 422))
    }

    @Test func `a poll for changes waits for the next commit`() throws {
        try add("changes2")
        let poll = try server.connect()
        try poll.send(Request.text("GET", "/v1/spaces/changes2/changes?since=1&wait=25"))
        #expect(!poll.hasMore(within: 20))
        try add("changes2")
        let answer = try poll.response()
        #expect(answer["Preference-Applied"] == "wait=25")
        #expect(try answer.json[0]?["version"] == 2)
        for (query, fields) in [
            ("?since=2&wait=1", [:]), ("", ["If-None-Match": "\"\(answer.tag)\"", "Prefer": "wait=1"]),
        ] {
            let unchanged = try server.ask("GET", "/v1/spaces/changes2/changes\(query)", nil, fields)
            #expect(unchanged.status == 304 && unchanged.tag.hasPrefix("2-"), "\(query)")
        }
    }

    @Test func `a stream of changes resumes at a version or a tag, and has every commit`() throws {
        for _ in 0..<3 { try add("changes3") }
        let stream = try server.stream("/v1/spaces/changes3/changes?since=1")
        let second = try #require(try stream.event())
        #expect(try JSON(parsing: Array((second.data ?? "").utf8))["version"] == 2 && second.name == nil)
        let resumed = try server.stream("/v1/spaces/changes3/changes?since=0", ["Last-Event-ID": second.id ?? ""])
        for version in 3...5 {
            if version > 3 { try add("changes3") }
            #expect(
                try JSON(parsing: Array((try #require(try resumed.event()?.data)).utf8))["version"]
                    == .number(Decimal(version)))
        }
    }

    // Law H7: changes are never conflated.
    @Test func `a slow reader of changes gets every commit`() throws {
        let stream = try server.stream("/v1/spaces/changes4/changes", receiveBytes: 4_096)
        let actor = try server.connect()
        let name = String(repeating: "y", count: 90)
        let count = 3_000
        for start in stride(from: 0, to: count, by: 500) {
            for index in start..<start + 500 {
                try actor.send(Request.text("POST", "/v1/spaces/changes4/user/save", "{\"name\": \"\(name)\(index)\"}"))
            }
            for _ in 0..<500 { #expect(try actor.response().status == 200) }
        }
        for version in 1...count {
            guard let data = try stream.event()?.data else {
                return #expect(Bool(false), "the stream ends at \(version)")
            }
            guard data.hasPrefix("{\"version\":\(version),") else { return #expect(Bool(false), "\(version): \(data)") }
        }
    }

    @Test func `changes older than the history are 410, with the oldest available version`() throws {
        let server = try Service("--memory", "--history", "10", "--threads", "1")
        for index in 0..<30 { try server.ask("POST", "/v1/spaces/a/user/save", "{\"name\": \"n\(index)\"}") }
        for fields in [["Accept": "*/*"], ["Accept": "text/event-stream"]] {
            let gone = try server.ask("GET", "/v1/spaces/a/changes?since=1", nil, fields)
            #expect(try gone.isProblem("gone", 410))
            guard case .number(let oldest)? = try gone.json["oldest"] else { return #expect(Bool(false), "\(gone)") }
            let rest = try server.ask("GET", "/v1/spaces/a/changes?since=\(oldest)")
            guard case .array(let changes) = try rest.json else { return #expect(Bool(false), "\(rest)") }
            #expect(changes.count >= 10 && changes.last?["version"] == 30)
        }
    }

    // Law H8
    @Test func `equal values have other tags after a space was deleted, also for subscribers`() throws {
        let space = "/v1/spaces/changes6"
        try add("changes6")
        let path = "\(space)/user/title"
        let stream = try server.stream(path)
        let first = try #require(try stream.event())
        let (tag, opaque) = try { ($0.tag, $0.opaque) }(server.ask("GET", path))
        #expect(first.opaque == opaque)
        #expect(try server.ask("DELETE", space).status == 204)
        #expect(try stream.event()?.name == "reset")
        let second = try #require(try stream.event())
        #expect(second.data == first.data && second.opaque != first.opaque)
        #expect(try server.ask("GET", path).opaque == second.opaque)
        #expect(try server.ask("GET", path, nil, ["If-None-Match": "\"\(tag)\""]).status == 200)
        let late = try server.ask("POST", "\(space)/user/logOut?view=user.title", "{}", ["If-Match": "\"\(tag)\""])
        #expect(late.status == 412 && late.opaque == second.opaque)
    }

    @Test func `a deleted space begins anew, and older tags are not valid`() throws {
        try add("changes5")
        let old = try server.ask("GET", "/v1/spaces/changes5").tag
        try add("changes5-other")
        let other = try server.ask("GET", "/v1/spaces/changes5-other").tag
        let stream = try server.stream("/v1/spaces/changes5/changes")
        _ = try stream.event()
        #expect(
            try server.ask("DELETE", "/v1/spaces/changes5", nil, ["If-Match": "\"\(other)x\""]).isProblem(
                "changed", 412))
        #expect(try server.ask("DELETE", "/v1/spaces/changes5", nil, ["If-Match": "\"\(old)\""]).status == 204)
        #expect(try stream.event()?.name == "reset")
        #expect(try server.ask("DELETE", "/v1/spaces/changes5").isProblem("no-such-space", 404))
        #expect(try server.ask("GET", "/v1/spaces/changes5/cart/numberOfItems").text == "0")
        try add("changes5")
        #expect(
            try server.ask("POST", "/v1/spaces/changes5/cart/clear", "{}", ["If-Match": "\"\(old)\""]).status == 412)
        let gone = try server.ask("GET", "/v1/spaces/changes5/changes?since=\(old)")
        #expect(try gone.isProblem("gone", 410) && gone.json["oldest"] == 0)
        for (fields, query) in [
            (["Last-Event-ID": old], ""), ([:], "?since=\(old)"), ([:], "?lastEventId=W/%22\(old)-gzip%22"),
        ] {
            let anew = try server.stream("/v1/spaces/changes5/changes\(query)", fields)
            let reset = try #require(try anew.event())
            #expect(reset.name == "reset" && reset.id == nil && reset.data == "{}")
            #expect(try anew.event()?.data?.hasPrefix(#"{"version":1,"#) == true)
        }
        let unknown = try server.stream("/v1/spaces/changes5/changes", ["Last-Event-ID": "v0.1"])
        #expect(try unknown.event()?.data?.hasPrefix(#"{"version":1,"#) == true)
        // Tags of other spaces stay valid.
        #expect(
            try server.ask("POST", "/v1/spaces/changes5-other/cart/clear", "{}", ["If-Match": "\"\(other)\""]).status
                == 200)
    }
}
