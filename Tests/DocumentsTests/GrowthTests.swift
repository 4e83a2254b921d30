@testable import Hosting
import Foundation
import JSON
import StateStore
import Testing

@testable import Documents

/// Law DOC3, law DOC21: the examples hold at 100,000 rows. An action that walked a table would take more than its 100,000
/// steps.
struct GrowthTests {
    private static let rows = 100_000
    private static let batch = 1_000

    /// A server of an example, with an action that adds rows.
    private static func server(
        _ name: String, growing table: String, row: String, after prepare: (DocumentServer) throws -> Void = { _ in }
    ) throws -> DocumentServer {
        var root = URL(fileURLWithPath: #filePath)
        for _ in 0..<3 { root.deleteLastPathComponent() }
        let file = root.appending(path: "Examples/documents/\(name)/\(name).json")
        guard case .object(var document) = try parse(String(contentsOf: file, encoding: .utf8)),
            case .object(var actions)? = document["actions"]
        else { throw TrialFailure("no document") }
        actions["grow"] = try parse(
            #"""
            {"input": {"type": "object", "properties": {"first": {"type": "integer"}}, "required": ["first"]},
             "do": [{"each": "lists.range(\#(batch))", "as": "i", "do": [
               {"put": "\#(table)", "key": "'r' + string(input.first + i)", "row": "\#(row)"}]}]}
            """#)
        document["actions"] = .object(actions)
        let server = try DocumentServer(.object(document))
        try prepare(server)
        for part in 0..<rows / batch { try server.act("\(name)/grow", ["first": .number(Decimal(part * batch))]) }
        return server
    }

    private func number(_ json: JSON?) -> Int {
        if case .number(let number)? = json, let value = number.int64 { Int(value) } else { -1 }
    }

    @Test func `the tracker holds at 100000 tasks`() throws {
        let server = try Self.server(
            "tracker", growing: "tasks",
            row:
                "{'project': 'home', 'title': 'item ' + string(i) + ' of list ' + string(input.first), 'order': (input.first + i) * 1048576, 'owner': string(i % 1000)}"
        )
        try server.act("tracker/addProject", ["id": "home", "name": "Home"])
        let id = try server.act("tracker/addTask", ["project": "home", "title": "last"], by: "7")
        try server.act("tracker/move", ["id": id, "after": "r50000"], by: "7")
        try server.act("tracker/edit", ["id": id, "title": "moved", "done": true], by: "7")
        try server.act("tracker/label", ["id": id, "label": "red"])
        try server.act("tracker/undo", by: "7")
        try server.act("tracker/spread", ["project": "home", "from": 0])
        #expect(number(try server.view("tracker.counts")["home"]) == Self.rows + 1)
        guard case .array(let filtered) = try server.view("tracker.filtered?project=home") else {
            throw TrialFailure("no list")
        }
        #expect(filtered.count == 200)
        let words = try server.view("tracker.found?project=home&words=las")
        #expect(words[0]?["title"] == "last" && words[1] == nil)
        guard case .array(let items) = try server.view("tracker.found?project=home&words=list%2047000%20item%2012")
        else {
            throw TrialFailure("no list")
        }
        #expect(items.count == 11 && items.first?["title"] == "item 12 of list 47000")
        guard case .array(let all) = try server.view("tracker.found?project=home&words=it") else {
            throw TrialFailure("no list")
        }
        #expect(all.count == 50)
        #expect(try server.view("tracker.labelled?label=red")[0]?["title"] == "last")
        #expect(try server.view("tracker.labels?id=r1") == [])
        #expect(try server.view("tracker.labelCounts") == ["red": 1])
        #expect(try server.view("tracker.overdue") == [])
        try server.act("tracker/remove", ["id": id], by: "7")
        #expect(number(try server.view("tracker.counts")["home"]) == Self.rows)
    }

    @Test func `the booking calendar holds at 100000 bookings`() throws {
        let server = try Self.server(
            "booking", growing: "bookings",
            row:
                "{'room': 'Oak', 'by': 'Ada', 'from': string(timestamp('2026-02-01T00:00:00Z') + duration(string((input.first + i) * 60) + 'm')), 'to': string(timestamp('2026-02-01T00:30:00Z') + duration(string((input.first + i) * 60) + 'm'))}"
        )
        let free: JSON = ["room": "Oak", "from": "2026-02-02T10:30:00Z", "to": "2026-02-02T11:00:00Z", "by": "Bob"]
        try server.act("booking/book", free)
        var taken: JSON = ["room": "Oak", "from": "2026-02-02T10:15:00Z", "to": "2026-02-02T10:45:00Z", "by": "Cy"]
        #expect(server.refusal("booking/book", taken)?.kind == .conflict)
        if case .object(var object) = taken {
            object["orWait"] = true
            taken = .object(object)
        }
        try server.act("booking/book", taken)
        try server.act("booking/cancel", ["id": "r34"])
        guard case .array(let waiting) = try server.view("booking.waiting") else { throw TrialFailure("no list") }
        #expect(waiting.count == 1)
        #expect(number(try server.view("booking.byRoom")["Oak"]) == Self.rows)
    }

    @Test func `the poll holds at 100000 votes`() throws {
        let server = try Self.server(
            "poll", growing: "votes",
            row:
                "{'poll': 'lunch', 'option': i % 2 == 0 ? index.ofPoll('lunch').firstKey() : index.ofPoll('lunch').lastKey(), 'voter': 'v' + string(input.first + i), 'at': now}"
        ) { server in
            try server.act(
                "poll/ask",
                ["id": "lunch", "question": "Where?", "closes": "2026-02-01T00:00:00Z", "options": ["Oak", "Elm"]])
        }
        let options = try server.view("poll.results?poll=lunch")
        let (oak, elm) = (options[0]?["id"] ?? .null, options[1]?["id"] ?? .null)
        #expect(try server.act("poll/vote", ["poll": "lunch", "option": oak, "voter": "ada"]) == 50_001)
        #expect(try server.act("poll/vote", ["poll": "lunch", "option": elm, "voter": "ada"]) == 50_001)
        #expect(try server.act("poll/vote", ["poll": "lunch", "option": elm, "voter": "v0"]) == 50_002)
        let results = try server.view("poll.results?poll=lunch")
        #expect(results[0]?["votes"] == 49_999)
        #expect(results[1]?["votes"] == 50_002)
        guard case .array(let latest) = try server.view("poll.latest?poll=lunch") else { throw TrialFailure("no list") }
        #expect(latest.count == 5)
        #expect(try server.view("poll.mine?poll=lunch&voter=ada") == elm)
    }
}
