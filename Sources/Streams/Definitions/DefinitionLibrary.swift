package import JSON
import StateModel

/// The definitions of a space at one version. Each is compiled when it is first used, and stays compiled for as long as
/// its row is the same.
///
/// As JSON it is the array of the documents, in the order of their ids.
package final class DefinitionLibrary: JSONWritable, SchemaProviding {
    private let rows: [String: StoredDefinition]
    let formulas: Formulas

    init(_ rows: [String: StoredDefinition], formulas: Formulas) {
        self.rows = rows
        self.formulas = formulas
    }

    /// A library of documents, as the view `streams.definitions` shows them.
    package convenience init(parsing view: [UInt8], formulas: Formulas = .cel) throws(JSONError) {
        var rows: [String: StoredDefinition] = [:]
        for document in try [JSON](parsing: view) {
            if case .string(let id)? = document["id"] { rows[id] = StoredDefinition(document) }
        }
        self.init(rows, formulas: formulas)
    }

    /// The document of a stream, as it was given.
    package subscript(id: String) -> JSON? { rows[id]?.document }

    /// The number of definitions.
    var count: Int { rows.count }

    /// The ids of all definitions.
    var ids: some Sequence<String> { rows.keys }

    /// Returns a definition; nil if there is none with that id.
    func definition(_ id: String) throws(DefinitionFaults) -> StreamDefinition? {
        try rows[id]?.definition(formulas)
    }

    /// Returns a stream, ready to run; nil if there is none with that id.
    package func program(_ id: String) throws(DefinitionFaults) -> StreamProgram? {
        guard let definition = try definition(id) else { return nil }
        return try StreamProgram(definition, find: definition(_:))
    }

    /// Returns the program of a document that is not in the library.
    package func program(of document: JSON) throws(DefinitionFaults) -> StreamProgram {
        try StreamProgram(try StreamDefinition(document, formulas: formulas), find: definition(_:))
    }

    /// Returns the program of a document that is to be put, if time changes what it delivers, or what a stream over it
    /// does; nil also for a document with faults.
    package func timedProgram(putting document: JSON) -> StreamProgram? {
        guard let program = try? program(of: document) else { return nil }
        if program.changesByTime { return program }
        guard let id = program.main.id else { return nil }
        let isUsed = rows.keys.contains { other in
            guard other != id, let user = try? self.program(other), user.changesByTime else { return false }
            return user.definitions[id] != nil || user.views.contains("streams.\(id)")
        }
        return isUsed ? program : nil
    }

    // MARK: JSON

    /// The schema of the array.
    package static var schema: JSON { JSON.schema }

    /// Returns the array of the documents.
    package func tree() throws(JSONError) -> JSON { .array(documents) }

    /// Writes the array of the documents.
    package func write(to writer: inout JSONWriter) {
        documents.write(to: &writer)
    }

    private var documents: [JSON] { rows.sorted { $0.key < $1.key }.map(\.value.document) }
}
