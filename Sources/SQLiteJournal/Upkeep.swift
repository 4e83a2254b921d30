internal import Glibc
internal import StateStore
internal import Synchronization

/// What goes on behind the appends: snapshots are brought forward, history and answers are removed in time, the log is copied to its place and,
/// where that is how it is wanted, synced every so often.
final class Upkeep: Sendable {
    /// What both the appends and the upkeep write with.
    struct Desk {
        let writer: Writer
        let chores: Chores

        func clear() throws(JournalFailure) -> Bool {
            guard writer.hasForgotten else { return false }
            return try chores.clear()
        }

        func expire() throws(JournalFailure) -> Bool {
            guard let time = writer.plan({ $0.expiry }) else { return false }
            let hasMore = try chores.expire(before: time)
            if !hasMore { writer.plan { $0.expired() } }
            return hasMore
        }
    }

    /// The most facts that a snapshot is brought forward by in a step.
    static let factsLimit = 1_024
    /// How long `interval` leaves a commit unsynced.
    static let intervalNanoseconds = 100_000_000

    /// The one that writes; nil once it is closed.
    let desk: Guarded<Desk?>
    /// Why the last chore could not be done; nil once one could.
    let failure = Guarded<JournalFailure?>(nil)
    /// Called when the log was synced, where that is done every so often.
    let onSync = Guarded<(@Sendable () -> Void)?>(nil)
    private let path: String
    private let reader: Guarded<Reader?>
    /// The log, where it is synced every so often,
    private let log: LogFile?
    /// and where it is made longer: a sync after a write that makes a file longer has to write down its length as well, and waits for the disk once more.
    private let runway: LogFile?
    private let bell = Bell()
    /// Had by whoever does the chores.
    private let turn = Guarded(())
    private let isUnsynced = Atomic(false)
    /// Spaces that were found to have a long tail, by someone who does not wait for the one that writes.
    private let found = Guarded<[(space: SpaceName, id: Int)]>([])

    init(_ desk: sending Desk, _ reader: sending Reader, _ log: consuming LogFile?, runway: consuming LogFile?, at path: String) {
        if let length = runway?.length { desk.writer.plan { $0.noticeLog(length) } }
        self.runway = runway
        self.desk = Guarded(desk)
        self.reader = Guarded(reader)
        self.log = log
        self.path = path
    }

    /// Does something with the one that writes, and then sees to it that what this leaves to be done is.
    func write<Result: Sendable>(_ body: (Writer) throws(JournalFailure) -> Result) throws(JournalFailure) -> Result {
        let (result, isDue) = try desk.withLock { desk throws(JournalFailure) in
            guard let writer = desk?.writer else { throw closed }
            return (try body(writer), writer.hasChores)
        }
        let isFirstUnsynced = log != nil && !isUnsynced.exchange(true, ordering: .relaxed)
        if isDue || isFirstUnsynced { bell.ring() }
        return result
    }

    /// Has a space's snapshot brought forward, whose tail was found to be long.
    func noticeTail(of space: SpaceName, id: Int) {
        found.withLock { $0.append((space, id)) }
        bell.ring()
    }

    /// What a thread of its own does until `stop`.
    func run() {
        var syncTime: Int?
        while bell.wait(until: syncTime) != .stopped {
            do {
                try settle { () throws(JournalFailure) in
                    guard let time = syncTime, Bell.now >= time else { return }
                    syncTime = nil
                    try sync()
                }
                failure.withLock { $0 = nil }
            } catch {
                failure.withLock { $0 = error }
            }
            if syncTime == nil, isUnsynced.load(ordering: .relaxed) { syncTime = Bell.now + Self.intervalNanoseconds }
        }
    }

    private func sync() throws(JournalFailure) {
        guard log != nil, isUnsynced.exchange(false, ordering: .relaxed) else { return }
        do {
            try log?.sync()
        } catch {
            isUnsynced.store(true, ordering: .relaxed)
            throw error
        }
        onSync.withLock { $0 }?()
    }

