// Operators that deliver some of the values.

extension Observable {
    /// Forwards the values that satisfy a condition.
    @inlinable
    public func filter(_ isIncluded: @escaping (Value) throws -> Bool) -> Observable<Value> {
        lift { value, output in
            if try isIncluded(value) { output.emit(value) }
        }
    }

    /// Drops each value that is the same as the value delivered before it.
    public func removeDuplicates(
        by areSame: @escaping (_ previous: Value, _ value: Value) throws -> Bool
    ) -> Observable<Value> {
        run(ValueStep.removeDuplicates(by: areSame))
    }

    /// Drops each value with the same key as the value delivered before it.
    public func removeDuplicates<Key: Equatable>(key: @escaping (Value) throws -> Key) -> Observable<Value> {
        run(
            ValueStep<Value, Key?, Value>(nil) { previous, value, output in
                let key = try key(value)
                guard previous != key else { return }
                previous = key
                output.emit(value)
            })
    }

    /// Drops the first `count` values.
    public func dropFirst(_ count: Int = 1) -> Observable<Value> {
        run(ValueStep.dropFirst(count))
    }

    /// Drops the values before the first that does not satisfy the condition.
    public func drop(while isDropped: @escaping (Value) throws -> Bool) -> Observable<Value> {
        run(ValueStep.drop(while: isDropped))
    }

    /// Drops values until another observable delivers, then cancels the other. It forwards a value of the same turn.
    public func skip<Other>(until other: Observable<Other>) -> Observable<Value> {
        run(SkipUntil(), with: other)
    }

    /// Forwards the first `count` values and completes with the last of them.
    public func prefix(_ count: Int) -> Observable<Value> {
        run(ValueStep.prefix(count))
    }

    /// Forwards the values before the first that does not satisfy the condition, then completes.
    public func prefix(while isIncluded: @escaping (Value) throws -> Bool) -> Observable<Value> {
        run(ValueStep.prefix(while: isIncluded))
    }

    /// Forwards values until another observable delivers, then completes. It drops a value of the same turn.
    public func prefix<Other>(until other: Observable<Other>) -> Observable<Value> {
        run(PrefixUntil(), with: other)
    }

    /// Delivers the first value and completes.
    public func first() -> Observable<Value> {
        prefix(1)
    }

    /// Delivers the first value that satisfies a condition and completes.
    public func first(where isIt: @escaping (Value) throws -> Bool) -> Observable<Value> {
        run(ValueStep.first(where: isIt))
    }

    /// Delivers the last value on completion.
    public func last() -> Observable<Value> {
        run(ValueStep.last)
    }

    /// Delivers the last value that satisfies a condition, on completion.
    public func last(where isIt: @escaping (Value) throws -> Bool) -> Observable<Value> {
        filter(isIt).last()
    }

    /// Delivers the value at `index`, counted from 0, and completes. With fewer values it completes without one, as in
    /// Combine.
    public func element(at index: Int) -> Observable<Value> {
        run(ValueStep.element(at: index))
    }

    /// Forwards only the end.
    @inlinable
    public func ignoreOutput() -> Observable<Value> {
        lift { _, _ in }
    }

    /// Combines each value with the latest value of another observable. It drops values that arrive before the other
    /// has delivered. Within one turn it uses the value that the other delivers in that turn.
    public func withLatestFrom<Other>(_ other: Observable<Other>) -> Observable<(Value, Other)> {
        run(WithLatestFrom(), with: other)
    }

    /// Delivers the latest value each time another observable delivers, if it is new since the last time. It completes
    /// when either completes.
    public func sample<Other>(_ other: Observable<Other>) -> Observable<Value> {
        run(Sample(), with: other)
    }
}

extension Observable where Value: Equatable {
    /// Drops each value that equals the value delivered before it.
    public func removeDuplicates() -> Observable<Value> {
        run(ValueStep.removeDuplicates(by: ==))
    }
}
