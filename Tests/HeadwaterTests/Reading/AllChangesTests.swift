import Glibc
import JSON
import Testing

/// The commits of all spaces on one path.
@Suite struct AllChangesTests {
    let scratch: Scratch

    init() throws {
        scratch = try Scratch()
    }

    private func save(_ server: Service, _ space: String, _ name: String, _ fields: [String: String] = [:]) throws {
        let answer = try server.ask("POST", "/v1/spaces/\(space)/user/save", "{\"name\": \"\(name)\"}", fields)
        guard answer.status == 200 else { throw Trouble("refused: \(answer)") }
    }

    /// One line per row: `space version` or `space forgotten`.
    private func lines(_ rows: JSON) throws -> [String] {
        guard case .array(let rows) = rows else { throw Trouble("no rows: \(rows)") }
        return rows.map { row in
            let end = row["forgotten"] == .bool(true) ? "forgotten" : "\(row["version"]?.integer ?? -1)"
            return "\(row["space"]?.string ?? "") \(end)"
        }
    }

    private func event(_ stream: Client) throws -> (id: String, line: String) {
        guard let event = try stream.event(), let data = event.data, let id = event.id, event.name == nil else {
            throw Trouble("the stream has ended")
        }
        return (id, try lines(.array([JSON(parsing: Array(data.utf8))]))[0])
    }

