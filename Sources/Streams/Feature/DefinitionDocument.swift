import JSON
import StateStore

/// What `put` is given: a definition, as a document. It has a form of its own, which is not that of a record's fields: all its faults are to be told.
struct DefinitionDocument: Record {
    var document: JSON = [:]

    static let shape = Shape(DefinitionDocument()) { _ in }
    static var schema: JSON { DefinitionSchema.definition }

    init() {}

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
