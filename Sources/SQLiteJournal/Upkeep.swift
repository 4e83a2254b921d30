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
    /// The time between a failure behind the appends and the next try.
    static let retryNanoseconds = 1_000_000_000
    /// How long `interval` leaves a commit unsynced.
    static let intervalNanoseconds = 100_000_000

    /// The one that writes; nil once it is closed.
    let desk: Guarded<Desk?>
    private let condition = Guarded(JournalCondition.well)
    /// Called when the condition becomes one of another kind.
    let onChange = Guarded<(@Sendable (JournalCondition) -> Void)?>(nil)
    /// Called when the log was synced, where that is done every so often.
    let onSync = Guarded<(@Sendable () -> Void)?>(nil)
    private let path: String
    private let reader: Guarded<Reader?>
    private let log: LogFile
    private let durability: Durability
    private let bell = Bell()
    /// Had by whoever does the chores.
    private let turn = Guarded(())
    private let isUnsynced = Atomic(false)
    /// The number of syncs that failed.
    let syncFailures = Atomic(0)
    /// Spaces that were found to have a long tail, by someone who does not wait for the one that writes.
    private let found = Guarded<[(space: SpaceName, id: Int)]>([])

    init(_ desk: sending Desk, _ reader: sending Reader, _ log: consuming LogFile, at path: String) {
        // A sync after a write that makes a file longer has to write down its length as well, and waits for the disk once more.
        if desk.writer.durability == .commit { desk.writer.plan { $0.noticeLog(log.length) } }
        durability = desk.writer.durability
        self.desk = Guarded(desk)
        self.reader = Guarded(reader)
        self.log = log
        self.path = path
    }

    /// Does something with the one that writes, and then sees to it that what this leaves to be done is.
    func write<Result: Sendable>(_ body: (Writer) throws(JournalFailure) -> Result) throws(JournalFailure) -> Result {
        var outcome: (result: Result, isDue: Bool)?
        while outcome == nil {
            outcome = try chore { desk throws(JournalFailure) in
                guard desk.writer.suspicion == nil else { return nil }
                do throws(JournalFailure) {
                    try desk.writer.files?.lookInTime()
                } catch {
                    become(.suspended(error))
                    throw error
                }
                return (try body(desk.writer), desk.writer.hasChores)
            }
            if outcome == nil { try renew() }
        }
        guard let (result, isDue) = outcome else { throw closed }
        let isFirstUnsynced = durability == .interval && !isUnsynced.exchange(true, ordering: .relaxed)
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
        var retryTime: Int?
        var lookTime = Bell.now + FileWatch.pauseNanoseconds
        while true {
            switch bell.wait(until: [syncTime, retryTime, lookTime].compactMap(\.self).min()) {
            case .stopped: return
            case .late where (syncTime ?? .max) > Bell.now && (retryTime ?? .max) > Bell.now && !isSuspended && !isRemoved():
                lookTime = Bell.now + FileWatch.pauseNanoseconds
                continue
            case .late, .rung: break
            }
            lookTime = Bell.now + FileWatch.pauseNanoseconds
            retryTime = nil
            do throws(JournalFailure) {
                try settle { () throws(JournalFailure) in
                    guard let time = syncTime, Bell.now >= time else { return }
                    syncTime = nil
                    try sync()
                }
                become(.well)
            } catch {
                // Nobody may come any more who would try it again.
                retryTime = Bell.now + Self.retryNanoseconds
                if !isSuspended { become(.neglected(error)) }
            }
            if syncTime == nil, isUnsynced.load(ordering: .relaxed) { syncTime = Bell.now + Self.intervalNanoseconds }
        }
    }

    /// Looks whether a file of the journal was removed, as an idle journal must to find out.
    private func isRemoved() -> Bool {
        desk.withLock { desk in
            do throws(JournalFailure) {
                try desk?.writer.files?.look()
                return false
            } catch {
                return true
            }
        }
    }

    private func sync() throws(JournalFailure) {
        guard isUnsynced.exchange(false, ordering: .relaxed) else { return }
        do throws(JournalFailure) {
            try log.sync()
        } catch {
            suspect(error)
            throw error
        }
        onSync.withLock { $0 }?()
    }

    /// Ends `run`, and then everything else.
    func stop() {
        bell.stop()
    }

    /// Lets go of the file. What is in the log is copied to its place and synced by the last one who does.
    func close() -> JournalFailure? {
        reader.withLock { $0 = nil }
        return desk.withLock { desk in
            guard let writer = desk?.writer else { return nil }
            defer { desk = nil }
            do throws(JournalFailure) {
                try writer.renew(log)
                try Register.end(on: writer.connection)
                try log.sync()
                try writer.connection.checkpoint()
                return nil
            } catch {
                // Copied once more, the log would count as synced. Whoever opens it next takes it for one that may have lost something.
                writer.connection.keepLog()
                return error
            }
        }
    }

    /// Does all that there is to do, on the thread that calls; `pause` is called between any two steps.
    func settle(_ pause: () throws(JournalFailure) -> Void = {}) throws(JournalFailure) {
        try turn.withLock { _ throws(JournalFailure) in try settleInTurn(pause) }
    }

    private func settleInTurn(_ pause: () throws(JournalFailure) -> Void) throws(JournalFailure) {
        try chore { desk throws(JournalFailure) in
            do throws(JournalFailure) {
                try desk.writer.files?.look()
            } catch {
                become(.suspended(error))
                throw error
            }
        }
        try renew()
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
            try desk.writer.lengthenLog { log.lengthen(by: Agenda.lengtheningBytes) }
        }
        guard isLonger else { return false }
        do throws(JournalFailure) {
            // Here, so that no commit waits for it.
            try log.sync()
        } catch {
            suspect(error)
            throw error
        }
        return true
    }

    private func chore<Result: Sendable>(_ body: (Desk) throws(JournalFailure) -> Result) throws(JournalFailure) -> Result {
        try desk.withLock { desk throws(JournalFailure) in
            guard let desk else { throw closed }
            do throws(JournalFailure) {
                return try body(desk)
            } catch {
                note(error, desk.writer)
                throw error
            }
        }
    }

    // MARK: Condition

    private var isSuspended: Bool {
        condition.withLock {
            switch $0 {
            case .well, .neglected: false
            case .suspended, .lost: true
            }
        }
    }

    private func become(_ next: JournalCondition) {
        let isNews = condition.withLock { condition in
            defer { condition = next }
            return !condition.resembles(next)
        }
        if isNews { onChange.withLock { $0 }?(next) }
    }

    /// The failure of the last maintenance; nil once it succeeded.
    var failure: JournalFailure? {
        condition.withLock {
            switch $0 {
            case .well: nil
            case .neglected(let failure), .suspended(let failure), .lost(let failure): failure
            }
        }
    }

    // MARK: Failed syncs

    /// Lets nothing more be appended until the disk holds what was.
    private func suspect(_ failure: JournalFailure) {
        desk.withLock { desk in
            if let writer = desk?.writer { note(failure, writer) }
        }
    }

    private func note(_ failure: JournalFailure, _ writer: Writer) {
        guard failure.kind == .outcomeUnknown else { return }
        writer.suspicion = failure
        syncFailures.add(1, ordering: .relaxed)
        become(.suspended(failure))
    }

    /// Has the disk hold what was appended, if that is in doubt.
    private func renew() throws(JournalFailure) {
        guard try chore({ desk throws(JournalFailure) in desk.writer.suspicion != nil }) else { return }
        // The reader's turn is that of checkpoints too.
        try reader.withLock { _ throws(JournalFailure) in
            try chore { desk throws(JournalFailure) in
                do throws(JournalFailure) {
                    try desk.writer.renew(log)
                    become(.well)
                } catch  where error.kind == .damaged {
                    become(.lost(error))
                    throw error
                } catch  where error.kind == .outcomeUnknown {
                    // Nothing was appended by whoever waits for this.
                    note(error, desk.writer)
                    throw JournalFailure(.cannotWrite, error.description)
                }
            }
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
            do throws(JournalFailure) {
                try reader?.connection.checkpoint()
            } catch {
                suspect(error)
                throw error
            }
            try chore { _ throws(JournalFailure) in try reader?.connection.checkpoint() }
        }
    }

    private var closed: JournalFailure {
        JournalFailure(.unusable, "The journal \(path) is closed.")
    }
}
