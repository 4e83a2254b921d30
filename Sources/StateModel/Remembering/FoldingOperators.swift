public import JSON
public import Reactive

// Named operators: what they show follows from all earlier values, which they remember as state of the space.
// An operator takes the values of its source once in each commit. Its name is unique in the feature.

extension Observable where Value: Equatable & JSONWritable {
    /// Accumulates the values, starting with `initial`, and shows each result. It shows nothing before the first value.
    ///
    ///     moves = game.position.scan("moves", 0) { count, _ in count + 1 }
    public func scan<Accumulated: JSONConvertible>(
        _ name: String, _ initial: Accumulated,
        _ accumulate: @escaping (Accumulated, Value) throws -> Accumulated
    ) -> Observable<Accumulated> {
        folded(name, initial, showsInitial: false, accumulate)
    }

    /// Accumulates the values, starting with `initial`, and shows the result so far: before the first value, `initial`.
    public func reduce<Accumulated: JSONConvertible>(
        _ name: String, _ initial: Accumulated,
        _ accumulate: @escaping (Accumulated, Value) throws -> Accumulated
    ) -> Observable<Accumulated> {
        folded(name, initial, showsInitial: true, accumulate)
    }

    /// Shows the number of values so far.
    public func count(_ name: String) -> Observable<Int> {
        reduce(name, 0) { count, _ in count + 1 }
    }

    /// Shows true as long as all values satisfy a condition.
    public func allSatisfy(
        _ name: String, _ isSatisfied: @escaping (Value) throws -> Bool
    ) -> Observable<Bool> {
        reduce(name, true) { all, value in try all && isSatisfied(value) }
    }

    /// Shows false until a value satisfies a condition.
    public func contains(_ name: String, where isIt: @escaping (Value) throws -> Bool) -> Observable<Bool> {
        reduce(name, false) { found, value in try found || isIt(value) }
    }

    private func folded<Accumulated: JSONConvertible>(
        _ name: String, _ initial: Accumulated, showsInitial: Bool,
        _ accumulate: @escaping (Accumulated, Value) throws -> Accumulated
    ) -> Observable<Accumulated> {
        let kernel = MachineKernel(
            ValueStep<Value, Accumulated, Accumulated>.scan(initial, accumulate), .whole, { $0 }, showing: { $0 },
            showsInitial: showsInitial)
        return operated(name, kernel)
    }

    /// Makes a named operator of a machine with this observable as its source.
    func operated<M: Machine>(
        _ name: String, fault: String? = nil, _ machine: M, _ form: MemoryForm<M.State>
    ) -> Observable<M.Output> where M.Input == Value, M.Output: JSONConvertible {
        operated(name, fault: fault, MachineKernel(machine, form) { $0 })
    }

    fileprivate func operated<M: Machine, Output: JSONConvertible>(
        _ name: String, fault: String? = nil, _ kernel: MachineKernel<M, Output>
    ) -> Observable<Output> where M.Input == Value {
        NamedOperators.add(
            TypedOperator(
                name, fault: fault, kernel, [SourceInput(self, as: "source") { try kernel.receive($0, &$1) }]))
    }
}

extension Observable where Value: Equatable & JSONConvertible {
    /// Shows all values so far as an array. Each value is an entry of the memory, of which there is 1 MiB.
    public func collect(_ name: String) -> Observable<[Value]> {
        operated(
            name,
            MachineKernel(CollectSoFar<Value>(), .waiting("values"), { $0 }, showing: \.all, showsInitial: true))
    }

    /// Shows the last `count` values that came together: an array for each `count` of them.
    public func collect(_ name: String, _ count: Int) -> Observable<[Value]> {
        let fault = count > 0 ? nil : "it collects \(count) values"
        return operated(name, fault: fault, Collect<Value>(count), .waiting("values"))
    }

    /// Shows the last value. Of the source of a view it is the value itself; of commits it is the last one.
    public func last(_ name: String) -> Observable<Value> {
        keeping(name) { _, _ in true }
    }

    /// Shows the smallest value so far; among equal values, the first.
    public func min(
        _ name: String, by isBefore: @escaping (Value, Value) throws -> Bool
    ) -> Observable<Value> {
        keeping(name) { least, value in try isBefore(value, least) }
    }

    /// Shows the largest value so far; among equal values, the first.
    public func max(
        _ name: String, by isBefore: @escaping (Value, Value) throws -> Bool
    ) -> Observable<Value> {
        keeping(name) { greatest, value in try isBefore(greatest, value) }
    }

    /// Keeps the first value, and each later one that may take the place of the kept one.
    func keeping(
        _ name: String, _ isBetter: @escaping (_ kept: Value, _ value: Value) throws -> Bool
    ) -> Observable<Value> {
        operated(name, ValueStep<Value, Value?, Value>.removeDuplicates { try !isBetter($0, $1) }, .optional())
    }
}

extension Observable where Value: Comparable & JSONConvertible {
    /// Shows the smallest value so far.
    public func min(_ name: String) -> Observable<Value> { min(name, by: <) }
    /// Shows the largest value so far.
    public func max(_ name: String) -> Observable<Value> { max(name, by: <) }
}
