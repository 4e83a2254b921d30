import JSON
import ScriptedDocuments
import StateStore
import Testing

@testable import Documents

/// The names that the server has, and documents with such a name from before.
struct ReservedNameTests {
    /// A document that an older release has taken: its compiler reads it as a counter with the action `add`.
    private static func document(_ name: String) -> String {
        """
        {"feature": "\(name)", "home": "space",
         "state": {"total": {"value": {"type": "integer"}, "initial": 0},
           "notes": {"table": {"key": {"type": "string"}, "row": {"type": "integer"}}}},
         "actions": {"refused": {"do": [{"set": "total", "to": "7"}]}, "add": {"do": [{"set": "total", "to": "7"}]}},
         "views": {"total": {"expression": "state.total"}}}
        """
    }

    // Law R4
    @Test(arguments: ["administration", "features", "hooks", "schedules", "space", "streams"])
    func `a name of the server's own commits is a fault of its document`(_ name: String) throws {
        let words = "/feature: a feature cannot be called \(name): the server has the names actions, administration, "
        let found = faults(try parse(Self.document(name)))
        #expect(found.count == 1 && found[0].hasPrefix(words), "\(found)")
        for name in ["schedules", "streams", "views"] { #expect(found[0].contains(name)) }
    }

    // Law R4
    @Test(arguments: ["actions", "changes", "erase", "graph", "live", "restore", "views"])
    func `a name in paths is a fault of a new document`(_ name: String) throws {
        let feature = try #require(try compile([name: parse(Self.document(name))])[name])
        #expect(feature.faultsWhenPut.map { "\($0.pointer)" } == ["/feature"])
        #expect(try compile(["board": parse(Self.document("board"))])["board"]?.faultsWhenPut == [])
    }

    @Test func `a view cannot have the name under which the schedules remember`() throws {
        let document = """
            {"feature": "a", "home": "space", "state": {"x": {"value": {"type": "integer"}, "initial": 0}},
             "actions": {"go": {"do": [{"set": "x", "to": "1"}]}}, "views": {"schedules": {"expression": "state.x"}},
             "schedules": {"s": {"every": 60, "act": "go"}}}
            """
        let feature = try #require(try compile(["a": parse(document)])["a"])
        #expect(feature.faultsWhenPut.map { "\($0.pointer)" } == ["/views/schedules"])
    }

    @Test func `a stored document that could forge commits is out of use, and loses no state`() throws {
        let journal = MemoryJournal()
        let older = try DeployedServer(journal, compiler: ScriptedCompiler())
        try older.put(Self.document("schedules"))
        try older.act("schedules/add", ["by": 3])
        let newer = try DeployedServer(journal)
        #expect(throws: Refusal.self) { try newer.act("schedules/refused") }
        #expect(throws: Refusal.self) { try newer.view("schedules.total") }
        #expect(newer.warnings.count == 1)
        #expect(newer.warnings.first?.contains("the document schedules cannot be used: a feature cannot be") == true)
        let older2 = try DeployedServer(journal, compiler: ScriptedCompiler())
        #expect(try older2.view("schedules.total") == 3)
    }

    @Test func `a stored document whose name is in paths goes on`() throws {
        let journal = MemoryJournal()
        let older = try DeployedServer(journal, compiler: ScriptedCompiler())
        try older.put(Self.document("live"))
        try older.act("live/add", ["by": 3])
        let newer = try DeployedServer(journal)
        #expect(try newer.view("live.total") == 3)
        try newer.act("live/add")
        #expect(try newer.view("live.total") == 7 && newer.warnings.isEmpty)
    }
}
