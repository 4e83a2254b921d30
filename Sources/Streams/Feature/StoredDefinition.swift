import JSON
import StateStore

/// A definition as it is kept: its document, which is read when it is wanted.
final class StoredDefinition: Equatable, JSONReadable, JSONWritable, SchemaProviding {
    let document: JSON
    private var read: Result<Definition, Faults>?

    static var schema: JSON { DefinitionSchema.definition }

    init(_ document: JSON) {
        self.document = document
    }

    init(_ definition: Definition) {
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

    /// The definition. It was one when it was kept; a later program may think otherwise.
    func definition(_ formulas: Formulas) throws(Faults) -> Definition {
        let result: Result<Definition, Faults>
        if let read {
            result = read
        } else {
            do throws(Faults) {
                result = .success(try Definition(document, formulas: formulas))
            } catch {
                result = .failure(error)
            }
            read = result
        }
        return try result.get()
    }

    /// The ids that it refers to.
    func references(_ formulas: Formulas) -> [String] {
        guard let definition = try? definition(formulas) else { return [] }
        return definition.references.map(\.id)
    }
}
