@testable import Hosting
import Ground
import JSON
import StateStore
import Testing

@testable import Documents

/// Law CALM7: the views that one piece of work computes share its steps and bytes, and the writes of an action take some.
struct WorkTests {
    private static let document = #"""
        {"feature": "work", "home": "space",
         "state": {"rows": {"table": {"key": {"type": "string"}, "row": {"type": "integer"}}},
           "count": {"value": {"type": "integer"}, "initial": 0}},
         "actions": {
           "add": {"do": [{"set": "count", "to": "state.count + 1"}, {"put": "rows", "key": "string(state.count)",
             "row": "1"}]},
           "fill": {"input": {"type": "object", "properties": {"rows": {"type": "integer"}}, "required": ["rows"]},
             "do": [{"each": "lists.range(input.rows)", "as": "i", "do": [
               {"put": "rows", "key": "'row ' + string(i)", "row": "1"}]}]},
           "spread": {"input": {"type": "object", "properties": {"rounds": {"type": "integer"}},
               "required": ["rounds"]},
             "do": [{"each": "lists.range(input.rounds)", "as": "i", "do": [
               {"remove": "rows", "key": "'a'"}, {"remove": "rows", "key": "'b'"}, {"remove": "rows", "key": "'c'"},
               {"remove": "rows", "key": "'d'"}, {"remove": "rows", "key": "'e'"}, {"remove": "rows", "key": "'f'"}
               ]}]}},
         "views": {"cheap": {"expression": "state.count"},
           "costly": {"expression": "lists.range(3000).map(x, x + state.count).size()"},
           "long": {"expression": "lists.range(2000).map(x, 'a').join()"},
           "longer": {"expression": "lists.range(2500).map(x, 'b').join()"},
           "counted": {"from": "rows", "where": "row > 0", "count": true},
           "rows": {"from": "rows", "where": "lists.range(3000).map(x, x + row).size() > 0", "count": true}}}
        """#

    @Test(arguments: ["work.costly", "work.rows"])
    func `a view fails once the work has taken its steps, and the next work computes it`(_ view: String) throws {
        let server = try DocumentServer(
            [parse(Self.document)], MemoryJournal(), SimulatedExecutor(from: TrialServer.start))
        defer { WorkAllowance.begin(.max) }
        try server.act("work/add")
        try server.act("work/add")
        WorkAllowance.begin(5_000)
        _ = try? server.view(view == "work.costly" ? "work.rows" : "work.costly")
        #expect(WorkAllowance.isSpent)
        #expect(throws: (any Error).self) { try server.view(view) }
        WorkAllowance.begin(.max)
        #expect(try server.view(view) == (view == "work.costly" ? 3_000 : 2))
    }

    @Test func `an action that writes too often is refused`() throws {
        let server = try DocumentServer(
            [parse(Self.document)], MemoryJournal(), SimulatedExecutor(from: TrialServer.start))
        try server.act("work/spread", ["rounds": 5_000])
        let refusal = try #require(server.refusal("work/spread", ["rounds": 9_999]))
        #expect(refusal.kind == .invalid && refusal.description.contains("\(DocumentLimits.steps) steps"))
    }

    @Test func `views fail once the work has made its bytes, and the next work makes them`() throws {
        let server = try DocumentServer(
            [parse(Self.document)], MemoryJournal(), SimulatedExecutor(from: TrialServer.start))
        defer { WorkAllowance.begin(.max) }
        WorkAllowance.begin(.max, bytes: 3_000)
        #expect(try server.view("work.long") == .string(String(repeating: "a", count: 2_000)))
        #expect(!WorkAllowance.isSpent)
        #expect(throws: (any Error).self) { try server.view("work.longer") }
        #expect(WorkAllowance.lacksBytes)
        WorkAllowance.begin(.max, bytes: 3_000)
        #expect(try server.view("work.longer") == .string(String(repeating: "b", count: 2_500)))
    }
}
