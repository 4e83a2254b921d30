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

    /// A function that makes the stage of the operator in a remembering pipeline, with the place of the operator.
    typealias Stage = @Sendable (CompilationContext, JSONPointer, MemorySlot) -> PipelineStage

    /// A form without parameters. Without a stage it is for runs only.
    init(_ name: String, isStateless: Bool = false, _ transform: @escaping Transform, stage: Stage? = nil) {
        self.name = name
        parameters = []
        read = { _, place, _ in
            Operator(name, place.pointer, transform, isStateless: isStateless, stage)
        }
    }

    /// A form with one parameter. Without a stage it is for runs only.
    init<A>(
        _ name: String, isStateless: Bool = false, _ first: Parameter<A>,
        _ transform: @escaping @Sendable (A) -> Transform, stage: (@Sendable (A) -> Stage)? = nil
    ) {
        self.name = name
        parameters = [ParameterDescription(name: first.name, isRequired: true, schema: first.schema)]
        read = { object, place, reader in
            guard let a = first.take(from: object, of: name, at: place, &reader) else { return nil }
            var read = Operator(name, place.pointer, transform(a), isStateless: isStateless, stage?(a))
            read.inner = a as? Pipeline
            read.duration = a as? Duration
            return read
        }
    }

    /// A form with two parameters. Without a stage it is for runs only.
    init<A, B>(
        _ name: String, _ first: Parameter<A>, _ second: Parameter<B>,
        _ transform: @escaping @Sendable (A, B) -> Transform, stage: (@Sendable (A, B) -> Stage)? = nil
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
            var read = Operator(name, place.pointer, transform(a, b), isStateless: false, stage?(a, b))
            read.duration = a as? Duration
            return read
        }
    }
}

extension Operator {
    fileprivate init(
        _ name: String, _ pointer: JSONPointer, _ transform: @escaping OperatorForm.Transform, isStateless: Bool,
        _ stage: OperatorForm.Stage?
    ) {
        var make: MakeStage?
        if let stage { make = { context, slot in stage(context, pointer, slot) } }
        self.init(
            name: name, pointer: pointer, transform: { source, context in transform(source, context, pointer) },
            isStateless: isStateless, stage: make)
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
