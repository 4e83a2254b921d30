import JSON
import Reactive

/// One form of an operator: its name, its parameters and its effect.
struct OperatorForm: Sendable {
    let name: String
    let parameters: [ParameterDescription]
    /// Reads an operator of this form from an object with its parameters.
    let read: @Sendable (JSON.Object, DocumentPlace, inout DefinitionReader) -> Operator?

    /// What an operator does, whose parameters are known.
    enum OperatorEffect: Sendable {
        /// It is a machine, which every host plays.
        case machine(@Sendable (OperatorPlace) -> OperatorMachine)
        /// It is for runs only: a function from the observable before the operator to the one behind it.
        case run(@Sendable (Observable<JSON>, OperatorPlace) -> Observable<JSON>)
    }

    /// A form without parameters.
    init(_ name: String, isStateless: Bool = false, _ effect: OperatorEffect) {
        self.name = name
        parameters = []
        read = { _, place, _ in Operator(name, place.pointer, effect, isStateless: isStateless) }
    }

    /// A form with one parameter.
    init<A>(
        _ name: String, isStateless: Bool = false, _ first: Parameter<A>,
        _ effect: @escaping @Sendable (A) -> OperatorEffect
    ) {
        self.name = name
        parameters = [ParameterDescription(name: first.name, isRequired: true, schema: first.schema)]
        read = { object, place, reader in
            guard let a = first.take(from: object, of: name, at: place, &reader) else { return nil }
            return Operator(
                name, place.pointer, effect(a), isStateless: isStateless, a as? Pipeline, a as? Duration)
        }
    }

    /// A form with two parameters.
    init<A, B>(
        _ name: String, _ first: Parameter<A>, _ second: Parameter<B>,
        _ effect: @escaping @Sendable (A, B) -> OperatorEffect
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
            return Operator(name, place.pointer, effect(a, b), isStateless: false, nil, a as? Duration)
        }
    }
}

extension Operator {
    fileprivate init(
        _ name: String, _ pointer: JSONPointer, _ effect: OperatorForm.OperatorEffect, isStateless: Bool,
        _ inner: Pipeline? = nil, _ duration: Duration? = nil
    ) {
        self.name = name
        self.pointer = pointer
        self.inner = inner
        self.duration = duration
        self.isStateless = isStateless
        switch effect {
        case .machine(let machine):
            transform = { source, context in
                machine(OperatorPlace(context: context, pointer: pointer))
                    .observable(source, inner?.observable(in: context))
            }
            stage = { context, slot in machine(OperatorPlace(context: context, pointer: pointer)).stage(slot) }
        case .run(let run):
            transform = { source, context in run(source, OperatorPlace(context: context, pointer: pointer)) }
            stage = nil
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
