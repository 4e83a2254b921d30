package import StateStore

extension Store {
    /// Reads the definitions of a space, when they are durable.
    package func definitions(in space: SpaceName, _ reply: @escaping (Result<DefinitionLibrary, Refusal>) -> Void) {
        value(of: "streams.definitions", as: DefinitionLibrary.self, in: space, reply)
    }
}
