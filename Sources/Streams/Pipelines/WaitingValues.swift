import JSON
import Reactive

/// The values that wait in one operator, in their order. Their number is limited, and the size of all values of the
/// run.
final class WaitingValues {
    private let budget: StepBudget
    /// The sizes of the values.
    private var sizes = Fifo<Int>()

    init(_ budget: StepBudget) {
        self.budget = budget
    }

    deinit {
        remove(sizes.count)
    }

    /// Counts a value that begins to wait.
    func add(_ value: JSON, at pointer: JSONPointer, in context: CompilationContext) throws {
        guard sizes.count < StreamLimits.waitingValues else {
            throw context.failure("more than \(StreamLimits.waitingValues) values wait here", at: pointer)
        }
        let room = StreamLimits.heldSize - budget.heldSize
        guard let size = ValueSize(of: value, upTo: room, nesting: .max).total else {
            throw context.failure(
                "the values that the operators hold are larger than \(StreamLimits.heldSize) together", at: pointer)
        }
        guard budget.spend(size / StreamLimits.sizeOfStep) else { throw budget.failure }
        budget.heldSize += size
        sizes.append(size)
    }

    /// Removes the first values.
    func remove(_ count: Int) {
        for _ in 0..<count { budget.heldSize -= sizes.popFirst() ?? 0 }
    }
}

extension CompilationContext {
    /// Compiles an operator in which values wait: each is counted when it comes, and `make` removes those that leave.
    func holding(
        _ source: Observable<JSON>, at pointer: JSONPointer,
        _ make: @escaping (Observable<JSON>, WaitingValues) -> Observable<JSON>
    ) -> Observable<JSON> {
        .deferred { [self] in
            let backlog = WaitingValues(budget)
            let counted = source.map { value in
                try backlog.add(value, at: pointer, in: self)
                return value
            }
            return make(counted, backlog)
        }
    }
}