    /// Ends `run`, and then everything else.
    func stop() {
        bell.stop()
    }

    /// Lets go of the file. What is in the log is copied to its place and synced by the last one who does. Returns true if the journal says now that it
    /// was closed.
    func close() -> Bool {
        reader.withLock { $0 = nil }
        return desk.withLock { desk in
            guard let writer = desk?.writer else { return false }
            // Where that fails, whoever opens it next takes it for a journal that may have lost something: that is safe.
            let isNoted = (try? Register.end(on: writer.connection)) != nil
            desk = nil
            return isNoted
        }
    }

    /// Does all that there is to do, on the thread that calls; `pause` is called between any two steps.
    func settle(_ pause: () throws(JournalFailure) -> Void = {}) throws(JournalFailure) {
        try turn.withLock { _ throws(JournalFailure) in try settleInTurn(pause) }
    }

    private func settleInTurn(_ pause: () throws(JournalFailure) -> Void) throws(JournalFailure) {
        try pause()
        let found = found.withLock { found in
            defer { found = [] }
            return found
        }
        try chore { desk throws(JournalFailure) in
            for (space, id) in found { desk.writer.plan { $0.add(space, id: id) } }
        }
        while let next = try chore({ desk throws(JournalFailure) in desk.writer.plan { $0.takeSpace() } }) {
            while try advance(next.space, id: next.id) { try pause() }
        }
        while try chore({ desk throws(JournalFailure) in try desk.clear() }) { try pause() }
        while try chore({ desk throws(JournalFailure) in try desk.expire() }) { try pause() }
        try checkpoint()
        while try lengthenLog() { try pause() }
    }

    private func lengthenLog() throws(JournalFailure) -> Bool {
        let isLonger = try chore { desk throws(JournalFailure) in
            try desk.writer.lengthenLog { runway?.lengthen(by: Agenda.lengtheningBytes) ?? nil }
        }
        // Here, so that no commit waits for it.
        if isLonger { try runway?.sync() }
        return isLonger
    }

    private func chore<Result: Sendable>(_ body: (Desk) throws(JournalFailure) -> Result) throws(JournalFailure) -> Result {
        try desk.withLock { desk throws(JournalFailure) in
            guard let desk else { throw closed }
            return try body(desk)
        }
    }

    /// Brings the snapshot of a space forward by a step, which is read while appends go on; whether another is needed.
    private func advance(_ space: SpaceName, id: Int) throws(JournalFailure) -> Bool {
        let read = try reader.withLock { reader throws(JournalFailure) -> (head: Head, version: Int, net: Net)? in
            guard let reader else { throw closed }
            return try reader.connection.transaction("DEFERRED") { () throws(JournalFailure) in
                guard let head = try reader.head(of: space), head.id == id else { return nil }
                var net = Net()
                let version = try reader.collect(space, after: head, limit: Self.factsLimit, into: &net)
                return (head, version, net)
            }
        }
        guard let (head, version, net) = read else { return false }
        let hasMore = try chore { desk throws(JournalFailure) in try desk.chores.advance(space, from: head, to: version, by: net) }
        guard let hasMore else { return false }
        return hasMore || version < head.version
    }

    /// Copies the log to its place, if there is much in it: nearly all of it while appends go on, and then, while they wait, the little that came
    /// since, for it starts anew only when nothing is left in it.
    private func checkpoint() throws(JournalFailure) {
        let isDue = try chore { desk throws(JournalFailure) in
            desk.writer.plan { $0.takeCheckpoint(desk.writer.connection.pagesWritten) }
        }
        guard isDue else { return }
        try reader.withLock { reader throws(JournalFailure) in
            try reader?.connection.checkpoint()
            try chore { _ throws(JournalFailure) in try reader?.connection.checkpoint() }
        }
    }

    private var closed: JournalFailure {
        JournalFailure(.unusable, "The journal \(path) is closed.")
    }
}
