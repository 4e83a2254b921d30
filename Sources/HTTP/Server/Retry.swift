internal import Sockets

/// A timer that retries an operation.
final class Retry: TimerSource {
    private(set) var next: Int64?
    /// The attempt.
    var body: () -> Void = {}

    func set(at time: Int64) {
        next = time
    }

    func advance(to now: Int64) {
        next = nil
        body()
    }
}
