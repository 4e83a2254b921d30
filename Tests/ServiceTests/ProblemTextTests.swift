import JSON
import ServiceInProcess
import Testing

@testable import HeadwaterServer

/// Problems repeat at most 200 characters of what a client has sent.
@Suite struct ProblemTextTests {
    // MARK: Texts

    private static let long = String(repeating: "x", count: 5_000)
    private static let cut = String(repeating: "x", count: 200) + "…"

    @Test(arguments: [
        ("there is no view \(long) here", "there is no view \(String(repeating: "x", count: 199))… here"),
        ("the member \"\(long)\" is unknown", "the member \"\(cut)\" is unknown"),
        (
            "the member \"a \(long)\" is unknown: use \"b\"",
            "the member \"a \(cut.dropFirst(2))\" is unknown: use \"b\""
        ),
        ("\(long)", cut), ("\"\(long)", "\"\(cut.dropFirst())"), ("\"a\" \"b\(long)", "\"a\" \"b\(cut.dropFirst(2))"),
    ])
    func `composed words are cut at their quotations and words`(_ words: String, _ expected: String) {
        #expect(ProblemText(words).text == expected)
    }

    @Test func `what is inserted into words is cut, and what is composed has 1,000 characters`() {
        let text: ProblemText = "there is no view \(Self.long) in \("main"): GET /v1 lists all"
        #expect(text.text == "there is no view \(Self.cut) in main: GET /v1 lists all")
        #expect(ProblemText(String(repeating: "word ", count: 1_000)).text.count == 1_001)
        #expect(ProblemText(String(repeating: "\"", count: 1_000_000)).text.utf8.count <= 4_003)
    }

    // MARK: Requests

    /// Targets with a part `X`.
    private static let targets = [
        "GET /v1/X", "GET /v1/spaces/X", "GET /v1/spaces/main/X", "GET /v1/spaces/main/X/title",
        "GET /v1/spaces/main/user/X", "POST /v1/spaces/main/user/X", "GET /v1/spaces/main/user/X/history",
        "GET /v1/spaces/main/user/title?X=1", "GET /v1/spaces/main/user/title?since=1&X=1&X=2",
        "GET /v1/spaces/main/user/title?delta=X", "GET /v1/spaces/main/user/title?at=X",
        "GET /v1/spaces/main/user/title?definition=X", "GET /v1/spaces/main/user/title?wait=X&since=1-a",
        "GET /v1/spaces/main/views?view=X", "GET /v1/spaces/main/views?view=user.X",
        "GET /v1/spaces/main/views?view=catalog.product%3Fid=X", "GET /v1/spaces/main/views?view=catalog.product%3FX=1",
        "GET /v1/spaces/main/catalog/product?id=X", "GET /v1/spaces/main/catalog/products?limit=X",
        "GET /v1/spaces/main/catalog/products?after=X", "GET /v1/spaces/main/views?at=1&view=X",
        "GET /v1/spaces/main/views/diff?from=X&to=X", "GET /v1/spaces/main/changes?since=X",
        "GET /v1/spaces/main/changes?limit=X", "GET /v1/changes?since=X", "GET /v1/live?watch=X",
        "GET /v1/live?watch=X/user.title", "GET /v1/live?watch=main/X", "GET /v1/live?watch=main/catalog.product%3FX=1",
        "GET /v1/spaces?limit=X", "GET /v1/spaces?after=X&limit=X", "GET /v1/subjects?limit=X",
        "POST /v1/spaces/main/user/logIn?view=X", "POST /v1/spaces/main/user/logIn?X=1",
        "GET /v1/spaces/main/streams/X", "GET /v1/spaces/main/streams/X/values", "GET /v1/spaces/main/streams/X/value",
        "GET /v1/spaces/main/streams/X/history", "GET /v1/spaces/main/streams/X/why",
        "DELETE /v1/spaces/main/streams/X",
        "GET /v1/spaces/main/streams/a/values?X=1", "GET /v1/spaces/main/hooks/X", "DELETE /v1/spaces/main/hooks/X",
        "GET /v1/features/X", "GET /v1/features/X/problems", "GET /v1/features/user?X=1", "DELETE /v1/features/X",
        "GET /v1/spaces/main/user/title?events=1&presence=X", "GET /v1/spaces/main/user/title?events=1&as=X",
        "GET /v1/spaces/main/user/title?events=1&presence=a.b&with=X", "PATCHX /v1/spaces/main",
    ]

