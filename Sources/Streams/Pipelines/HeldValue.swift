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
        guard total < StreamLimits.sizeOfStep || budget.spend(total / StreamLimits.sizeOfStep) else { throw budget.failure }
        size = total
        budget.heldSize += total
    }
}

extension CompilationContext {
    /// Compiles an operator that keeps the latest value of `source`: the value is counted while the operator runs.
    func keepingLatest(
        of source: Observable<JSON>, at pointer: JSONPointer,
        _ make: @escaping (Observable<JSON>) -> Observable<JSON> = { $0 }
    ) -> Observable<JSON> {
        .deferred { [self] in
            let held = HeldValue(self, at: pointer)
            return make(
                source.map { value in
                    try held.replace(with: value)
                    return value
                })
        }
    }

    /// Compiles an operator that keeps a result: `make` counts each with the `HeldValue` that it receives.
    func keepingResult(at pointer: JSONPointer, _ make: @escaping (HeldValue) -> Observable<JSON>) -> Observable<JSON> {
        .deferred { [self] in make(HeldValue(self, at: pointer)) }
    }
}
