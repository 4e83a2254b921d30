/// The pace at which spaces are loaded for the sake of time: at most `limit` a second.
final class WakePace {
    static let limit = 1_000
    private var second = Timestamp(microseconds: .min)
    private var count = 0

    /// Takes as many as the second still permits, at most `wanted`.
    func take(_ wanted: Int, at now: Timestamp) -> Int {
        if now >= end || now < second { (second, count) = (now, 0) }
        let taken = min(wanted, Self.limit - count)
        count += taken
        return taken
    }

    /// The time from which on more are permitted.
    var end: Timestamp { second + .seconds(1) }
}
