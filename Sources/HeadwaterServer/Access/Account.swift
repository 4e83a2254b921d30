import Ground
import Sockets
import StateStore
import Synchronization

/// One token's state: its rights and its current use.
final class Account: Sendable {
    let token: Token
    private let streams = Atomic<Int>(0)
    private let bucket = Lock(Bucket())
    private let isWithdrawn_ = Atomic<Bool>(false)

    init(_ token: Token) {
        self.token = token
    }

    /// True after the token was withdrawn.
    var isWithdrawn: Bool { isWithdrawn_.load(ordering: .relaxed) }

    func withdraw() {
        isWithdrawn_.store(true, ordering: .relaxed)
    }

    // MARK: Streams

    /// Counts one more open stream; returns false if the limit is reached.
    func openStream(limit: Int) -> Bool {
        if streams.wrappingAdd(1, ordering: .relaxed).newValue <= limit { return true }
        closeStream()
        return false
    }

    func closeStream() {
        streams.wrappingSubtract(1, ordering: .relaxed)
    }

    // MARK: Actions

    /// A token bucket. It fills with time up to the actions of one second.
    private struct Bucket {
        var left = -1.0
        var at: Int64 = 0
    }

    /// Takes one action of `rate` per second. Returns the number of actions left, or nil if there is none.
    func takeAction(rate: Int, now: Int64) -> Int? {
        bucket.with { bucket in
            let rate = Double(rate)
            if bucket.left < 0 {
                bucket.left = rate
            } else {
                bucket.left = min(rate, bucket.left + Double(now - bucket.at) / 1e9 * rate)
            }
            bucket.at = now
            guard bucket.left >= 1 else { return nil }
            bucket.left -= 1
            return Int(bucket.left)
        }
    }
}