    @Test func `rows are the commits of all spaces in order of keeping, each with its cursor`() throws {
        let server = try Service("--memory", "--threads", "2")
        #expect(try server.ask("GET", "/v1/changes").text == "[]")
        try save(server, "a", "x")
        try save(server, "b", "x")
        try save(server, "a", "y")
        let all = try server.ask("GET", "/v1/changes")
        #expect(try lines(all.json) == ["a 1", "b 1", "a 2"])
        #expect(all["Cache-Control"] == "no-cache")
        let rows = try #require(try all.json.array)
        #expect(all.tag == rows.last?["cursor"]?.string)
        #expect(
            try server.ask("GET", "/v1/spaces/a/changes?since=0").json[0]?["changed"] == rows[0]["changed"]
                && rows[0]["by"] == ["sub": ""] && rows[0]["common"] == 0 && rows[0]["input"] == ["name": "x"])
        for (index, row) in rows.enumerated() {
            let rest = try server.ask("GET", "/v1/changes?since=\(row["cursor"]?.string ?? "")")
            #expect(try lines(rest.json) == ["a 1", "b 1", "a 2"].suffix(2 - index))
            #expect(rest.tag == all.tag)
        }
        #expect(try lines(server.ask("GET", "/v1/changes?since=").json).count == 3)
        let known = ["If-None-Match": "\"\(all.tag)\""]
        #expect(try server.ask("GET", "/v1/changes", nil, known).status == 304)
        #expect(try server.ask("HEAD", "/v1/changes")["ETag"] == all["ETag"])
        #expect(try server.ask("GET", "/v1/changes?limit=1").isProblem("invalid", 422))
        #expect(try server.ask("POST", "/v1/changes", "{}")["Allow"] == "GET, HEAD, OPTIONS")
    }

    @Test func `a poll waits for the next row of any space`() throws {
        let server = try Service("--memory", "--threads", "2")
        try save(server, "a", "x")
        let cursor = try server.ask("GET", "/v1/changes").tag
        #expect(try server.ask("GET", "/v1/changes?since=\(cursor)&wait=1").status == 304)
        for (query, fields, expected) in [
            ("?since=\(cursor)&wait=25", [:], ["b0 1"]),
            ("", ["If-None-Match": "\"\(cursor)\"", "Prefer": "wait=25"], ["a 1", "b0 1", "b1 1"]),
        ] {
            let tag = try server.ask("GET", "/v1/changes").tag
            let poll = try server.connect()
            let target = "/v1/changes\(query)".replacing(cursor, with: tag)
            try poll.send(Request.text("GET", target, nil, fields.mapValues { $0.replacing(cursor, with: tag) }))
            #expect(!poll.hasMore(within: 20))
            try save(server, "b\(expected.count / 2)", "x")
            let answer = try poll.response()
            #expect(answer["Preference-Applied"] == "wait=25")
            #expect(try lines(answer.json) == expected)
        }
    }

    // Law W8
    @Test func `a stream resumes at its id after a restart, and has every commit and deletion once`() throws {
        var server = try Service("--data", scratch.data, "--threads", "2")
        try save(server, "a", "x")
        var stream = try server.stream("/v1/changes")
        #expect(try event(stream).line == "a 1")
        try save(server, "b", "x")
        let second = try event(stream)
        #expect(second.line == "b 1")
        try save(server, "a", "y")
        #expect(try server.ask("DELETE", "/v1/spaces/b").status == 204)
        #expect(try event(stream).line == "a 2")
        #expect(try event(stream).line == "b forgotten")
        server.program.kill(SIGKILL)
        _ = server.program.wait()
        server = try Service("--data", scratch.data, "--threads", "2")
        stream = try server.stream("/v1/changes", ["Last-Event-ID": second.id])
        #expect(try event(stream).line == "a 2")
        #expect(try event(stream).line == "b forgotten")
        try save(server, "b", "again")
        let last = try event(stream)
        #expect(last.line == "b 1")
        let late = try server.stream("/v1/changes?lastEventId=\(last.id)")
        try save(server, "c", "x")
        #expect(try event(late).line == "c 1")
        #expect(try event(stream).line == "c 1")
        #expect(try lines(server.ask("GET", "/v1/changes").json) == ["a 1", "a 2", "b forgotten", "b 1", "c 1"])
    }

    // Law H7: changes are never conflated.
    @Test func `a slow reader of all spaces gets every commit in order`() throws {
        let server = try Service("--memory", "--threads", "2")
        let stream = try server.stream("/v1/changes", receiveBytes: 4_096)
        let actor = try server.connect()
        let name = String(repeating: "y", count: 90)
        let count = 1_500
        for start in stride(from: 0, to: count, by: 500) {
            for index in start..<start + 500 {
                try actor.send(
                    Request.text("POST", "/v1/spaces/s\(index % 7)/user/save", "{\"name\": \"\(name)\(index)\"}"))
            }
            for _ in 0..<500 { #expect(try actor.response().status == 200) }
        }
        var versions: [String: Int] = [:]
        for _ in 0..<count {
            let words = try event(stream).line.split(separator: " ")
            let (space, version) = (String(words[0]), Int(words[1]) ?? 0)
            guard version == versions[space, default: 0] + 1 else { throw Trouble("\(space) \(version)") }
            versions[space] = version
        }
        #expect(versions.values.reduce(0, +) == count)
    }

    @Test(arguments: [false, true])
    func `a cursor older than the history is 410 with the oldest, which begins anew`(_ isInMemory: Bool) throws {
        let server =
            try isInMemory
            ? Service("--memory", "--history", "5", "--threads", "1")
            : Service("--data", scratch.data, "--history", "5", "--threads", "1")
        try save(server, "quiet", "x")
        try save(server, "busy", "x")
        let first = try #require(try server.ask("GET", "/v1/changes").json[0]?["cursor"]?.string)
        for index in 0..<20 { try save(server, "busy", "n\(index)") }
        for fields in [["Accept": "*/*"], ["Accept": "text/event-stream"]] {
            let gone = try server.ask("GET", "/v1/changes?since=\(first)", nil, fields)
            #expect(try gone.isProblem("gone", 410))
            let oldest = try #require(try gone.json["oldest"]?.string)
            let rest = try server.ask("GET", "/v1/changes?since=\(oldest)")
            let kept = ["quiet 1"] + (17...21).map { "busy \($0)" }
            #expect(try lines(rest.json) == kept)
            // Commits that were dropped before a reader began are no gap for it.
            let next = try #require(try rest.json[0]?["cursor"]?.string)
            #expect(try lines(server.ask("GET", "/v1/changes?since=\(next)").json) == Array(kept.dropFirst()))
        }
        for strange in ["x", "0", "1-2_3", "0_0_0", "zzzzzzzzzzzzzzzz_1_1"] {
            let gone = try server.ask("GET", "/v1/changes?since=\(strange)")
            #expect(try gone.isProblem("gone", 410) && gone.json["oldest"]?.string != nil, "\(strange)")
        }
    }

    @Test func `a cursor of another life is 410`() throws {
        let server = try Service("--data", scratch.data, "--durability", "interval", "--threads", "1")
        try save(server, "a", "x")
        let cursor = try server.ask("GET", "/v1/changes").tag
        server.program.kill(SIGKILL)
        _ = server.program.wait()
        let again = try Service("--data", scratch.data, "--threads", "1")
        #expect(try again.ask("GET", "/v1/changes?since=\(cursor)").isProblem("gone", 410))
        let events = ["Accept": "text/event-stream", "Last-Event-ID": cursor]
        #expect(try again.ask("GET", "/v1/changes", nil, events).isProblem("gone", 410))
    }

    @Test func `it needs the right admin, and shows the spaces that the token covers`() throws {
        // The digests of "some" and "reader".
        let file = try scratch.file(
            "tokens",
            """
            a6b46dd0d1ae5e86cbc8f37e75ceeb6760230c1ca4ffbcb0c97b96dd7d9c464b admin alice-*
            3d0941964aa3ebdcb00ccef58b1bb399f9f898465e9886d5aec7f31090a0fb30 act *

            """)
        let server = try Service("--memory", "--tokens", file, environment: ["HEADWATER_TOKEN": "all"])
        func bearer(_ token: String) -> [String: String] { ["Authorization": "Bearer \(token)"] }
        for (index, space) in ["alice-1", "bob", "alice-2", "bob"].enumerated() {
            try save(server, space, "n\(index)", bearer("all"))
        }
        #expect(try lines(server.ask("GET", "/v1/changes", nil, bearer("all")).json).count == 4)
        let some = try server.ask("GET", "/v1/changes", nil, bearer("some"))
        #expect(try lines(some.json) == ["alice-1 1", "alice-2 1"])
        #expect(try server.ask("GET", "/v1/changes", nil, bearer("reader")).isProblem("forbidden", 403))
        #expect(try server.ask("GET", "/v1/changes").status == 401)
        let poll = try server.connect()
        try poll.send(Request.text("GET", "/v1/changes?since=\(some.tag)&wait=25", nil, bearer("some")))
        #expect(!poll.hasMore(within: 20))
        try save(server, "bob", "x", bearer("all"))
        #expect(!poll.hasMore(within: 20))
        try save(server, "alice-1", "x", bearer("all"))
        #expect(try lines(poll.response().json) == ["alice-1 2"])
    }
}
