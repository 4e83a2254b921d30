/// A machine that depends on its values alone: it takes one after the other, and changes its state.
package struct ValueStep<Value, State, Output>: Machine {
    package typealias Take = (inout State, Value, inout Emission<Output>) throws -> Void
    package typealias Finish = (State, End, inout Emission<Output>) throws -> Void

    package let initial: State
    private let start: (inout Emission<Output>) throws -> Void
    private let take: Take
    private let finish: Finish

    /// A machine of a closure for each value, one for the end, and one for the beginning.
    package init(
        _ initial: State, begin start: @escaping (inout Emission<Output>) throws -> Void = { _ in },
        _ take: @escaping Take, end finish: @escaping Finish = { $2.finish($1) }
    ) {
        self.initial = initial
        self.start = start
        self.take = take
        self.finish = finish
    }

    package func begin(_ state: inout State, _ output: inout Emission<Output>) throws {
        try start(&output)
    }

    package func receive(_ value: Value, _ state: inout State, _ output: inout Emission<Output>) throws {
        try take(&state, value, &output)
    }

    package func end(_ end: End, _ state: inout State, _ output: inout Emission<Output>) throws {
        try finish(state, end, &output)
    }
}

/// The state of a machine that keeps nothing.
package struct Nothing {
    package init() {}
}

extension ValueStep where State == Nothing {
    /// A machine without a state.
    package init(
        begin start: @escaping (inout Emission<Output>) throws -> Void = { _ in },
        _ take: @escaping (Value, inout Emission<Output>) throws -> Void,
        end finish: @escaping (End, inout Emission<Output>) throws -> Void = { $1.finish($0) }
    ) {
        self.init(Nothing(), begin: start) {
            try take($1, &$2)
        } end: {
            try finish($1, &$2)
        }
    }

    /// Delivers each result that is not nil.
    package static func compactMap(_ transform: @escaping (Value) throws -> Output?) -> Self {
        ValueStep { value, output in
            if let result = try transform(value) { output.emit(result) }
        }
    }
}

extension ValueStep where State == Nothing, Output == Value {
    /// Delivers the values that satisfy a condition.
    package static func filter(_ isIncluded: @escaping (Value) throws -> Bool) -> Self {
        .compactMap { try isIncluded($0) ? $0 : nil }
    }

    /// Delivers the end alone.
    package static var ignoreOutput: Self { ValueStep { _, _ in } }

    /// Delivers a value and the completion in place of a failure.
    package static func replaceError(with value: Value) -> Self {
        ValueStep {
            $1.emit($0)
        } end: { end, output in
            if case .failed = end { output.emit(value) }
            output.finish(.completed)
        }
    }
}

extension ValueStep where State == Nothing, Output == Bool {
    /// Delivers false at the first value that does not satisfy a condition, or true on completion.
    package static func allSatisfy(_ isSatisfied: @escaping (Value) throws -> Bool) -> Self {
        ValueStep { value, output in
            guard try !isSatisfied(value) else { return }
            output.emit(false)
            output.finish(.completed)
        } end: { end, output in
            if case .completed = end { output.emit(true) }
            output.finish(end)
        }
    }
}

extension ValueStep where State == Output {
    /// Delivers each result of an accumulation.
    package static func scan(_ initial: State, _ accumulate: @escaping (State, Value) throws -> State) -> Self {
        ValueStep(initial) { accumulated, value, output in
            accumulated = try accumulate(accumulated, value)
            output.emit(accumulated)
        }
    }

    /// Delivers the result of an accumulation on completion.
    package static func reduce(_ initial: State, _ accumulate: @escaping (State, Value) throws -> State) -> Self {
        ValueStep(initial) { accumulated, value, _ in
            accumulated = try accumulate(accumulated, value)
        } end: { result, end, output in
            if case .completed = end { output.emit(result) }
            output.finish(end)
        }
    }
}

extension ValueStep where State == Value?, Output == Value {
    /// Delivers each value that is not the same as the one delivered before it.
    package static func removeDuplicates(
        by areSame: @escaping (_ previous: Value, _ value: Value) throws -> Bool
    ) -> Self {
        ValueStep(nil) { previous, value, output in
            if let previous, try areSame(previous, value) { return }
            previous = value
            output.emit(value)
        }
    }

    /// Delivers, on completion, the first value that no later one replaced.
    package static func extreme(_ replaces: @escaping (_ value: Value, _ kept: Value) throws -> Bool) -> Self {
        ValueStep(nil) { kept, value, _ in
            if let kept, try !replaces(value, kept) { return }
            kept = value
        } end: { kept, end, output in
            if case .completed = end, let kept { output.emit(kept) }
            output.finish(end)
        }
    }

    /// Delivers the last value on completion.
    package static var last: Self { .extreme { _, _ in true } }
}

extension ValueStep where State == Int, Output == Value {
    /// Drops the first `count` values.
    package static func dropFirst(_ count: Int) -> Self {
        ValueStep(count) { left, value, output in
            if left > 0 { left -= 1 } else { output.emit(value) }
        }
    }

    /// Delivers the first `count` values, and completes with the last of them.
    package static func prefix(_ count: Int) -> Self {
        ValueStep(count, begin: { if count <= 0 { $0.finish(.completed) } }) { left, value, output in
            guard left > 0 else { return }
            left -= 1
            output.emit(value)
            if left == 0 { output.finish(.completed) }
        }
    }

    /// Delivers the value at `index`, counted from 0, and completes.
    package static func element(at index: Int) -> Self {
        ValueStep(index, begin: { if index < 0 { $0.finish(.completed) } }) { left, value, output in
            guard left == 0 else { return left -= 1 }
            output.emit(value)
            output.finish(.completed)
        }
    }
}

extension ValueStep where State == Bool, Output == Value {
    /// Drops the values before the first that does not satisfy a condition.
    package static func drop(while isDropped: @escaping (Value) throws -> Bool) -> Self {
        ValueStep(true) { isDropping, value, output in
            if isDropping { isDropping = try isDropped(value) }
            if !isDropping { output.emit(value) }
        }
    }

    /// Delivers the values before the first that does not satisfy a condition, then completes.
    package static func prefix(while isIncluded: @escaping (Value) throws -> Bool) -> Self {
        ValueStep(true) { isOpen, value, output in
            isOpen = try isOpen && isIncluded(value)
            if isOpen { output.emit(value) } else { output.finish(.completed) }
        }
    }

    /// Delivers the first value that satisfies a condition, and completes.
    package static func first(where isIt: @escaping (Value) throws -> Bool) -> Self {
        ValueStep(true) { isOpen, value, output in
            guard isOpen, try isIt(value) else { return }
            isOpen = false
            output.emit(value)
            output.finish(.completed)
        }
    }

    /// Delivers a value on completion without one.
    package static func replaceEmpty(with value: Value) -> Self {
        ValueStep(true) { isEmpty, value, output in
            isEmpty = false
            output.emit(value)
        } end: { isEmpty, end, output in
            if case .completed = end, isEmpty { output.emit(value) }
            output.finish(end)
        }
    }
}
