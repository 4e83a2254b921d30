import JSON

extension Operator {
    /// Reads the operators of a pipeline. One that cannot be read is noted and left out.
    static func list(_ value: JSON, at place: Reading.Place, _ reading: inout Reading) -> [Operator] {
        guard let elements = reading.array(value, at: place, "operators") else { return [] }
        guard elements.count <= Limits.operators else {
            reading.note("there can be \(Limits.operators) operators at the most, and these are \(elements.count)", at: place)
            return []
        }
        return elements.enumerated().compactMap { Operator($1, at: place.appending($0), &reading) }
    }

    /// Reads one operator: an object with one member, whose name is the operator's.
    init?(_ value: JSON, at place: Reading.Place, _ reading: inout Reading) {
        guard let object = reading.object(value, at: place, "an operator") else { return nil }
        guard object.count == 1, let member = object.first else {
            let names = object.map { "\"\($0.key)\"" }.joined(separator: ", ")
            reading.note(
                "an operator is an object with one member, its name; this one has \(object.isEmpty ? "none" : names)"
                    + (object.isEmpty ? "" : ": write them as operators of their own"), at: place)
            return nil
        }
        let forms = OperatorForm.named(member.key)
        guard !forms.isEmpty else {
            reading.note("there is no operator \"\(member.key)\"", at: place.appending(member.key), allowed: OperatorForm.names)
            return nil
        }
        let inside = place.appending(member.key)
        guard let given = reading.object(member.value, at: inside, "what \(member.key) is given") else { return nil }
        let form = Self.form(of: forms, for: given)
        reading.refuseOthers(in: given, than: form.parameters.map(\.name), at: inside)
        guard let read = form.read(given, inside, &reading) else { return nil }
        self = read
    }

    /// The form that is meant: the one of whose parameters the most are given, and of those the one that needs the fewest others.
    private static func form(of forms: [OperatorForm], for given: JSON.Object) -> OperatorForm {
        func fit(_ form: OperatorForm) -> (Int, Int) {
            let known = form.parameters.count { given[$0.name] != nil }
            return (known, -form.parameters.count { $0.isRequired && given[$0.name] == nil })
        }
        return forms.dropFirst().reduce(forms[0]) { fit($1) > fit($0) ? $1 : $0 }
    }
}
