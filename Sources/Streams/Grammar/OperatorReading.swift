import JSON

extension Operator {
    /// Reads the operators of a pipeline. Leaves out invalid ones and notes their faults.
    static func list(_ value: JSON, at place: DocumentPlace, _ reader: inout DefinitionReader) -> [Operator] {
        guard let elements = reader.array(value, at: place, "operators") else { return [] }
        guard elements.count <= StreamLimits.operators else {
            reader.note(
                "there can be \(StreamLimits.operators) operators at most, not \(elements.count)",
                at: place)
            return []
        }
        return elements.enumerated().compactMap { Operator($1, at: place.appending($0), &reader) }
    }

    /// Reads one operator: an object with one member, the operator's name.
    init?(_ value: JSON, at place: DocumentPlace, _ reader: inout DefinitionReader) {
        guard let object = reader.object(value, at: place, "an operator") else { return nil }
        guard object.count == 1, let member = object.first else {
            let names = object.map { "\"\($0.key)\"" }.joined(separator: ", ")
            reader.note(
                "an operator is an object with one member, its name; it has \(object.isEmpty ? "none" : names)"
                    + (object.isEmpty ? "" : ": write them as operators of their own"), at: place)
            return nil
        }
        let forms = reader.operators[member.key]
        guard !forms.isEmpty else {
            reader.note(
                "there is no operator \"\(member.key)\"", at: place.appending(member.key),
                allowed: reader.operators.names)
            return nil
        }
        let inside = place.appending(member.key)
        guard let given = reader.object(member.value, at: inside, "the argument of \(member.key)") else { return nil }
        let form = Self.form(of: forms, for: given)
        reader.refuseOthers(in: given, than: form.parameters.map(\.name), at: inside)
        guard let read = form.read(given, inside, &reader) else { return nil }
        self = read
    }

    /// Returns the form with the most given parameters; among equals the one with the fewest missing parameters.
    private static func form(of forms: [OperatorForm], for given: JSON.Object) -> OperatorForm {
        func fit(_ form: OperatorForm) -> (Int, Int) {
            let known = form.parameters.count { given[$0.name] != nil }
            return (known, -form.parameters.count { $0.isRequired && given[$0.name] == nil })
        }
        return forms.dropFirst().reduce(forms[0]) { fit($1) > fit($0) ? $1 : $0 }
    }
}
