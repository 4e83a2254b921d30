package import Streams
package import StateStore

extension Store {
    /// Reads the definitions of a space, when they are durable. Precondition: the permit is for `streams.definitions`.
    package func definitions(of permit: ReadPermit, _ reply: @escaping (Result<DefinitionLibrary, Refusal>) -> Void) {
        value(of: permit, as: DefinitionLibrary.self, reply)
    }
}
