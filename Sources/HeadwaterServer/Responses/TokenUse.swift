import Reactive
import StateStore

/// A stream or a long poll under the token of an account. It ends if the token is withdrawn, and when the token ends.
///
/// The uses of a loop form a list in which each use knows its neighbours, so that one joins and leaves in O(1).
final class TokenUse {
    private(set) var account: Account
    /// True if it has a place among the streams of its account.
    private let hasPlace: Bool
    /// The kind of path of a stream; nil for a long poll.
    fileprivate let stream: Int?
    private let list: TokenUseList
    private weak var reader: (any TokenReader)?
    private var isOpen = true
    /// The alarm of the token's end.
    private var alarm: Alarm?
    fileprivate unowned(unsafe) var previous: TokenUse?
    fileprivate unowned(unsafe) var next: TokenUse?

    init(of account: Account, hasPlace: Bool, stream: Int? = nil, in list: TokenUseList) {
        self.account = account
        self.hasPlace = hasPlace
        self.stream = stream
        self.list = list
        list.insert(self)
    }

    deinit {
        end()
    }

    /// Names the reader to be told if the token is withdrawn.
    func begin(_ reader: any TokenReader) {
        self.reader = reader
        if account.expires { setAlarm() }
    }

    /// True once the token has ended, for readers that send before the alarms of a turn.
    var hasEnded: Bool { account.expires && list.clock() >= account.end }

    /// Goes on under another token of the same subject.
    func prolong(by account: Account) {
        guard isOpen else { return }
        self.account = account
        alarm?.cancel()
        alarm = nil
        if account.expires { setAlarm() }
    }

    private func setAlarm() {
        let left = account.end.microseconds - list.clock().microseconds
        let alarm = Alarm(at: list.alarms.now + .microseconds(max(0, left))) { [weak self] _ in
            self?.reachEnd()
        }
        self.alarm = alarm
        list.alarms.set(alarm)
    }

    private func reachEnd() {
        guard isOpen else { return }
        // The time of day can be behind the clock of the alarms.
        if list.clock() < account.end { setAlarm() } else { withdraw() }
    }

    /// Leaves the list, and gives the stream's place back. The second call does nothing.
    func end() {
        guard isOpen else { return }
        isOpen = false
        list.remove(self)
        alarm?.cancel()
        if hasPlace { account.use.closeStream() }
    }

    fileprivate func withdraw() {
        reader?.tokenWithdrawn()
    }
}

/// A reader that ends if its token is withdrawn or ends.
protocol TokenReader: AnyObject {
    func tokenWithdrawn()
}

/// The streams and long polls of one loop that a token has to allow.
final class TokenUseList {
    private unowned(unsafe) var first: TokenUse?
    fileprivate let alarms: LoopScheduler
    fileprivate let clock: @Sendable () -> Timestamp

    init(_ alarms: LoopScheduler, _ clock: @escaping @Sendable () -> Timestamp) {
        self.alarms = alarms
        self.clock = clock
    }

    fileprivate func insert(_ use: TokenUse) {
        use.next = first
        first?.previous = use
        first = use
    }

    fileprivate func remove(_ use: TokenUse) {
        if let previous = use.previous { previous.next = use.next } else { first = use.next }
        use.next?.previous = use.previous
        use.previous = nil
        use.next = nil
    }

    /// The number of open streams of each subject, by kind of path.
    var streams: [String: [Int: Int]] {
        // Many streams have the same account, and its name is hashed once.
        var counts: [ObjectIdentifier: (account: Account, streams: [Int: Int])] = [:]
        var next = first
        while let use = next {
            if let path = use.stream {
                counts[ObjectIdentifier(use.account), default: (use.account, [:])].streams[path, default: 0] += 1
            }
            next = use.next
        }
        var streams: [String: [Int: Int]] = [:]
        for (account, own) in counts.values { streams[account.subject, default: [:]].merge(own, uniquingKeysWith: +) }
        return streams
    }

    /// Ends the streams and the polls whose token was withdrawn.
    func endWithdrawn() {
        var withdrawn: [TokenUse] = []
        var next = first
        while let use = next {
            if use.account.isWithdrawn { withdrawn.append(use) }
            next = use.next
        }
        for use in withdrawn { use.withdraw() }
    }
}
