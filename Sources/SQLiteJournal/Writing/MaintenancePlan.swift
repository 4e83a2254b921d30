internal import StateStore

/// The work that waits for the maintenance thread.
struct MaintenancePlan {
    /// A checkpoint is due after this number of pages: 16 MB.
    static let checkpointPages = 4_096
    /// The time between two passes that delete old answers: one minute.
    static let expiryMicroseconds: Int64 = 60_000_000

    /// The bytes by which the log grows in one step. A step takes 0.1 ms.
    static let lengtheningBytes = 256 * 1_024
    /// The limit to which the log grows ahead: 5/4 of the size that makes a checkpoint due. Below the limit, the log is
    /// four times as long as the bytes written.
    static let logBytesLimit = checkpointPages * 4_096 * 5 / 4

    private var spaces: [(space: SpaceName, id: Int)] = []
    private var ids: Set<Int> = []
    /// The newest time of a commit. The journal has no other clock.
    private var newest: Timestamp?
    private var lastExpiry: Timestamp?
    private var lastCheckpoint = 0
    /// The length of the log in bytes; nil if it does not grow ahead.
    private var logLength: Int?

    /// True if a space has a long tail.
    var hasSpaces: Bool { !spaces.isEmpty }

    /// Plans a snapshot of a space.
    mutating func add(_ space: SpaceName, id: Int) {
        if ids.insert(id).inserted { spaces.append((space, id)) }
    }

    /// Removes and returns a space that needs a snapshot.
    mutating func takeSpace() -> (space: SpaceName, id: Int)? {
        guard let next = spaces.popLast() else { return nil }
        ids.remove(next.id)
        return next
    }

    mutating func noticeTime(_ time: Timestamp) {
        newest = max(newest ?? time, time)
    }

    /// True if old answers are to be deleted.
    var isExpiryDue: Bool { expiry != nil }

    /// The time before which answers are deleted; nil if the last pass was less than a minute ago.
    var expiry: Timestamp? {
        guard let newest else { return nil }
        if let lastExpiry, newest.microseconds - lastExpiry.microseconds < Self.expiryMicroseconds { return nil }
        return Timestamp(microseconds: newest.microseconds - Int64(Idempotency.memory.components.seconds) * 1_000_000)
    }

    /// Notes that a pass over the answers has ended.
    mutating func expired() {
        lastExpiry = newest
    }

    /// True if a checkpoint is due.
    func isCheckpointDue(_ pagesWritten: Int) -> Bool {
        pagesWritten - lastCheckpoint >= Self.checkpointPages
    }

    /// Notes the length of the log; nil ends its growth ahead.
    mutating func noticeLog(_ length: Int?) {
        logLength = length
    }

    /// True if the log is to grow ahead of its frames.
    func isLogShort(_ pagesWritten: Int) -> Bool {
        guard let logLength else { return false }
        return min(Self.logBytesLimit, pagesWritten * 4_096 * 4) - logLength >= Self.lengtheningBytes
    }

    /// Returns true if a checkpoint is due, and counts from here again.
    mutating func takeCheckpoint(_ pagesWritten: Int) -> Bool {
        guard isCheckpointDue(pagesWritten) else { return false }
        lastCheckpoint = pagesWritten
        return true
    }
}
