import JSON
import Reactive

/// The values that wait in one operator. Their number has a limit, and the size of all that wait in a run has one.
final class Backlog {
    private let allowance: Allowance
    /// The sizes of the values, in the order in which they came.
    private var sizes = Fifo<Int>()

    init(_ allowance: Allowance) {
        self.allowance = allowance
    }

    deinit {
        remove(sizes.count)
    }

    /// Counts a value that waits from now on.
    func add(_ value: JSON, at pointer: JSONPointer, in stage: Stage) throws {
        guard sizes.count < Limits.waitingValues else {
            throw StreamFailure("more than \(Limits.waitingValues) values wait here", value: nil, at: pointer, in: stage)
        }
        let room = Limits.waitingSize - allowance.waitingSize
        guard let size = ValueSize(of: value, upTo: room, nesting: .max).total else {
            throw StreamFailure("the values that wait are larger than \(Limits.waitingSize)", value: nil, at: pointer, in: stage)
        }
        guard allowance.spend(size / Limits.sizeOfStep) else { throw allowance.failure }
        allowance.waitingSize += size
        sizes.append(size)
    }

    /// Notes that the values that came first wait no longer.
    func remove(_ count: Int) {
        for _ in 0..<count { allowance.waitingSize -= sizes.popFirst() ?? 0 }
    }
}

extension Stage {
    /// An operator that keeps values: what comes is counted, and `make` says when something has gone.
    func holding(
        _ source: Observable<JSON>, at pointer: JSONPointer, _ make: @escaping (Observable<JSON>, Backlog) -> Observable<JSON>
    ) -> Observable<JSON> {
        .deferred { [self] in
            let backlog = Backlog(allowance)
            let counted = source.map { value in
                try backlog.add(value, at: pointer, in: self)
                return value
            }
            return make(counted, backlog)
        }
    }
}
