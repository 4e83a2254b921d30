public import JSON
public import Reactive

// Named operators with several sources.

/// Shows the last value of any of the sources. Of values of one commit it takes them in the order of the sources.
public func merge<Value: Equatable & JSONConvertible>(
    _ name: String, _ sources: Observable<Value>...
) -> Observable<Value> {
    let kernel = PassingKernel<Value, Value> { $1.emit($0) }
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
        // An array has the latest value, or is empty.
        let kernel = StateKernel<[Other], LatestInput<Value, Other>, Output>([]) { latest, input, moment in
            switch input {
            case .side(let value): latest = [value]
            case .main(let value): if let other = latest.first { moment.emit(try join(value, other)) }
            }
        }
        return NamedOperators.add(
            TypedOperator(
                name, fault: nil, kernel,
                [
                    SourceInput(other, as: "other") { try kernel.receive(.side($0), &$1) },
                    SourceInput(self, as: "source") { try kernel.receive(.main($0), &$1) },
                ]))
    }

    /// Shows the latest value each time another observable delivers, if it is new since the last time.
    public func sample<Other: Equatable & JSONWritable>(
        _ name: String, _ other: Observable<Other>
    ) -> Observable<Value> where Value: JSONReadable {
        let kernel = StateKernel<[Value], LatestInput<Other, Value>, Value>([]) { latest, input, moment in
            switch input {
            case .side(let value): latest = [value]
            case .main:
                if let value = latest.first { moment.emit(value) }
                latest = []
            }
        }
        return NamedOperators.add(
            TypedOperator(
                name, fault: nil, kernel,
                [
                    SourceInput(self, as: "source") { try kernel.receive(.side($0), &$1) },
                    SourceInput(other, as: "other") { try kernel.receive(.main($0), &$1) },
                ]))
    }

    /// Shows a result for the first values of both observables, then for the second ones, and so on. Values wait for
    /// their counterparts.
    public func zip<Other: Equatable & JSONConvertible, Output: JSONConvertible>(
        _ name: String, _ other: Observable<Other>, _ join: @escaping (Value, Other) throws -> Output
    ) -> Observable<Output> where Value: JSONReadable {
        let kernel = ZipKernel<Value, Other, Output>(join)
        return NamedOperators.add(
            TypedOperator(
                name, fault: nil, kernel,
                [
                    SourceInput(self, as: "source") { try kernel.receive($0, &$1) },
                    SourceInput(other, as: "other") { try kernel.receive(other: $0, &$1) },
                ]))
    }
}

/// A value of one of two sources.
private enum LatestInput<Main, Side> {
    case main(Main)
    case side(Side)
}

/// The kernel of `zip`. Each waiting value is an entry.
private final class ZipKernel<One: JSONConvertible, Other: JSONConvertible, Output>: OperatorKernel<Output> {
    private let join: (One, Other) throws -> Output
    private var ones = WaitingEntryQueue<One>("ones")
    private var others = WaitingEntryQueue<Other>("others")

    init(_ join: @escaping (One, Other) throws -> Output) {
        self.join = join
    }

    override func resume(_ memory: Memory?) throws {
        try ones.resume(memory)
        try others.resume(memory)
    }

    func receive(_ value: One, _ moment: inout OperatorMoment<Output>) throws {
        try ones.append(value, moment.memory)
        try deliver(&moment)
    }

    func receive(other value: Other, _ moment: inout OperatorMoment<Output>) throws {
        try others.append(value, moment.memory)
        try deliver(&moment)
    }

    private func deliver(_ moment: inout OperatorMoment<Output>) throws {
        while !ones.isEmpty, !others.isEmpty {
            guard let one = ones.popFirst(moment.memory), let other = others.popFirst(moment.memory) else { return }
            moment.emit(try join(one, other))
        }
    }
}
