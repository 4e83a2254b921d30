import Documents
import JSON
import ServiceInProcess
import Testing

/// Edits of rows by administrators, and the undoing of commits.
@Suite struct EditTests {
    private static let path = "POST /v1/spaces/main/administration/edit"

    private func edit(
        _ service: ServiceInProcess, _ body: String, _ query: String = "", _ fields: [String: String] = Tracker.root
    ) throws -> Reply {
        try service.ask(Self.path + query, fields, body)
    }

    private func titles(_ service: ServiceInProcess) throws -> String {
        try service.ask("GET /v1/spaces/main/tracker/titles", Tracker.root).body
    }

    // Law EDIT1
    @Test func `an edit is one commit with its reason, and private members that it does not name stay`() throws {
        let service = try Tracker.service()
        let body = #"""
            {"reason": "a typing error", "edits": [
              {"table": "tracker.tasks", "key": "a", "with": {"title": "First"}},
              {"table": "tracker.tasks", "key": "b", "row": {"title": "Second"}},
              {"table": "tracker.tasks", "key": "c", "row": {"title": "Third", "votes": 7}}
            ]}
            """#
        let reply = try edit(service, body, "?view=tracker.titles")
        #expect(reply.status == 200, "\(reply)")
        #expect(try reply.json["version"] == 3 && reply.json["changed"] == ["tracker.tasks"])
        #expect(try reply.json["views"]?["tracker.titles"] == ["First", "Second", "Third"])
        #expect(try service.ask("GET /v1/spaces/main/tracker/votes", Tracker.root).body == "7")
        let changes = try service.ask("GET /v1/spaces/main/changes?since=2", Tracker.root)
        #expect(changes.body.contains(#""action":"administration/edit""#) && changes.body.contains("a typing error"))
        #expect(changes.body.contains(#""by":{"sub":"root"}"#) && !changes.body.contains("SECRET"), "\(changes.body)")
        // An edit that names a private member does not tell if it is the same.
        for note in ["SECRET", "OTHER"] {
            let guess = try edit(
                service,
                #"{"reason": "x", "edits": [{"table": "tracker.tasks", "key": "a", "with": {"note": "\#(note)"}}]}"#,
                "?rehearse=1")
            #expect(try guess.json["changed"] == ["tracker.tasks"] && guess.json["version"] == 4)
        }
        let removed = try edit(
            service, #"{"reason": "gone", "edits": [{"table": "tracker.tasks", "key": "b", "remove": true}]}"#)
        #expect(removed.status == 200)
        let shown1 = try titles(service)
        #expect(shown1 == #"["First","Third"]"#)
    }

    // Law EDIT1
    @Test(arguments: [
        (#"{"edits": []}"#, 422, "/reason"), (#"{"reason": " ", "edits": []}"#, 422, "/reason"),
        (#"{"reason": "x"}"#, 422, ""), (#"{"reason": "x", "edits": [], "undo": 1}"#, 422, ""),
        (#"{"reason": "x", "edits": []}"#, 422, "/edits"), (#"{"reason": "x", "undo": 0}"#, 422, "/undo"),
        (#"{"reason": "x", "edits": [{"table": "tracker.tasks", "key": "a"}]}"#, 422, "/edits/0"),
        (#"{"reason": "x", "edits": [{"table": "no.table", "key": "a", "remove": true}]}"#, 422, "/edits/0/table"),
        (#"{"reason": "x", "edits": [{"table": "tracker.label", "key": "a", "remove": true}]}"#, 422, "/edits/0/table"),
        (#"{"reason": "x", "edits": [{"table": "tracker.tasks", "key": "z", "remove": true}]}"#, 409, "/edits/0/key"),
        (#"{"reason": "x", "edits": [{"table": "tracker.tasks", "key": "z", "with": {}}]}"#, 409, "/edits/0/key"),
        (
            #"{"reason": "x", "edits": [{"table": "tracker.tasks", "key": "a", "with": {"none": 1}}]}"#, 422,
            "/edits/0/with"
        ),
        (
            #"{"reason": "x", "edits": [{"table": "tracker.tasks", "key": "a", "with": {"votes": "1"}}]}"#, 422,
            "/edits/0/with"
        ),
        (
            #"{"reason": "x", "edits": [{"table": "tracker.tasks", "key": "a", "row": {"votes": 1}}]}"#, 422,
            "/edits/0/row"
        ),
        (#"{"reason": "x", "edits": [{"table": "tracker.tasks", "key": "a", "row": null}]}"#, 422, "/edits/0/row"),
        (
            #"{"reason": "x", "edits": [{"table": "tracker.tasks", "key": "muchtoolong", "row": {"title": "x"}}]}"#,
            422, "/edits/0/key"
        ),
        (
            #"{"reason": "x", "edits": [{"table": "tracker.tasks", "key": "a", "remove": true}, {"table": "tracker.tasks", "key": "a", "remove": true}]}"#,
            422, "/edits/1/key"
        ),
    ])
    func `a faulty edit changes nothing and names the place`(_ body: String, _ status: Int, _ pointer: String) throws {
        let service = try Tracker.service()
        let reply = try edit(service, body)
        #expect(reply.status == status, "\(reply)")
        #expect(try reply.json["pointer"] == .string(pointer), "\(reply)")
        let shown2 = try titles(service)
        #expect(shown2 == #"["Task a","Task b"]"#)
        #expect(try service.ask("GET /v1/spaces/main", Tracker.root).json["version"] == 2)
    }

    @Test func `an edit needs the right admin, and heeds conditions and keys`() throws {
        let service = try Tracker.service()
        let body = #"{"reason": "x", "edits": [{"table": "tracker.tasks", "key": "a", "with": {"title": "New"}}]}"#
        let got5 = try edit(service, body, "", Tracker.ada).status
        #expect(got5 == 403)
        let got6 = try edit(service, body, "", Tracker.root.merging(["If-Match": "\"0-x\""]) { $1 }).status
        #expect(got6 == 412)
        let rehearsed = try edit(service, body, "?rehearse=1")
        #expect(rehearsed.status == 200)
        let after = try titles(service)
        #expect(try rehearsed.json["version"] == 3 && after == #"["Task a","Task b"]"#)
        let keyed = Tracker.root.merging(["Idempotency-Key": "k"]) { $1 }
        let ver14 = try edit(service, body, "", keyed).json["version"]
        #expect(ver14 == 3)
        let again = try edit(service, body, "", keyed)
        #expect(try again.json["version"] == 3 && again["Idempotency-Replayed"] == "true")
        let got7 = try edit(service, body.replacing("New", with: "Other"), "", keyed).status
        #expect(got7 == 422)
    }

    // Law EDIT2
    @Test func `a commit is undone unless a later one has changed the same rows`() throws {
        let service = try Tracker.service()
        _ = try service.ask("POST /v1/spaces/main/tracker/vote", Tracker.ada, #"{"id": "a"}"#)
        _ = try service.ask("POST /v1/spaces/main/tracker/vote", Tracker.ada, #"{"id": "a"}"#)
        _ = try service.ask("POST /v1/spaces/main/tracker/rename", Tracker.root, #"{"label": "old"}"#)
        let overtaken = try edit(service, #"{"reason": "x", "undo": 3}"#)
        #expect(overtaken.status == 409 && overtaken.body.contains("/undo"), "\(overtaken)")
        let undone = try edit(service, #"{"reason": "not so", "undo": 4}"#, "?view=tracker.votes")
        #expect(undone.status == 200, "\(undone)")
        #expect(try undone.json["version"] == 6 && undone.json["views"]?["tracker.votes"] == 1)
        let got8 = try edit(service, #"{"reason": "x", "undo": 5}"#).status
        #expect(got8 == 200)
        #expect(try service.ask("GET /v1/spaces/main/tracker/label", Tracker.root).body == "\"new\"")
        // The undoing of an adding removes the row, and its place is free again.
        let got9 = try edit(service, #"{"reason": "x", "undo": 2}"#).status
        #expect(got9 == 200)
        let shown3 = try titles(service)
        #expect(shown3 == #"["Task a"]"#)
        // The undoing of that brings the row back where it stood.
        let got10 = try edit(service, #"{"reason": "x", "undo": 8}"#).status
        #expect(got10 == 200)
        let shown4 = try titles(service)
        #expect(shown4 == #"["Task a","Task b"]"#)
        let got11 = try edit(service, #"{"reason": "x", "undo": 99}"#).status
        #expect(got11 == 409)
    }

    @Test func `a document and a program forbid edits`() throws {
        let service = try Tracker.service()
        let body = #"{"reason": "x", "edits": [{"table": "tracker.tasks", "key": "a", "with": {"title": "New"}}]}"#
        let other = Tracker.document.replacing(
            #""views": {"#, with: #""allow": {"edit": "token.sub == 'ada'"}, "views": {"#)
        let put = try service.ask(
            "PUT /v1/features/tracker", Tracker.root.merging(Tracker.commented) { $1 }, other)
        #expect(put.status == 200, "\(put)")
        let got12 = try edit(service, body).status
        #expect(got12 == 403)
        let got13 = try edit(service, #"{"reason": "x", "undo": 1}"#).status
        #expect(got13 == 403)
        let closed = try Tracker.service("--no-edits")
        let refused = try edit(closed, body)
        #expect(refused.status == 403, "\(refused)")
    }

    @Test func `the state of the server itself is not edited`() throws {
        let service = try Tracker.service()
        for (space, table, key) in [("common", "features.documents", "tracker"), ("main", "streams.definitions", "s")] {
            let reply = try service.ask(
                "POST /v1/spaces/\(space)/administration/edit", Tracker.root,
                #"{"reason": "x", "edits": [{"table": "\#(table)", "key": "\#(key)", "remove": true}]}"#)
            #expect(reply.status == 422, "\(reply)")
        }
        let undone = try service.ask(
            "POST /v1/spaces/common/administration/edit", Tracker.root, #"{"reason": "x", "undo": 1}"#)
        #expect(undone.status == 409, "\(undone)")
    }
}
