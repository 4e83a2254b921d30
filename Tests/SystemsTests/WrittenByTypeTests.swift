import StateStore
import Systems
import Testing

struct WrittenByTypeTests {
    // Generic code costs several times as much as specialised code, and a missing import would go unnoticed.
    @Test func `every variable's changes are written by code specialised for its type`() throws {
        let registry = try Registry(systems())
        #expect(registry.variables.filter { !$0.isWrittenByType }.map(\.name) == [])
        #expect(registry.variables.count > 20)
    }
}
