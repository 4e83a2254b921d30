import Ground
import Synchronization

/// The current use of the server by one subject, which all its tokens share.
final class SubjectUse: Sendable {
    private let streams = Atomic<Int>(0)
    private let trials = Atomic<Int>(0)
    private let actionsTotal = Atomic<Int>(0)
    private let refusalsTotal = Atomic<Int>(0)
    private let actions = Lock(RateBucket())
    private let minute = Lock(RateBucket(seconds: 60))
    private let bytes = Lock(RateBucket())

    // MARK: Streams and trials

    /// Counts one more open stream; returns false if the limit is reached.
    func openStream(limit: Int) -> Bool { Self.enter(streams, limit) }

    func closeStream() {
        streams.wrappingSubtract(1, ordering: .relaxed)
    }

    /// Counts one more running trial; returns false if the limit is reached.
    func beginTrial(limit: Int) -> Bool { Self.enter(trials, limit) }

    func endTrial() {
        trials.wrappingSubtract(1, ordering: .relaxed)
    }

    private static func enter(_ count: borrowing Atomic<Int>, _ limit: Int) -> Bool {
        if count.wrappingAdd(1, ordering: .relaxed).newValue <= limit { return true }
        count.wrappingSubtract(1, ordering: .relaxed)
        return false
    }

    // MARK: Totals

    /// Counts an action, performed or not.
    func countAction(_ count: Int = 1) {
        actionsTotal.wrappingAdd(count, ordering: .relaxed)
    }

    /// Counts a request that was refused for its rights or for a limit.
    func countRefusal() {
        refusalsTotal.wrappingAdd(1, ordering: .relaxed)
    }

    /// The actions since the use began.
    var actionsCount: Int { actionsTotal.load(ordering: .relaxed) }

    /// The refusals since the use began.
    var refusalsCount: Int { refusalsTotal.load(ordering: .relaxed) }

    /// The running trials.
    var trialsCount: Int { trials.load(ordering: .relaxed) }

    // MARK: Rates

    /// Takes actions of `rate` per second. Returns the number of actions left, or nil if there is none. A list of more
    /// actions than are left passes, and the requests after it wait.
    func takeActions(_ count: Int, rate: Int, now: Int64) -> Int? {
        actions.with { $0.take(Double(count), atLeast: 1, of: rate, now: now) }
    }

    /// Takes actions of `rate` per minute, as `takeActions` does.
    func takeMinuteActions(_ count: Int, rate: Int, now: Int64) -> Int? {
        minute.with { $0.take(Double(count), atLeast: 1, of: rate, now: now) }
    }

    /// Returns the number of actions left of `rate` per minute or per second, without taking one.
    func actionsLeft(of rate: Int, isPerMinute: Bool, now: Int64) -> Int {
        (isPerMinute ? minute : actions).with { $0.left(of: rate, now: now) }
    }

    /// The number of open streams.
    var streamsCount: Int { streams.load(ordering: .relaxed) }

    /// Takes bytes of `rate` per second. Returns the number of bytes left, or nil if there is none. A body that is
    /// larger than what is left passes, and the ones after it wait.
    func takeBytes(_ count: Int, rate: Int, now: Int64) -> Int? {
        bytes.with { $0.take(Double(count), atLeast: 0, of: rate, now: now) }
    }
}

/// A token bucket. It fills with time up to the amount of its seconds.
private struct RateBucket {
    private let seconds: Double
    private var left = Double.nan
    private var at: Int64 = 0

    init(seconds: Int = 1) { self.seconds = Double(seconds) }

    /// Returns the amount that is there, in whole numbers.
    func left(of rate: Int, now: Int64) -> Int {
        left.isNaN ? rate : Int(max(0, min(Double(rate), left + Double(now - at) / 1e9 * Double(rate) / seconds)))
    }

    /// Takes an amount if the bucket has `least` or more, and more than nothing. Returns what is left, or nil.
    mutating func take(_ amount: Double, atLeast least: Double, of rate: Int, now: Int64) -> Int? {
        let rate = Double(rate)
        left = left.isNaN ? rate : min(rate, left + Double(now - at) / 1e9 * rate / seconds)
        at = now
        guard left >= least, left > 0 else { return nil }
        left -= amount
        return max(0, Int(left))
    }
}
