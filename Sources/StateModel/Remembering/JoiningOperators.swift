public import JSON
public import Reactive

// Named operators with several sources.

/// Shows the last value of any of the sources. Of values of one commit it takes them in the order of the sources.
public func merge<Value: Equatable & JSONConvertible>(
    _ name: String, _ sources: Observable<Value>...
) -> Observable<Value> {
    let kernel = MachineKernel(ValueStep<Value, Nothing, Value>.compactMap { $0 }, .nothing) { $0 }
    let inputs = sources.enumerated().map { index, source in
        SourceInput<Value, Value>(source, as: "source/\(index)") { try kernel.receive($0, &$1) }
    }
    return NamedOperators.add(TypedOperator(name, fault: nil, kernel, inputs))
}

extension Observable where Value: Equatable & JSONWritable {
    /// Shows a result for each value and the latest one of another observable. Values before the other's first one are
    /// dropped; of values of one commit the other's comes first.
    public func withLatestFrom<Other: Equatable & JSONConvertible, Output: JSONConvertible>(
        _ name: String, _ other: Observable<Other>, _ join: @escaping (Value, Other) throws -> Output
    ) -> Observable<Output> {
        operated(name, WithLatestFrom<Value, Other>(), .latest(), with: other) { try join($0.0, $0.1) }
    }

    /// Shows the latest value each time another observable delivers, if it is new since the last time.
    public func sample<Other: Equatable & JSONWritable>(
        _ name: String, _ other: Observable<Other>
    ) -> Observable<Value> where Value: JSONReadable {
        operated(name, Sample<Value, Other>(), .latest(), with: other) { $0 }
    }

    /// Shows a result for the first values of both observables, then for the second ones, and so on. Values wait for
    /// their counterparts.
    public func zip<Other: Equatable & JSONConvertible, Output: JSONConvertible>(
        _ name: String, _ other: Observable<Other>, _ join: @escaping (Value, Other) throws -> Output
    ) -> Observable<Output> where Value: JSONReadable {
        operated(name, Pairing<Value, Other>(), .counterparts(), with: other) { try join($0.0, $0.1) }
    }

    /// Makes a named operator of a machine with a side source.
    private func operated<M: Machine, Output: JSONConvertible>(
        _ name: String, _ machine: M, _ form: MemoryForm<M.State>, with other: Observable<M.Side>,
        _ made: @escaping (M.Output) throws -> Output
    ) -> Observable<Output> where M.Input == Value, M.Side: Equatable & JSONWritable {
        let kernel = MachineKernel(machine, form, made)
        let main = SourceInput<Value, Output>(self, as: "source") { try kernel.receive($0, &$1) }
        let side = SourceInput<M.Side, Output>(other, as: "other") { try kernel.receiveSide($0, &$1) }
        return NamedOperators.add(
            TypedOperator(name, fault: nil, kernel, machine.sideIsFirst ? [side, main] : [main, side]))
    }
}
