// Operators that make one value of several.

extension Observable {
    /// Accumulates all values, starting with `initial`, and delivers the result on completion.
    public func reduce<Accumulated>(
        _ initial: Accumulated, _ accumulate: @escaping (Accumulated, Value) throws -> Accumulated
    ) -> Observable<Accumulated> {
        run(ValueStep.reduce(initial, accumulate))
    }

    /// Delivers the number of values on completion.
    public func count() -> Observable<Int> {
        reduce(0) { count, _ in count + 1 }
    }

    /// Delivers the smallest value on completion; among equal values, the first.
    public func min(by isBefore: @escaping (Value, Value) throws -> Bool) -> Observable<Value> {
        run(ValueStep.extreme(isBefore))
    }

    /// Delivers the largest value on completion; among equal values, the first.
    public func max(by isBefore: @escaping (Value, Value) throws -> Bool) -> Observable<Value> {
        run(ValueStep.extreme { try isBefore($1, $0) })
    }

    /// True if all values satisfy a condition. It delivers false at the first value that does not, or true on
    /// completion.
    public func allSatisfy(_ isSatisfied: @escaping (Value) throws -> Bool) -> Observable<Bool> {
        run(ValueStep.allSatisfy(isSatisfied))
    }

    /// True if a value satisfies a condition. It delivers true at the first such value, or false on completion.
    public func contains(where isIt: @escaping (Value) throws -> Bool) -> Observable<Bool> {
        allSatisfy { try !isIt($0) }.map { !$0 }
    }

    /// Delivers all values as one array on completion.
    public func collect() -> Observable<[Value]> {
        run(Collect())
    }

    /// Delivers arrays of `count` values, and the remaining values on completion.
    public func collect(_ count: Int) -> Observable<[Value]> {
        run(Collect(count))
    }

    /// Delivers the values of each `period` as one array at its end, and the remaining values on completion. A period
    /// without values delivers nothing.
    public func collect(every period: Duration, on scheduler: any Scheduler) -> Observable<[Value]> {
        run(CollectByTime(period, ticks: true), on: scheduler)
    }
}

extension Observable where Value: Equatable {
    /// True if the observable delivers `wanted`. It delivers true at that value, or false on completion.
    public func contains(_ wanted: Value) -> Observable<Bool> {
        contains { $0 == wanted }
    }
}

extension Observable where Value: Comparable {
    /// Delivers the smallest value on completion.
    public func min() -> Observable<Value> {
        min(by: <)
    }

    /// Delivers the largest value on completion.
    public func max() -> Observable<Value> {
        max(by: <)
    }
}
