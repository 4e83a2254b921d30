import Ground
import HTTP
import Reactive
import Sockets
import StateStore

/// A stream or a long poll, under an account: it ends if the token is withdrawn or ends.
///
/// The connections of a loop hold its subscribers. The fields are in an order in which an idle stream takes little
/// memory.
class Subscriber {
    let connection: Connection
    private(set) var account: Account
    /// The end of the token; nil for one that does not end.
    private var ending: TokenEnding?
    /// The kind of path of a stream; -1 for a long poll.
    fileprivate let path: Int16
    private var hasPlace: Bool

    /// A stream on a connection.
    init(_ connection: Connection, _ place: StreamPlace) {
        self.connection = connection
        account = place.account
        path = Int16(place.path)
        hasPlace = place.handOver()
    }

    /// A request that may wait.
    init(_ responder: Responder) {
        connection = responder.exchange.connection
        account = responder.account
        (path, hasPlace) = (-1, false)
    }

    deinit {
        release()
    }

    /// Begins to look at the token, once the stream or the wait has begun.
    func begin(_ clock: TokenClock) {
        guard account.isWithdrawn else { return setEnding(clock) }
        let owned = Confined(self)
        clock.executor.post { owned.value.withdraw() }
    }

    /// Goes on under another token of the same subject.
    func prolong(by account: Account, _ clock: TokenClock) {
        self.account = account
        setEnding(clock)
    }

    private func setEnding(_ clock: TokenClock) {
        ending?.cancel()
        ending = account.expires ? TokenEnding(account.end, clock) { [weak self] in self?.withdraw() } : nil
    }

    /// True once the token has ended, for readers that send before the alarms of a turn.
    var hasEnded: Bool { ending?.hasCome ?? false }

    /// Gives the place of the stream back. The second call does nothing.
    func release() {
        ending?.cancel()
        ending = nil
        if hasPlace { account.use.closeStream() }
        hasPlace = false
    }

    /// Ends the stream or the wait, because its token is not good any more.
    func withdraw() { connection.endStream() }
}

/// A place among the streams of an account, for a stream that has yet to begin.
final class StreamPlace {
    let account: Account
    /// The kind of path.
    let path: Int
    private var isCounted: Bool

    init(of account: Account, path: Int, isCounted: Bool) {
        (self.account, self.path, self.isCounted) = (account, path, isCounted)
    }

    /// Passes the place to the stream. Returns true if it counts.
    func handOver() -> Bool {
        defer { isCounted = false }
        return isCounted
    }

    deinit {
        if isCounted { account.use.closeStream() }
    }
}

/// The clock by which tokens end.
struct TokenClock {
    let executor: LoopExecutor
    let now: @Sendable () -> Timestamp
}

/// The alarm of a token's end.
private final class TokenEnding {
    private let end: Timestamp
    private let clock: TokenClock
    private let body: () -> Void
    private var alarm: Alarm?

    init(_ end: Timestamp, _ clock: TokenClock, _ body: @escaping () -> Void) {
        (self.end, self.clock, self.body) = (end, clock, body)
        setAlarm()
    }

    var hasCome: Bool { clock.now() >= end }

    func cancel() { alarm?.cancel() }

    private func setAlarm() {
        let left = end.microseconds - clock.now().microseconds
        let alarms = clock.executor.alarms
        let alarm = Alarm(at: alarms.now + .microseconds(max(0, left))) { [weak self] _ in
            guard let self else { return }
            // The time of day can be behind the clock of the alarms.
            if hasCome { body() } else { setAlarm() }
        }
        self.alarm = alarm
        alarms.set(alarm)
    }
}

/// The subscribers of one loop, whom its connections hold.
enum Subscribers {
    private static func forEach(on loop: EventLoop, _ body: (Subscriber) -> Void) {
        loop.forEachChannel { channel in
            if let subscriber = (channel as? Connection)?.holder as? Subscriber { body(subscriber) }
        }
    }

    /// The number of open streams of each subject, by kind of path.
    static func streams(on loop: EventLoop) -> [String: [Int: Int]] {
        // Many streams have the same account, and its name is hashed once.
        var counts: [ObjectIdentifier: (account: Account, streams: [Int: Int])] = [:]
        forEach(on: loop) { subscriber in
            let path = Int(subscriber.path)
            guard path >= 0 else { return }
            let account = subscriber.account
            counts[ObjectIdentifier(account), default: (account, [:])].streams[path, default: 0] += 1
        }
        var streams: [String: [Int: Int]] = [:]
        for (account, own) in counts.values { streams[account.subject, default: [:]].merge(own, uniquingKeysWith: +) }
        return streams
    }

    /// Ends the streams and the polls whose token was withdrawn.
    static func endWithdrawn(on loop: EventLoop) {
        var withdrawn: [Subscriber] = []
        forEach(on: loop) { if $0.account.isWithdrawn { withdrawn.append($0) } }
        for subscriber in withdrawn { subscriber.withdraw() }
    }
}
