package import JSON

/// A stream as data: its document, read and checked.
package struct StreamDefinition: Sendable {
    /// The document, exactly as it was given.
    package let document: JSON
    let pipeline: Pipeline
    /// The names that depend on the rest of the space.
    let mentions: Mentions

    /// True if the stream begins with the history of the space, and not with its definition.
    let beginsWithHistory: Bool

    /// The id, if the document has one.
    package var id: String? { mentions.id }
    var references: [(id: String, pointer: JSONPointer)] { mentions.references }
    /// The views that feed it, each with its place. A reference to a pipeline of the same document is one too.
    package var views: [(name: String, pointer: JSONPointer)] { mentions.views }
    /// The actions whose commits feed it, as `feature/name`.
    package var actions: [(name: String, pointer: JSONPointer)] { mentions.actions }

    static let members = ["id", "name", "description", "begin"] + Pipeline.members

    /// Reads a definition, or throws all of its faults. A stored definition must have an id; a trial may name inputs.
    /// `pointer` is the place of the definition in the document of the faults.
    package init(
        _ document: JSON, formulas: Formulas = .cel, mustHaveID: Bool = true, allowsInputs: Bool = false,
        at pointer: JSONPointer = JSONPointer()
    ) throws(DefinitionFaults) {
        let (definition, _, faults) = Self.read(
            document, formulas: formulas, mustHaveID: mustHaveID, allowsInputs: allowsInputs, at: pointer)
        guard let definition else { throw DefinitionFaults(all: faults) }
        self = definition
    }

    private init(_ document: JSON, _ pipeline: Pipeline, _ mentions: Mentions) {
        self.document = document
        self.pipeline = pipeline
        beginsWithHistory = document["begin"] == 0
        self.mentions = mentions
    }

    /// Reads the pipeline of a view of a feature, an object with `source` and `operators`. `name` is that of the view, as
    /// `feature.view`, and `pipelines` are the views that are pipelines of the same document.
    package init(
        view name: String, _ object: JSON.Object, beside pipelines: Set<String>, at pointer: JSONPointer
    ) throws(DefinitionFaults) {
        var reader = DefinitionReader(.cel, .all, allowsInputs: false, pipelines: pipelines)
        reader.noteID(name)
        let pipeline = Pipeline(object, at: DocumentPlace(pointer: pointer), &reader)
        guard let pipeline, reader.faults.isEmpty else { throw DefinitionFaults(all: reader.faults) }
        self.init(.object(object), pipeline, reader.mentions)
    }

    /// Reads a definition. Returns its faults, if any, and the names that could be read.
    static func read(
        _ document: JSON, formulas: Formulas, mustHaveID: Bool = true, allowsInputs: Bool = false,
        at pointer: JSONPointer = JSONPointer()
    ) -> (definition: StreamDefinition?, mentions: Mentions, faults: [DefinitionFault]) {
        var reader = DefinitionReader(formulas, .all, allowsInputs: allowsInputs)
        let place = DocumentPlace(pointer: pointer)
        var pipeline: Pipeline?
        if document.isDeeper(than: JSONReader.depthLimit) {
            reader.note("arrays and objects are nested more than \(JSONReader.depthLimit) deep", at: place)
        } else if isTooLong(document) {
            reader.note("the document is longer than \(StreamLimits.documentBytes) bytes", at: place)
        } else if let object = reader.object(document, at: place, "a definition") {
            reader.refuseOthers(in: object, than: members, at: place)
            reader.noteID(readID(object, mustBe: mustHaveID, at: place, &reader))
            checkText(object["name"] ?? nil, "name", StreamLimits.nameCharacters, at: place, &reader)
            checkText(
                object["description"] ?? nil, "description", StreamLimits.descriptionCharacters, at: place, &reader)
            if let begin = object["begin"], begin != "now", begin != 0 {
                reader.note(
                    "\"begin\" must be \"now\" or 0, not \(begin.shown)", at: place.appending("begin"),
                    allowed: ["now", "0"])
            }
            pipeline = Pipeline(object, at: place, &reader)
        }
        guard let pipeline, reader.faults.isEmpty else { return (nil, reader.mentions, reader.faults) }
        return (StreamDefinition(document, pipeline, reader.mentions), reader.mentions, [])
    }

    private static func readID(
        _ object: JSON.Object, mustBe: Bool, at place: DocumentPlace, _ reader: inout DefinitionReader
    ) -> String? {
        guard let value = object["id"] else {
            if mustBe {
                reader.note("the member \"id\" is missing; it \(Identifier.demand)", at: place.appending("id"))
            }
            return nil
        }
        guard let id = reader.string(value, at: place.appending("id"), "an id") else { return nil }
        if !Identifier.isOne(id) { reader.note("the id \(Identifier.demand)", at: place.appending("id")) }
        return id
    }

    private static func checkText(
        _ value: JSON?, _ name: String, _ limit: Int, at place: DocumentPlace, _ reader: inout DefinitionReader
    ) {
        switch value {
        case nil, .null?: break
        case .string(let text)?:
            if text.unicodeScalars.count > limit {
                reader.note("the \(name) is longer than \(limit) characters", at: place.appending(name))
            }
        case let other?:
            reader.note("the \(name) must be a string or null, not \(other.kind.words)", at: place.appending(name))
        }
    }

    private static func isTooLong(_ document: JSON) -> Bool {
        var writer = JSONWriter()
        document.write(to: &writer)
        return writer.bytes.count > StreamLimits.documentBytes
    }
}
