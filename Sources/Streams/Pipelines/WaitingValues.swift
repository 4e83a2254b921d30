import JSON
import Reactive

/// The values that wait in one operator. Their number has a limit, and the size of all that wait in a run has one.
final class WaitingValues {
    private let budget: StepBudget
    /// The sizes of the values, in the order in which they came.
    private var sizes = Fifo<Int>()

    init(_ budget: StepBudget) {
        self.budget = budget
    }

    deinit {
        remove(sizes.count)
    }

    /// Counts a value that waits from now on.
    func add(_ value: JSON, at pointer: JSONPointer, in context: CompilationContext) throws {
        guard sizes.count < StreamLimits.waitingValues else {
            throw context.failure("more than \(StreamLimits.waitingValues) values wait here", at: pointer)
        }
        let room = StreamLimits.heldSize - budget.heldSize
        guard let size = ValueSize(of: value, upTo: room, nesting: .max).total else {
            throw context.failure("the values that the operators hold are larger than \(StreamLimits.heldSize) together", at: pointer)
        }
        guard budget.spend(size / StreamLimits.sizeOfStep) else { throw budget.failure }
        budget.heldSize += size
        sizes.append(size)
    }

    /// Notes that the values that came first wait no longer.
    func remove(_ count: Int) {
        for _ in 0..<count { budget.heldSize -= sizes.popFirst() ?? 0 }
    }
}

extension CompilationContext {
    /// An operator that keeps values: what comes is counted, and `make` says when something has gone.
    func holding(
        _ source: Observable<JSON>, at pointer: JSONPointer, _ make: @escaping (Observable<JSON>, WaitingValues) -> Observable<JSON>
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
