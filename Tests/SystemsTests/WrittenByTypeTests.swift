import StateStore
import Systems
import Testing

struct WrittenByTypeTests {
    // What any type needs costs several times what one type does, and nobody would notice an import that is missing.
    @Test func `what changes of every piece of state is written by code that was compiled for its type`() throws {
        let registry = try Registry(systems())
        #expect(registry.variables.filter { !$0.isWrittenByType }.map(\.name) == [])
        #expect(registry.variables.count > 20)
    }
}
