import JSON
import Reactive

/// The values that wait in one operator, whose number has a limit.
final class Backlog {
    private var count = 0

    func add(at pointer: JSONPointer, in stage: Stage) throws {
        count += 1
        guard count <= Limits.waitingValues else {
            throw StreamFailure("more than \(Limits.waitingValues) values wait here", value: nil, at: pointer, in: stage)
        }
    }

    func remove(_ count: Int) {
        self.count -= count
    }
}

extension Stage {
    /// An operator that keeps values: what comes is counted, and `make` says when something has gone.
    func holding(
        _ source: Observable<JSON>, at pointer: JSONPointer, _ make: @escaping (Observable<JSON>, Backlog) -> Observable<JSON>
    ) -> Observable<JSON> {
        .deferred { [self] in
            let backlog = Backlog()
            let counted = source.map { value in
                try backlog.add(at: pointer, in: self)
                return value
            }
            return make(counted, backlog)
        }
    }
}
