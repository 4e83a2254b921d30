import JSON
import Reactive

/// One form of an operator: its name, its parameters and its effect.
struct OperatorForm: Sendable {
    let name: String
    let parameters: [ParameterDescription]
    /// Reads an operator of this form from an object with its parameters.
    let read: @Sendable (JSON.Object, DocumentPlace, inout DefinitionReader) -> Operator?

    /// A function from the observable before the operator to the one behind it, with the place of the operator.
    typealias Transform = @Sendable (Observable<JSON>, CompilationContext, JSONPointer) -> Observable<JSON>

    /// A form without parameters.
    init(_ name: String, _ transform: @escaping Transform) {
        self.name = name
        parameters = []
        read = { _, place, _ in
            let pointer = place.pointer
            return Operator { source, context in transform(source, context, pointer) }
        }
    }

    /// A form with one parameter.
    init<A>(_ name: String, _ first: Parameter<A>, _ transform: @escaping @Sendable (A) -> Transform) {
        self.name = name
        parameters = [ParameterDescription(name: first.name, isRequired: true, schema: first.schema)]
        read = { object, place, reader in
            guard let a = first.take(from: object, of: name, at: place, &reader) else { return nil }
            let transform = transform(a)
            let pointer = place.pointer
            return Operator(
                transform: { source, context in transform(source, context, pointer) }, inner: a as? Pipeline)
        }
    }

    /// A form with two parameters.
    init<A, B>(
        _ name: String, _ first: Parameter<A>, _ second: Parameter<B>,
        _ transform: @escaping @Sendable (A, B) -> Transform
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
    /// Reads the parameter from the object of an operator.
    fileprivate func take(
        from object: JSON.Object, of name: String, at place: DocumentPlace, _ reader: inout DefinitionReader
    ) -> Value? {
        guard let value = object[self.name] else {
            reader.note("\(name) needs \"\(self.name)\"", at: place.appending(self.name))
            return nil
        }
        return read(value, place.appending(self.name), &reader)
    }
}
