import Reactive
import StateModel

/// The streams of a space.
struct StreamsState {
    let definitions: Table<String, StoredDefinition>

    /// The streams of a space without commits.
    init(_ definitions: [String: StoredDefinition]) {
        self.definitions = Table(definitions)
    }

    /// Returns the program of an id as the definitions are now; nil if there is no definition.
    func program(_ id: String, _ formulas: Formulas) throws(DefinitionFaults) -> StreamProgram? {
        try Self.program(id, in: definitions.rows, formulas)
    }

    /// Returns true if a definition remembers. One that is invalid for this release does not.
    static func remembers(_ id: String, in rows: [String: StoredDefinition], _ formulas: Formulas) -> Bool {
        do throws(DefinitionFaults) {
            return try program(id, in: rows, formulas)?.role == .remembering
        } catch {
            return false
        }
    }

    static func program(
        _ id: String, in rows: [String: StoredDefinition], _ formulas: Formulas
    ) throws(DefinitionFaults) -> StreamProgram? {
        guard let row = rows[id] else { return nil }
        return try StreamProgram(try row.definition(formulas)) { id throws(DefinitionFaults) in
            try rows[id]?.definition(formulas)
        }
    }
}
