import JSON

extension PipelineSource.ChangeFold {
    static let members = ["over", "initialValue", "expression"]

    /// Reads a source over commits: `{"over": {"changes": ["cart/add"]}, "initialValue": 0, "expression": "…"}`.
    init?(_ value: JSON, at place: DocumentPlace, _ reader: inout DefinitionReader) {
        guard let object = reader.object(value, at: place, "a fold") else { return nil }
        reader.refuseOthers(in: object, than: Self.members, at: place)
        for member in Self.members where object[member] == nil {
            reader.note("fold needs \"\(member)\"", at: place.appending(member))
        }
        let actions = Self.actions(object["over"], at: place.appending("over"), &reader)
        let expression = object["expression"].flatMap {
            OperatorExpression($0, at: place.appending("expression"), seeing: ["accumulated", "change"], &reader)
        }
        guard let actions, let initialValue = object["initialValue"], let expression else { return nil }
        self.init(actions: Set(actions), initialValue: initialValue, expression: expression)
    }

    private static func actions(
        _ value: JSON?, at place: DocumentPlace, _ reader: inout DefinitionReader
    ) -> [String]? {
        guard let value, let over = reader.object(value, at: place, "\"over\"") else { return nil }
        reader.refuseOthers(in: over, than: ["changes"], at: place)
        let inside = place.appending("changes")
        guard let named = over["changes"] else {
            reader.note("\"over\" needs \"changes\", an array of actions", at: inside)
            return nil
        }
        guard let names = reader.array(named, at: inside, "\"changes\"") else { return nil }
        guard (1...StreamLimits.foldedActions).contains(names.count) else {
            reader.note("\"changes\" names 1 to \(StreamLimits.foldedActions) actions, not \(names.count)", at: inside)
            return nil
        }
        return names.enumerated().compactMap { index, name in
            let place = inside.appending(index)
            guard let action = reader.string(name, at: place, "an action") else { return nil }
            reader.noteAction(action, at: place)
            return action
        }
    }
}