    private static func check(_ reply: Reply, _ what: String) throws {
        let problem = try reply.json
        #expect((400..<500).contains(reply.status) && problem["type"] != nil, "\(what): \(reply)")
        // The faults of a document have their lines beside them.
        #expect(reply.body.utf8.count < 60_000, "\(what): \(reply.body.utf8.count) bytes")
        var run = 0
        var longest = 0
        for byte in reply.body.utf8 {
            run = byte == UInt8(ascii: "x") ? run + 1 : 0
            longest = max(longest, run)
        }
        #expect(longest <= 200, "\(what): \(reply)")
        // Of a part with spaces too.
        if case .string(let detail)? = problem["detail"] {
            #expect(detail.ranges(of: "yz ").count <= 67, "\(what): \(detail)")
        }
    }

    // Law W9
    @Test(arguments: targets) func `no problem repeats a long part of a target`(_ line: String) throws {
        let service = try ServiceInProcess()
        for part in [Self.long, "%20" + Self.long, String(repeating: "yz%20", count: 900)] {
            let line = line.replacing("X", with: part)
            try Self.check(try service.ask(line, [:], line.hasPrefix("POST") ? "{}" : ""), line)
        }
    }

    @Test(arguments: [
        "If-Match", "If-None-Match", "Idempotency-Key", "Accept", "Content-Type", "Origin", "Host", "Content-Encoding",
        "Accept-Encoding",
    ])
    func `no problem repeats a long header field`(_ name: String) throws {
        let service = try ServiceInProcess()
        for value in [Self.long, "\"\(Self.long)", "x/\(Self.long);q=0", "identity;q=0, \(Self.long)"] {
            let reply = try service.ask("POST /v1/spaces/main/user/logIn", [name: value], #"{"name": "Ada"}"#)
            if reply.status != 200 { try Self.check(reply, "\(name): \(value)") }
        }
    }

    /// Requests with a body that has a part `X`.
    private static let bodies = [
        ("POST /v1/spaces/main/user/logIn", #"{"X": 1}"#), ("POST /v1/spaces/main/user/logIn", #"{"name": 1, "X": 1}"#),
        ("POST /v1/spaces/main/user/logIn", #"{"name": "X"}"#),
        ("POST /v1/spaces/main/user/logIn", #"{"X": 1, "X": 2}"#),
        ("POST /v1/spaces/main/user/logIn", #""X"#), ("POST /v1/spaces/main/user/logIn", "X"),
        ("POST /v1/spaces/main/cart/add", #"{"productId": "X"}"#),
        ("PUT /v1/spaces/main/streams/s", #"{"X": 1, "stream": []}"#),
        ("PUT /v1/spaces/main/streams/s", #"{"id": "X"}"#),
        ("PUT /v1/spaces/main/streams/s", #"{"source": {"ref": "X"}}"#),
        ("PUT /v1/spaces/main/streams/s", #"{"source": {"view": "X"}}"#),
        ("PUT /v1/spaces/main/streams/s", #"{"source": {"view": "user.title?X=1"}}"#),
        ("PUT /v1/spaces/main/streams/s", #"{"source": {"X": 1}}"#),
        ("PUT /v1/spaces/main/streams/s", #"{"stream": [], "operators": [{"X": {}}]}"#),
        ("PUT /v1/spaces/main/streams/s", #"{"stream": [], "operators": [{"map": {"X": 1}}]}"#),
        ("PUT /v1/spaces/main/streams/s", #"{"stream": [], "operators": [{"map": {"expression": "X"}}]}"#),
        ("PUT /v1/spaces/main/streams/s", #"{"stream": [], "operators": [{"map": {"expression": "value.X("}}]}"#),
        (
            "PUT /v1/spaces/main/streams/s",
            #"{"source": {"fold": {"over": {"changes": ["X"]}, "initialValue": 0, "expression": "1"}}}"#
        ),
        ("POST /v1/spaces/main/streams/remove", #"{"id": "X"}"#), ("POST /v1/spaces/main/streams/put", #"{"id": "X"}"#),
        ("POST /v1/spaces/main/streams:test", #"{"X": 1}"#),
        ("POST /v1/spaces/main/streams:test", #"{"definition": {"source": {"input": "X"}, "X": 1}}"#),
        ("POST /v1/spaces/main/streams:test", #"{"definition": {"stream": []}, "inputs": {"X": 7, "b": "(X"}}"#),
        ("POST /v1/spaces/main/streams:test", #"{"definition": {"stream": []}, "values": {"X": 7}}"#),
        ("POST /v1/spaces/main/restore", #"{"X": 1}"#), ("POST /v1/spaces/main/restore", #"{"version": "X"}"#),
        ("POST /v1/spaces/main/restore", #"{"at": "X"}"#), ("POST /v1/spaces/main/erase", #"{"X": 1}"#),
        ("POST /v1/spaces/main/erase", #"{"table": "X", "key": "X"}"#), ("POST /v1/tickets", #"{"X": 1}"#),
        ("POST /v1/tickets", #"{"path": "X"}"#), ("PUT /v1/features/f", #"{"X": 1}"#),
        ("PUT /v1/features/f", #"{"feature": "X"}"#), ("PUT /v1/features/f", #"{"feature": "f", "home": "X"}"#),
        ("PUT /v1/features/f", #"{"feature": "f", "home": "space", "given": ["X"]}"#),
        ("PUT /v1/features/f", #"{"feature": "f", "home": "space", "state": {"X": {"value": {"type": "string"}}}}"#),
        ("PUT /v1/features/f", #"{"feature": "f", "home": "space", "state": {"a": {"value": {"type": "X"}}}}"#),
        ("PUT /v1/features/f", #"{"feature": "f", "home": "space", "state": {"a": {"value": {"$ref": "X"}}}}"#),
        ("PUT /v1/features/f", #"{"feature": "f", "home": "space", "views": {"X": {"expression": "1 +"}}}"#),
        ("PUT /v1/features/f", #"{"feature": "f", "home": "space", "views": {"a": {"expression": "state.X"}}}"#),
        ("PUT /v1/features/f", #"{"feature": "f", "home": "space", "views": {"a": {"from": "X"}}}"#),
        (
            "PUT /v1/features/f",
            #"{"feature": "f", "home": "space", "actions": {"a": {"do": [{"set": "X", "to": "1"}]}}}"#
        ),
        ("PUT /v1/features", #"{"X": {}}"#), ("PUT /v1/features", #"{"f": {"X": 1}}"#),
        ("POST /v1/features:test", #"{"X": 1}"#), ("POST /v1/features:replay", #"{"X": 1}"#),
        ("PUT /v1/spaces/main/hooks/h", #"{"X": 1}"#), ("PUT /v1/spaces/main/hooks/h", #"{"source": {"X": 1}}"#),
        ("PUT /v1/spaces/main/hooks/h", #"{"source": {"changes": ["X"]}}"#),
        ("PUT /v1/spaces/main/hooks/h", #"{"source": {"view": "X"}}"#),
        ("PUT /v1/spaces/main/hooks/h", #"{"source": {"changes": ["*"]}, "url": "X"}"#),
    ]

    // Law W9
    @Test(arguments: bodies) func `no problem repeats a long part of a body`(_ line: String, _ body: String) throws {
        let service = try ServiceInProcess()
        let large = String(repeating: "x", count: 100_000)
        for part in [
            Self.long, large, "x \(large)", "\\\"\(large)", "é\(large)", "x\\n\(large)",
            String(repeating: "yz ", count: 30_000),
        ] {
            try Self.check(
                try service.ask(line, [:], body.replacing("X", with: part)), "\(line) \(body) \(part.prefix(4))")
        }
    }

    // Law W9
    @Test func `a problem lists at most 100 faults and 100 allowed values, and says how many are allowed`() throws {
        let service = try ServiceInProcess()
        let members = (0..<3_000).map { #""m\#($0)": 1"# }.joined(separator: ",")
        for (line, body) in [
            ("PUT /v1/spaces/main/streams/s", "{\(members)}"), ("PUT /v1/features/f", "{\(members)}"),
            ("POST /v1/spaces/main/streams:test", #"{"definition": {\#(members)}}"#),
        ] { try Self.check(try service.ask(line, [:], body), line) }
        let views = (0..<150).map { #""v\#($0)": {"expression": "1"}"# }.joined(separator: ",")
        let put = try service.ask(
            "PUT /v1/features/f", [:], #"{"feature": "f", "home": "space", "views": {\#(views)}}"#)
        #expect(put.status == 201, "\(put)")
        let problem = try service.ask("GET /v1/spaces/main/views?view=nothing.here").json
        guard case .array(let allowed)? = problem["allowed"], case .number(let count)? = problem["allowedCount"] else {
            throw ServiceInProcess.NoAnswer()
        }
        #expect(allowed.count == 100 && count.int64.map { $0 > 150 } == true, "\(problem)")
    }
}
