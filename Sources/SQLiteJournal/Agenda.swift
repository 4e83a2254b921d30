internal import StateStore

/// What is to be done behind the appends.
struct Agenda {
    /// The log is copied to its place when so many pages were written to it: 16 MB.
    static let checkpointPages = 4_096
    /// How much later than it might an answer is forgotten.
    static let expiryMicroseconds: Int64 = 60_000_000

    /// The log is made longer in steps of so many bytes, which take a tenth of a millisecond,
    static let lengtheningBytes = 256 * 1_024
    /// to four times of what was written to it, and to somewhat more than has it copied.
    static let logBytesLimit = checkpointPages * 4_096 * 5 / 4

    private var spaces: [(space: SpaceName, id: Int)] = []
    private var ids: Set<Int> = []
    /// The newest time that a commit told: the journal has no other clock.
    private var newest: Timestamp?
    private var lastExpiry: Timestamp?
    private var lastCheckpoint = 0
    /// How long the log is, as far as that was looked at; nil where it is not made longer.
    private var logLength: Int?

    /// Whether there are spaces whose tail is too long.
    var hasSpaces: Bool { !spaces.isEmpty }

    /// Has a space's snapshot brought forward.
    mutating func add(_ space: SpaceName, id: Int) {
        if ids.insert(id).inserted { spaces.append((space, id)) }
    }

    /// The next space whose snapshot is to be brought forward.
    mutating func takeSpace() -> (space: SpaceName, id: Int)? {
        guard let next = spaces.popLast() else { return nil }
        ids.remove(next.id)
        return next
    }

    mutating func noticeTime(_ time: Timestamp) {
        newest = max(newest ?? time, time)
    }

    /// Whether it is time to look for answers that are too old.
    var isExpiryDue: Bool { expiry != nil }

    /// Answers before this time are to be forgotten; nil where that was done lately.
    var expiry: Timestamp? {
        guard let newest else { return nil }
        if let lastExpiry, newest.microseconds - lastExpiry.microseconds < Self.expiryMicroseconds { return nil }
        return Timestamp(microseconds: newest.microseconds - Int64(Idempotency.memory.components.seconds) * 1_000_000)
    }

    /// Answers were looked through.
    mutating func expired() {
        lastExpiry = newest
    }

    /// Whether there is much in the log.
    func isCheckpointDue(_ pagesWritten: Int) -> Bool {
        pagesWritten - lastCheckpoint >= Self.checkpointPages
    }

    /// How long the log is; nil where it is not to be made longer, or not any more.
    mutating func noticeLog(_ length: Int?) {
        logLength = length
    }

    /// Whether the log is to be made longer, ahead of what is written to it.
    func isLogShort(_ pagesWritten: Int) -> Bool {
        guard let logLength else { return false }
        return min(Self.logBytesLimit, pagesWritten * 4_096 * 4) - logLength >= Self.lengtheningBytes
    }

    /// The same, and counts anew if so.
    mutating func takeCheckpoint(_ pagesWritten: Int) -> Bool {
        guard isCheckpointDue(pagesWritten) else { return false }
        lastCheckpoint = pagesWritten
        return true
    }
}
