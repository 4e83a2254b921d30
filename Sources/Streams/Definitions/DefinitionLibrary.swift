public import JSON

/// The definitions of a space as they were read from it, to run or try with.
public final class DefinitionLibrary {
    private let documents: [String: JSON]
    let formulas: Formulas
    private var read: [String: StreamDefinition] = [:]

    /// The definitions that the view `streams.definitions` shows.
    public init(parsing view: [UInt8], formulas: Formulas = .cel) throws(JSONError) {
        var documents: [String: JSON] = [:]
        for document in try [JSON](parsing: view) {
            if case .string(let id)? = document["id"] { documents[id] = document }
        }
        self.documents = documents
        self.formulas = formulas
    }

    /// The document of a stream, as it was given.
    public subscript(id: String) -> JSON? { documents[id] }

    /// A stream, ready to run; nil where there is none of that id.
    public func program(_ id: String) throws(DefinitionFaults) -> StreamProgram? {
        guard let definition = try definition(id) else { return nil }
        return try StreamProgram(definition, find: definition(_:))
    }

    func definition(_ id: String) throws(DefinitionFaults) -> StreamDefinition? {
        if let definition = read[id] { return definition }
        guard let document = documents[id] else { return nil }
        let definition = try StreamDefinition(document, formulas: formulas)
        read[id] = definition
        return definition
    }
}
