import Sockets
import StateStore
import Synchronization

/// Whoever uses one token: what it allows, and how much it uses just now.
final class Account: Sendable {
    let token: Token
    private let streams = Atomic<Int>(0)
    private let bucket = Lock(Bucket())
    private let isWithdrawn_ = Atomic<Bool>(false)

    init(_ token: Token) {
        self.token = token
    }

    /// Whether the token is not good any more.
    var isWithdrawn: Bool { isWithdrawn_.load(ordering: .relaxed) }

    func withdraw() {
        isWithdrawn_.store(true, ordering: .relaxed)
    }

    // MARK: Streams

    /// Takes a place among the streams, if there is one.
    func openStream(limit: Int) -> Bool {
        if streams.wrappingAdd(1, ordering: .relaxed).newValue <= limit { return true }
        closeStream()
        return false
    }

    func closeStream() {
        streams.wrappingSubtract(1, ordering: .relaxed)
    }

    // MARK: Actions

    /// Actions that may still be performed: they come back with time, up to those of one second.
    private struct Bucket {
        var left = -1.0
        var at: Int64 = 0
    }

    /// Takes one action of so many a second, if there is one; how many are left.
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
