import JSON
import Reactive

/// The latest value that one operator keeps, counted in the size of all values that the operators of its run hold.
final class HeldValue {
    private let budget: StepBudget
    private let context: CompilationContext
    private let pointer: JSONPointer
    private var size = 0

    init(_ context: CompilationContext, at pointer: JSONPointer) {
        self.context = context
        self.pointer = pointer
        budget = context.budget
    }

    deinit {
        clear()
    }

    /// Counts a value in place of the one before.
    @inline(__always)
    func replace(with value: JSON) throws {
        switch value {
        // A scalar is part of the operator itself.
        case .null, .bool, .number: if size > 0 { clear() }
        case .string, .array, .object: try measure(value)
        }
    }

    /// Counts a string if it is larger than the one before: `min` and `max` keep one of the two.
    func raise(to value: JSON) throws {
        if case .string(let text) = value, text.utf8.count >= size { try measure(value) }
    }

    /// Counts nothing any more.
    func clear() {
        budget.heldSize -= size
        size = 0
    }

    @inline(never)
    private func measure(_ value: JSON) throws {
        clear()
        let room = StreamLimits.heldSize - budget.heldSize
        guard let total = ValueSize(of: value, upTo: room, nesting: .max).total else {
            throw context.failure(
                "the values that the operators hold are larger than \(StreamLimits.heldSize) together", at: pointer)
        }
        guard total < StreamLimits.sizeOfStep || budget.spend(total / StreamLimits.sizeOfStep) else {
            throw budget.failure
        }
        size = total
        budget.heldSize += total
    }
}

extension CompilationContext {
    /// Returns the values of `source`, each counted in place of the one before: an operator keeps the latest one.
    func keepingLatest(of source: Observable<JSON>, at pointer: JSONPointer) -> Observable<JSON> {
        let held = HeldValue(self, at: pointer)
        return source.map { value in
            try held.replace(with: value)
            return value
        }
    }
}
