import JSON
import Reactive

/// One form of an operator: its name, what it is given, and what it does. The list of all of them is what documents are read by, what the schema
/// says, and what runs.
struct OperatorForm: Sendable {
    let name: String
    let parameters: [ParameterDescription]
    /// Reads an operator of this form from what it is given.
    let read: @Sendable (JSON.Object, Reading.Place, inout Reading) -> Operator?

    /// What an operator does to an observable: in a run, and by the pointer to it in its document.
    typealias Action = @Sendable (Observable<JSON>, Stage, JSONPointer) -> Observable<JSON>

    /// A form that is given nothing.
    init(_ name: String, _ action: @escaping Action) {
        self.name = name
        parameters = []
        read = { _, place, _ in
            let pointer = place.pointer
            return Operator { source, stage in action(source, stage, pointer) }
        }
    }

    /// A form that is given one thing.
    init<A>(_ name: String, _ first: Parameter<A>, _ action: @escaping @Sendable (A) -> Action) {
        self.name = name
        parameters = [ParameterDescription(name: first.name, isRequired: true, schema: first.schema)]
        read = { object, place, reading in
            guard let a = first.take(from: object, of: name, at: place, &reading) else { return nil }
            let action = action(a)
            let pointer = place.pointer
            return Operator(step: { source, stage in action(source, stage, pointer) }, inner: a as? Pipeline)
        }
    }

    /// A form that is given two things.
    init<A, B>(
        _ name: String, _ first: Parameter<A>, _ second: Parameter<B>, _ action: @escaping @Sendable (A, B) -> Action
    ) {
        self.name = name
        parameters = [
            ParameterDescription(name: first.name, isRequired: true, schema: first.schema),
            ParameterDescription(name: second.name, isRequired: true, schema: second.schema),
        ]
        read = { object, place, reading in
            let a = first.take(from: object, of: name, at: place, &reading)
            let b = second.take(from: object, of: name, at: place, &reading)
            guard let a, let b else { return nil }
            let action = action(a, b)
            let pointer = place.pointer
            return Operator { source, stage in action(source, stage, pointer) }
        }
    }

    /// All forms of all operators.
    static let all = transforming + selecting + folding + joining + timing + recovering

    /// The names of all operators, each once.
    static let names = all.map(\.name).reduce(into: [String]()) { names, name in
        if names.last != name { names.append(name) }
    }

    private static let byName = Dictionary(grouping: all, by: \.name)

    /// The forms of an operator.
    static func named(_ name: String) -> [OperatorForm] { byName[name] ?? [] }
}

extension Parameter {
    /// Takes it out of what an operator is given.
    fileprivate func take(from object: JSON.Object, of name: String, at place: Reading.Place, _ reading: inout Reading) -> Value? {
        guard let value = object[self.name] else {
            reading.note("\(name) needs \"\(self.name)\"", at: place.appending(self.name))
            return nil
        }
        return read(value, place.appending(self.name), &reading)
    }
}
