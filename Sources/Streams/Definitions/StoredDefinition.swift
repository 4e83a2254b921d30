import JSON
import StateModel

/// A row of the table of definitions: a document, compiled when it is first used.
final class StoredDefinition: Equatable, JSONReadable, JSONWritable, SchemaProviding {
    let document: JSON
    private var read: Result<StreamDefinition, DefinitionFaults>?

    static var schema: JSON { DefinitionSchema.definition }

    init(_ document: JSON) {
        self.document = document
    }

    init(_ definition: StreamDefinition) {
        document = definition.document
        read = .success(definition)
    }

    convenience init(from reader: inout JSONReader) throws(JSONError) {
        self.init(try JSON(from: &reader))
    }

    func write(to writer: inout JSONWriter) {
        document.write(to: &writer)
    }

    static func == (one: StoredDefinition, other: StoredDefinition) -> Bool {
        one === other || one.document == other.document
    }

    /// Returns the compiled definition. A document that was valid when it was stored can be invalid for a later
    /// program.
    func definition(_ formulas: Formulas) throws(DefinitionFaults) -> StreamDefinition {
        let result: Result<StreamDefinition, DefinitionFaults>
        if let read {
            result = read
        } else {
            do throws(DefinitionFaults) {
                result = .success(try StreamDefinition(document, formulas: formulas))
            } catch {
                result = .failure(error)
            }
            read = result
        }
        return try result.get()
    }

    /// True if a program of the definition can remember.
    func mayRemember(_ formulas: Formulas) -> Bool {
        guard let definition = valid(formulas) else { return false }
        return definition.pipeline.isLive
            && (!definition.references.isEmpty || definition.pipeline.remembers)
    }

    /// The ids that the definition refers to.
    func references(_ formulas: Formulas) -> [String] {
        valid(formulas)?.references.map(\.id) ?? []
    }

    /// The compiled definition; nil if it is invalid for this program. Its view fails with the faults.
    private func valid(_ formulas: Formulas) -> StreamDefinition? {
        do throws(DefinitionFaults) {
            return try definition(formulas)
        } catch {
            return nil
        }
    }
}
