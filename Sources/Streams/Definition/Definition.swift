public import JSON

/// A stream as data: read and checked, and written back exactly as it was given.
public struct Definition: Sendable {
    /// The document that it was read from.
    public let document: JSON
    let pipeline: Pipeline
    /// What it speaks of that is not in it.
    let mentions: Mentions

    /// The id, where the document has one.
    public var id: String? { mentions.id }
    var references: [(id: String, pointer: JSONPointer)] { mentions.references }
    var views: [(name: String, pointer: JSONPointer)] { mentions.views }

    static let members = ["id", "name", "description"] + Pipeline.members

    /// Reads a definition; all that is wrong with it is thrown at once. `mustHaveID` is for what is kept, `allowsInputs` for what is tried.
    /// Faults are told as of a document in which this one stands at `pointer`.
    public init(
        _ document: JSON, formulas: Formulas = .cel, mustHaveID: Bool = true, allowsInputs: Bool = false,
        at pointer: JSONPointer = JSONPointer()
    ) throws(Faults) {
        let (definition, _, faults) = Self.read(
            document, formulas: formulas, mustHaveID: mustHaveID, allowsInputs: allowsInputs, at: pointer)
        guard let definition else { throw Faults(all: faults) }
        self = definition
    }

    private init(_ document: JSON, _ pipeline: Pipeline, _ mentions: Mentions) {
        self.document = document
        self.pipeline = pipeline
        self.mentions = mentions
    }

    /// Reads a definition; where it is none, what is wrong with it, and what it speaks of as far as that could be read.
    static func read(
        _ document: JSON, formulas: Formulas, mustHaveID: Bool = true, allowsInputs: Bool = false, at pointer: JSONPointer = JSONPointer()
    ) -> (definition: Definition?, mentions: Mentions, faults: [Fault]) {
        var reading = Reading(formulas, allowsInputs: allowsInputs)
        let place = Reading.Place(pointer: pointer)
        var pipeline: Pipeline?
        if document.isDeeper(than: JSONReader.depthLimit) {
            reading.note("arrays and objects lie more than \(JSONReader.depthLimit) deep within one another", at: place)
        } else if isTooLong(document) {
            reading.note("the document is longer than \(Limits.documentBytes) bytes", at: place)
        } else if let object = reading.object(document, at: place, "a definition") {
            reading.refuseOthers(in: object, than: members, at: place)
            reading.noteID(readID(object, mustBe: mustHaveID, at: place, &reading))
            checkText(object["name"] ?? nil, "name", Limits.nameCharacters, at: place, &reading)
            checkText(object["description"] ?? nil, "description", Limits.descriptionCharacters, at: place, &reading)
            pipeline = Pipeline(object, at: place, &reading)
        }
        guard let pipeline, reading.faults.isEmpty else { return (nil, reading.mentions, reading.faults) }
        return (Definition(document, pipeline, reading.mentions), reading.mentions, [])
    }

    private static func readID(_ object: JSON.Object, mustBe: Bool, at place: Reading.Place, _ reading: inout Reading) -> String? {
        guard let value = object["id"] else {
            if mustBe { reading.note("the member \"id\" is missing; it \(Identifier.demand)", at: place.appending("id")) }
            return nil
        }
        guard let id = reading.string(value, at: place.appending("id"), "an id") else { return nil }
        if !Identifier.isOne(id) { reading.note("the id \(Identifier.demand)", at: place.appending("id")) }
        return id
    }

    private static func checkText(_ value: JSON?, _ name: String, _ limit: Int, at place: Reading.Place, _ reading: inout Reading) {
        switch value {
        case nil, .null?: break
        case .string(let text)?:
            if text.unicodeScalars.count > limit {
                reading.note("the \(name) is longer than \(limit) characters", at: place.appending(name))
            }
        case let other?:
            reading.note("the \(name) must be a string or null, not \(other.kind.words)", at: place.appending(name))
        }
    }

    private static func isTooLong(_ document: JSON) -> Bool {
        var writer = JSONWriter()
        document.write(to: &writer)
        return writer.bytes.count > Limits.documentBytes
    }
}
