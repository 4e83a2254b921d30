import JSON

/// The state of reading a definition. Reading continues after a fault, so that one answer reports all of them.
struct DefinitionReader {
    let formulas: Formulas
    let operators: OperatorCatalog
    /// True for a trial, which may name inputs.
    let allowsInputs: Bool
    /// The names of the views that are pipelines of the same document: such a source is a reference.
    let pipelines: Set<String>?
    private(set) var faults: [DefinitionFault] = []
    private(set) var mentions = Mentions()

    init(
        _ formulas: Formulas, _ operators: OperatorCatalog, allowsInputs: Bool, pipelines: Set<String>? = nil
    ) {
        self.formulas = formulas
        self.operators = operators
        self.allowsInputs = allowsInputs
        self.pipelines = pipelines
    }

    /// Adds a fault.
    mutating func note(_ description: String, at place: DocumentPlace, allowed: [String] = []) {
        faults.append(DefinitionFault(description, at: place.pointer, allowed: allowed))
    }

    mutating func noteID(_ id: String?) { mentions.id = id }
    mutating func noteReference(to id: String, at place: DocumentPlace) {
        mentions.references.append((id, place.pointer))
    }
    mutating func noteView(_ name: String, at place: DocumentPlace) { mentions.views.append((name, place.pointer)) }
    mutating func noteAction(_ name: String, at place: DocumentPlace) {
        mentions.actions.append((name, place.pointer))
    }
    mutating func noteInput(_ name: String, at place: DocumentPlace) { mentions.inputs.append((name, place.pointer)) }

    /// Returns the object at a place, or notes a fault.
    mutating func object(_ value: JSON, at place: DocumentPlace, _ words: String) -> JSON.Object? {
        guard case .object(let object) = value else {
            note("\(words) must be an object, not \(value.kind.words)", at: place)
            return nil
        }
        return object
    }

    package mutating func string(_ value: JSON, at place: DocumentPlace, _ words: String) -> String? {
        guard case .string(let text) = value else {
            note("\(words) must be a string, not \(value.kind.words)", at: place)
            return nil
        }
        return text
    }

    mutating func array(_ value: JSON, at place: DocumentPlace, _ words: String) -> [JSON]? {
        guard case .array(let elements) = value else {
            note("\(words) must be an array, not \(value.kind.words)", at: place)
            return nil
        }
        return elements
    }

    /// Notes a fault for each member of an object that is not in `known`.
    mutating func refuseOthers(in object: JSON.Object, than known: [String], at place: DocumentPlace) {
        for member in object where !known.contains(member.key) {
            note(
                known.isEmpty
                    ? "\"\(member.key)\" is not known here: no members are allowed"
                    : "\"\(member.key)\" is not known here",
                at: place.appending(member.key), allowed: known)
        }
    }
}
