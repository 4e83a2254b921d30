import JSON
import SQLiteJournal
import ServiceInProcess
import StateStore
import Testing

/// Law DOC12: without `sort` the rows of a view come in the order of their first adding.
struct AddingOrderTests {
    private let stand: AddingStand

    init() throws {
        stand = try AddingStand()
        try stand.act("put", #"{"k": "b", "n": 1}"#)
        try stand.act("put", #"{"k": "a", "n": 2}"#)
        try stand.act("put", #"{"k": "c", "n": 3}"#)
    }

    @Test func `a row keeps its place until it is removed`() throws {
        #expect(try stand.view("all") == ["b1", "a2", "c3"])
        try stand.act("update", #"{"k": "a", "n": 9}"#)
        try stand.act("put", #"{"k": "b", "n": 5}"#)
        #expect(try stand.view("all") == ["b5", "a9", "c3"])
        try stand.act("remove", #"{"k": "b"}"#)
        try stand.act("put", #"{"k": "b", "n": 6}"#)
        #expect(try stand.view("all") == ["a9", "c3", "b6"])
        try stand.act("renew", #"{"k": "a"}"#)
        #expect(try stand.view("all") == ["c3", "b6", "a7"])
        try stand.act("several", #"{"keys": ["z", "b", "y", "x"]}"#)
        #expect(try stand.view("all") == ["c3", "b0", "a7", "z0", "y0", "x0"])
        try stand.restart()
        #expect(try stand.view("all") == ["c3", "b0", "a7", "z0", "y0", "x0"])
        try stand.act("put", #"{"k": "0", "n": 1}"#)
        #expect(try stand.view("all") == ["c3", "b0", "a7", "z0", "y0", "x0", "01"])
        try stand.act("clear", #"{"k": "q"}"#)
        try stand.act("put", #"{"k": "c", "n": 1}"#)
        #expect(try stand.view("all") == ["q8", "c1"])
    }

    @Test func `the other views are in the same order, and those with sort and maps in that of keys`() throws {
        try stand.act("put", #"{"k": "B", "n": 2}"#)
        try stand.act("name", #"{"k": "a"}"#)
        #expect(try stand.view("even") == ["a", "B"])
        #expect(try stand.view("first") == ["b", "a"])
        #expect(try stand.view("joined") == [["b", "-"], ["a", "a"], ["c", "-"], ["B", "-"]])
        #expect(try stand.view("sorted") == ["b", "B", "a", "c"])
        #expect(try stand.view("keys") == ["B", "a", "b", "c"])
    }

    @Test func `the past has the order that it had, and a return brings it back`() throws {
        try stand.act("remove", #"{"k": "b"}"#)
        try stand.act("put", #"{"k": "b", "n": 1}"#)
        #expect(try stand.view("all") == ["a2", "c3", "b1"])
        #expect(try stand.view("all", "?at=3") == ["b1", "a2", "c3"])
        let history = try stand.view("all/history")
        guard case .array(let rows) = history else { return }
        #expect(rows.last?["value"] == ["a2", "c3", "b1"] && rows.dropLast(2).last?["value"] == ["b1", "a2", "c3"])
        let back = try stand.service.ask("POST /v1/spaces/a/restore", [:], #"{"version": 3}"#)
        #expect(back.status == 200, "\(back.body)")
        #expect(try stand.view("all") == ["b1", "a2", "c3"])
        try stand.act("put", #"{"k": "0", "n": 4}"#)
        #expect(try stand.view("all") == ["b1", "a2", "c3", "04"])
    }

    @Test func `windows hold their place after their row moved or went`() throws {
        try stand.act("several", #"{"keys": ["z", "y", "x"]}"#)
        let first = try stand.view("all", "?limit=2")
        #expect(first["items"] == ["b1", "a2"])
        guard case .string(let next)? = first["next"] else { return }
        try stand.act("put", #"{"k": "a", "n": 5}"#)
        #expect(try stand.view("all", "?limit=2&after=\(next)")["items"] == ["c3", "z0"])
        try stand.act("remove", #"{"k": "a"}"#)
        #expect(try stand.view("all", "?limit=2&after=\(next)")["items"] == ["c3", "z0"])
        try stand.act("put", #"{"k": "a", "n": 1}"#)
        #expect(try stand.view("all", "?limit=9&after=\(next)")["items"] == ["c3", "z0", "y0", "x0", "a1"])
    }

    @Test func `a window holds its place after a large row that went`() throws {
        try stand.act("clear", #"{"k": "q"}"#)
        let large = String(repeating: "x", count: 5_000)
        for (key, text) in [("z", large), ("b", "short"), ("a", "short")] {
            try stand.act("label", #"{"k": "\#(key)", "text": "\#(text)"}"#)
        }
        let first = try stand.view("labels", "?limit=1")
        #expect(first["items"] == ["z"])
        guard case .string(let next)? = first["next"] else { return }
        try stand.act("unlabel", #"{"k": "z"}"#)
        #expect(try stand.view("labels", "?limit=1&after=\(next)")["items"] == ["b"])
        try stand.act("label", #"{"k": "z", "text": "short"}"#)
        #expect(try stand.view("labels", "?limit=5&after=\(next)")["items"] == ["b", "a", "z"])
    }

    @Test func `a feature that is given the rows shows them in the same order, also rows of common`() throws {
        let board = #"""
            {"feature": "board", "home": "common",
             "state": {"notes": {"table": {"key": {"type": "string"}, "row": {"type": "integer"}}}},
             "actions": {"put": {"input": {"type": "object", "properties": {"k": {"type": "string"}},
               "required": ["k"]}, "do": [{"put": "notes", "key": "input.k", "row": "1"}]}},
             "views": {"all": {"from": "notes", "select": "key"}}}
            """#
        let guest = #"""
            {"feature": "guest", "home": "space", "given": ["t", "board"], "state": {}, "actions": {},
             "views": {"rows": {"from": "t.rows", "select": "key"},
               "notes": {"from": "board.notes", "select": "key"}}}
            """#
        for (name, document) in [("board", board), ("guest", guest)] {
            let reply = try stand.service.ask("PUT /v1/features/\(name)", [:], document)
            #expect(reply.status == 201, "\(reply.body)")
        }
        for key in ["n", "f", "z", "a", "f"] {
            let reply = try stand.service.ask("POST /v1/spaces/common/board/put", [:], #"{"k": "\#(key)"}"#)
            #expect(reply.status == 200, "\(reply.body)")
        }
        for _ in 0..<2 {
            #expect(try stand.service.ask("GET /v1/spaces/a/guest/rows").json == ["b", "a", "c"])
            #expect(try stand.service.ask("GET /v1/spaces/a/guest/notes").json == ["n", "f", "z", "a"])
            #expect(try stand.service.ask("GET /v1/spaces/common/board/all").json == ["n", "f", "z", "a"])
            try stand.restart()
        }
    }

    @Test func `no answer shows the number of a row`() throws {
        try stand.act("clear", #"{"k": "q"}"#)
        try stand.act("update", #"{"k": "q", "n": 4}"#)
        for path in [
            "spaces/a/changes", "changes", "spaces/a/t/rows/history", "spaces/a/t/rows/why", "spaces/a/views",
            "spaces/a/views/diff?from=1&to=5", "spaces/a", "spaces?details=1", "spaces/a/t/rows", "spaces/a/views?at=2",
        ] {
            let reply = try stand.service.ask("GET /v1/\(path)")
            #expect(reply.status == 200, "\(path) \(reply.body)")
            #expect(!reply.body.contains("u0000"), "\(path) \(reply.body)")
        }
        let changes = try stand.service.ask("GET /v1/spaces/a/changes?since=0").json
        #expect(changes[0]?["changed"] == ["t.rows": ["b": ["n": 1, "pin": nil]]])
        #expect(changes[3]?["changed"] == ["t.rows": ["q": ["n": 8, "pin": nil]]])
        #expect(try stand.service.ask("DELETE /v1/features/t?state=drop").status == 204)
        let later = try stand.service.ask("GET /v1/spaces/a/changes?since=0")
        #expect(!later.body.contains("u0000"), "\(later.body)")
    }

    @Test func `rows that were stored without a number come first, in the order of keys`() throws {
        try stand.restart {
            let journal = try SQLiteJournal(directory: stand.directory, history: 500)
            let space = try #require(SpaceName("old"))
            for (version, key) in ["m", "d", "x"].enumerated() {
                _ = try journal.append([
                    CommitRecord(
                        space: space, version: version + 1, at: Timestamp(microseconds: 1), action: "t/put", input: nil,
                        facts: [Fact(variable: "t.rows", entry: key, value: Array(#"{"n":1,"pin":""}"#.utf8))],
                        common: 1)
                ])
            }
            journal.close()
        }
        #expect(try stand.view("all", in: "old") == ["d1", "m1", "x1"])
        try stand.act("put", #"{"k": "a", "n": 2}"#, in: "old")
        try stand.act("put", #"{"k": "x", "n": 3}"#, in: "old")
        #expect(try stand.view("all", in: "old") == ["d1", "m1", "x3", "a2"])
        try stand.act("renew", #"{"k": "d"}"#, in: "old")
        try stand.restart()
        #expect(try stand.view("all", in: "old") == ["m1", "x3", "a2", "d7"])
        #expect(try stand.view("all", in: "old", "?at=3") == ["d1", "m1", "x1"])
    }

    @Test func `initial rows stand in the order of the document`() throws {
        let stand = try AddingStand(#", "initial": {"r": {"n": 1}, "b": {"n": 2}, "k": {"n": 3}}"#)
        #expect(try stand.view("all") == ["r1", "b2", "k3"])
        try stand.act("put", #"{"k": "a", "n": 4}"#)
        try stand.act("update", #"{"k": "b", "n": 9}"#)
        #expect(try stand.view("all") == ["r1", "b9", "k3", "a4"])
        try stand.restart()
        #expect(try stand.view("all") == ["r1", "b9", "k3", "a4"])
        #expect(try stand.view("all", in: "other") == ["r1", "b2", "k3"])
    }

    @Test func `an erased row that is added again stands at the end`() throws {
        let erase = try stand.service.ask(
            "POST /v1/spaces/a/erase", [:], #"{"table": "t.rows", "key": "b"}"#)
        #expect(erase.status == 200, "\(erase.body)")
        #expect(try stand.view("all") == ["a2", "c3"])
        try stand.act("put", #"{"k": "b", "n": 1}"#)
        #expect(try stand.view("all") == ["a2", "c3", "b1"])
    }
}
