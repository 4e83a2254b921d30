import Documents
import JSON
import ServiceInProcess
import Testing

/// Documents with comments, and the places of their faults.
@Suite struct DocumentTextTests {
    private static let jsonc = Tracker.root.merging(Tracker.commented) { $1 }

    @Test func `a document with comments is read back with them, and as JSON without`() throws {
        let service = try Tracker.service()
        let text = try service.ask(
            "GET /v1/features/tracker", Tracker.root.merging(["Accept": "application/jsonc"]) { $1 })
        #expect(text.status == 200 && text.body == Tracker.document && text["Content-Type"] == "application/jsonc")
        let json = try service.ask("GET /v1/features/tracker", Tracker.root)
        #expect(json["Content-Type"] == "application/json" && !json.body.contains("one step"))
        #expect(try json.json["feature"] == "tracker")
        let tag = try #require(text["ETag"])
        let known = Tracker.root.merging(["Accept": "application/jsonc", "If-None-Match": tag]) { $1 }
        #expect(try service.ask("GET /v1/features/tracker", known).status == 304)
        // A change of comments alone is kept, and is no new document.
        let other = Tracker.document.replacing("one step", with: "only one")
        let changed = try service.ask("PUT /v1/features/tracker", Self.jsonc.merging(["If-Match": tag]) { $1 }, other)
        #expect(changed.status == 200, "\(changed)")
        let again = try service.ask(
            "GET /v1/features/tracker", Tracker.root.merging(["Accept": "application/jsonc"]) { $1 })
        #expect(again.body == other && again["ETag"] != tag)
        #expect(
            try service.ask("PUT /v1/features/tracker", Self.jsonc.merging(["If-Match": tag]) { $1 }, other).status
                == 412)
        // Without comments there is no text to keep.
        #expect(try service.ask("PUT /v1/features/tracker", Tracker.root, json.body).status == 200)
        let plain = try service.ask(
            "GET /v1/features/tracker", Tracker.root.merging(["Accept": "application/jsonc"]) { $1 })
        #expect(plain.body == json.body)
    }

    @Test func `JSON with comments needs its type`() throws {
        let service = try Tracker.service()
        let refused = try service.ask("PUT /v1/features/tracker", Tracker.root, Tracker.document)
        #expect(refused.status == 400)
        let wrong = try service.ask(
            "PUT /v1/features/tracker", Tracker.root.merging(["Content-Type": "text/plain"]) { $1 }, "{}")
        #expect(wrong.status == 415)
        #expect(try wrong.json["allowed"] == ["application/json", "application/jsonc"])
        let action = try service.ask("POST /v1/spaces/main/tracker/vote", Self.jsonc, #"{"id": "a"}"#)
        #expect(action.status == 415)
    }

    @Test func `a syntax error has the line, the column and the line itself`() throws {
        let service = try Tracker.service()
        let text = "{\n  // a name\n  \"feature\": \"x\"\n  \"home\": \"space\"\n}"
        for line in ["PUT /v1/features/x", "POST /v1/features:test", "PUT /v1/features"] {
            let reply = try service.ask(line, Self.jsonc, text)
            #expect(reply.status == 400, "\(reply)")
            #expect(try reply.json["line"] == 4 && reply.json["column"] == 3, "\(reply)")
            #expect(try reply.json["text"] == "  \"home\": \"space\"")
            #expect(reply.body.contains("line 4, column 3"))
        }
    }

    @Test func `the faults of a document have their lines`() throws {
        let service = try Tracker.service()
        let text = Tracker.document.replacing("row.votes + 1", with: "row.vote + 1")
        let number = text.split(separator: "\n", omittingEmptySubsequences: false).firstIndex {
            $0.contains("row.vote +")
        }
        let reply = try service.ask("PUT /v1/features/tracker", Self.jsonc, text)
        #expect(reply.status == 422)
        guard case .array(let errors)? = try reply.json["errors"], let first = errors.first else {
            Issue.record("\(reply)")
            return
        }
        #expect(first["line"] == .number(Decimal((number ?? 0) + 1)), "\(reply)")
        #expect(first["pointer"] == "/actions/vote/do/0/with")
    }

    @Test func `the schema of documents needs no token`() throws {
        let reply = try Tracker.service().ask("GET /schemas/feature.json")
        #expect(reply.status == 200)
        #expect(try reply.json["properties"]?["feature"]?["description"] != nil)
        let known = try Tracker.service().ask("GET /schemas/feature.json", ["If-None-Match": reply["ETag"] ?? ""])
        #expect(known.status == 304)
    }
}
