import JSON
import StateModel

/// The input of `put`: the document of a definition. It is not read as the fields of a record, because the answer lists
/// all of its faults.
struct DefinitionDocument: Record {
    var document: JSON = [:]
    /// True if the caller has replayed the history of the space for the definition.
    var isReplayed = false

    static let shape = Shape(DefinitionDocument()) { _ in }
    static var schema: JSON { DefinitionSchema.definition }

    init() {}

    init(replayed document: JSON) {
        self.document = document
        isReplayed = true
    }

    init(from reader: inout JSONReader) throws(JSONError) {
        document = try JSON(from: &reader)
    }

    func write(to writer: inout JSONWriter) {
        document.write(to: &writer)
    }
}

/// A stream, by its id.
struct StreamReference: Record {
    var id = ""

    static let shape = Shape(StreamReference()) {
        $0.required("id", \.id, .line(1...128))
    }
}
