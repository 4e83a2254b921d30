import JSON
import Reactive

/// One form of an operator: its name, what it is given, and what it does. The list of all of them is what documents are read by, what the schema
/// says, and what runs.
struct OperatorForm: Sendable {
    let name: String
    let parameters: [ParameterDescription]
    /// Reads an operator of this form from what it is given.
    let read: @Sendable (JSON.Object, DocumentPlace, inout DefinitionReader) -> Operator?

    /// What an operator does to an observable: in a run, and by the pointer to it in its document.
    typealias Transform = @Sendable (Observable<JSON>, CompilationContext, JSONPointer) -> Observable<JSON>

    /// A form that is given nothing.
    init(_ name: String, _ transform: @escaping Transform) {
        self.name = name
        parameters = []
        read = { _, place, _ in
            let pointer = place.pointer
            return Operator { source, context in transform(source, context, pointer) }
        }
    }

    /// A form that is given one thing.
    init<A>(_ name: String, _ first: Parameter<A>, _ transform: @escaping @Sendable (A) -> Transform) {
        self.name = name
        parameters = [ParameterDescription(name: first.name, isRequired: true, schema: first.schema)]
        read = { object, place, reader in
            guard let a = first.take(from: object, of: name, at: place, &reader) else { return nil }
            let transform = transform(a)
            let pointer = place.pointer
            return Operator(transform: { source, context in transform(source, context, pointer) }, inner: a as? Pipeline)
        }
    }

    /// A form that is given two things.
    init<A, B>(
        _ name: String, _ first: Parameter<A>, _ second: Parameter<B>, _ transform: @escaping @Sendable (A, B) -> Transform
    ) {
        self.name = name
        parameters = [
            ParameterDescription(name: first.name, isRequired: true, schema: first.schema),
            ParameterDescription(name: second.name, isRequired: true, schema: second.schema),
        ]
        read = { object, place, reader in
            let a = first.take(from: object, of: name, at: place, &reader)
            let b = second.take(from: object, of: name, at: place, &reader)
            guard let a, let b else { return nil }
            let transform = transform(a, b)
            let pointer = place.pointer
            return Operator { source, context in transform(source, context, pointer) }
        }
    }
}

extension Parameter {
    /// Takes it out of what an operator is given.
    fileprivate func take(from object: JSON.Object, of name: String, at place: DocumentPlace, _ reader: inout DefinitionReader) -> Value? {
        guard let value = object[self.name] else {
            reader.note("\(name) needs \"\(self.name)\"", at: place.appending(self.name))
            return nil
        }
        return read(value, place.appending(self.name), &reader)
    }
}
