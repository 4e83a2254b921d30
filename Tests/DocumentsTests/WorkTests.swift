@testable import Hosting
import Ground
import JSON
import StateStore
import Testing

@testable import Documents

/// Law CALM7: the views that one piece of work computes share its steps, and the writes of an action take some.
struct WorkTests {
    private static let document = #"""
        {"feature": "work", "home": "space",
         "state": {"rows": {"table": {"key": {"type": "string"}, "row": {"type": "integer"}}},
           "count": {"value": {"type": "integer"}, "initial": 0}},
         "actions": {
           "add": {"do": [{"set": "count", "to": "state.count + 1"}, {"put": "rows", "key": "string(state.count)",
             "row": "1"}]},
           "spread": {"input": {"type": "object", "properties": {"rounds": {"type": "integer"}},
               "required": ["rounds"]},
             "do": [{"each": "lists.range(input.rounds)", "as": "i", "do": [
               {"remove": "rows", "key": "'a'"}, {"remove": "rows", "key": "'b'"}, {"remove": "rows", "key": "'c'"},
               {"remove": "rows", "key": "'d'"}, {"remove": "rows", "key": "'e'"}, {"remove": "rows", "key": "'f'"}
               ]}]}},
         "views": {"cheap": {"expression": "state.count"},
           "costly": {"expression": "lists.range(3000).map(x, x + state.count).size()"},
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
}
