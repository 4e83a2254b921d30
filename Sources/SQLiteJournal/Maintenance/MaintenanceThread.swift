internal import Platform
internal import StateStore
internal import Synchronization

/// The thread that does the work that appends leave. It advances snapshots, deletes old commits and answers, erases
/// deleted spaces, and copies the log into the database. With `interval` it syncs the log. Each second it checks that
/// the files exist.
final class MaintenanceThread: Sendable {
    /// The number of facts by which a snapshot advances in one step,
    static let factsLimit = 512
    /// and their bytes.
    static let bytesLimit = 1_024 * 1_024
    /// The rows of a part of a large commit.
    static let rowsOfPart = 64
    /// The time between a failure and the next try.
    static let retryNanoseconds: Int64 = 1_000_000_000
    /// The maximum time that `interval` leaves a commit unsynced.
    static let intervalNanoseconds: Int64 = 100_000_000

    let shared: SharedWriter
    /// Called after each sync of `interval`.
    let onSync = Lock<[@Sendable () -> Void]>([])
    private let wakeup = Condition()
    /// Held by the thread that does maintenance.
    private let turn = Lock(())
    /// True if a commit of `interval` waits for a sync.
    private let isUnsynced = Atomic(false)
    /// The spaces in which a reader found a long tail.
    private let found = Lock<[(space: SpaceName, id: Int)]>([])

    init(_ shared: SharedWriter) {
        self.shared = shared
    }

    /// Runs `body` with the writer, then wakes the thread if there is work for it.
    func write<Result: Sendable>(
        _ body: (BatchWriter) throws(JournalFailure) -> Result
    ) throws(JournalFailure) -> Result {
        let (result, isDue) = try shared.write(body)
        noteWritten(isDue: isDue)
        return result
    }

    /// Runs `body` like `write`, but does nothing and returns nil if it would have to wait.
    func writeAtOnce<Result: Sendable>(
        _ body: (BatchWriter) throws(JournalFailure) -> Result?
    ) throws(JournalFailure) -> Result? {
        guard let (result, isDue) = try shared.writeAtOnce(body) else { return nil }
        noteWritten(isDue: isDue)
        return result
    }

    private func noteWritten(isDue: Bool) {
        let isFirstUnsynced = shared.durability == .interval && !isUnsynced.exchange(true, ordering: .relaxed)
        if isDue || isFirstUnsynced { wakeup.signal() }
    }

    /// Requests a snapshot of a space in which a reader found a long tail.
    func noticeTail(of space: SpaceName, id: Int) {
        found.withLock { $0.append((space, id)) }
        wakeup.signal()
    }

    // MARK: The thread

    /// Works until `stop`.
    func run() {
        var syncTime: Int64?
        var retryTime: Int64?
        var lookTime = MonotonicTime.now + FileWatch.pauseNanoseconds
        while true {
            switch wakeup.wait(until: [syncTime, retryTime, lookTime].compactMap(\.self).min()) {
            case .stopped: return
            case .timedOut where isIdle(until: [syncTime, retryTime]):
                lookTime = MonotonicTime.now + FileWatch.pauseNanoseconds
                continue
            case .timedOut, .signaled: break
            }
            retryTime = nil
            do throws(JournalFailure) {
                try settle { () throws(JournalFailure) in
                    guard let time = syncTime, MonotonicTime.now >= time else { return }
                    syncTime = nil
                    guard isUnsynced.exchange(false, ordering: .relaxed) else { return }
                    try shared.sync()
                    for note in onSync.withLock({ $0 }) { note() }
                }
                shared.health.become(.well)
            } catch {
                // Without this deadline, an idle journal would never retry.
                retryTime = MonotonicTime.now + Self.retryNanoseconds
                if !shared.health.isSuspended { shared.health.become(.neglected(error)) }
            }
            if syncTime == nil, isUnsynced.load(ordering: .relaxed) {
                syncTime = MonotonicTime.now + Self.intervalNanoseconds
            }
            lookTime = MonotonicTime.now + FileWatch.pauseNanoseconds
        }
    }

    /// Checks the files. Returns true if they exist, no deadline has passed and the journal is not suspended: then
    /// there is no work.
    private func isIdle(until deadlines: [Int64?]) -> Bool {
        let now = MonotonicTime.now
        guard deadlines.allSatisfy({ ($0 ?? .max) > now }), !shared.health.isSuspended else { return false }
        do throws(JournalFailure) {
            try shared.lookAtFiles()
            return true
        } catch {
            return false
        }
    }

    /// Wakes the thread, because a process before this one has left work.
    func wake() { wakeup.signal() }

    /// Ends `run`.
    func stop() {
        wakeup.stop()
    }

    // MARK: The work

    /// Does all waiting work on the calling thread. Calls `pause` between steps.
    func settle(_ pause: () throws(JournalFailure) -> Void = {}) throws(JournalFailure) {
        try turn.withLock { _ throws(JournalFailure) in
            try shared.lookAtFiles()
            try shared.renew()
            try pause()
            try advanceSnapshots(pause)
            while try shared.step({ maintenance throws(JournalFailure) in try maintenance.clear() }) { try pause() }
            while try shared.step({ maintenance throws(JournalFailure) in try maintenance.expire() }) { try pause() }
            try shared.scrub()
            try shared.checkpoint()
            while try shared.lengthenLog() { try pause() }
        }
    }

    private func advanceSnapshots(_ pause: () throws(JournalFailure) -> Void) throws(JournalFailure) {
        let found = found.withLock { found in
            defer { found = [] }
            return found
        }
        try shared.step { maintenance throws(JournalFailure) in
            for (space, id) in found { maintenance.writer.plan { $0.add(space, id: id) } }
        }
        while let next = try shared.step({ maintenance throws(JournalFailure) in
            maintenance.writer.plan { $0.takeSpace() }
        }) {
            try completePast(of: next.space, id: next.id, pause)
            while try advance(next.space, id: next.id, pause) { try pause() }
        }
    }

    /// Advances the snapshot of a space by a step, which is read while appends go on. Returns true if another step is
    /// needed.
    private func advance(
        _ space: SpaceName, id: Int, _ pause: () throws(JournalFailure) -> Void
    ) throws(JournalFailure) -> Bool {
        let erasures = try erasureCount()
        let read = try shared.read {
            reader throws(JournalFailure) -> (head: SpaceHead, version: Int, step: SnapshotAdvance)? in
            try reader.connection.transaction("DEFERRED") { () throws(JournalFailure) in
                guard let head = try reader.head(of: space), head.id == id else { return nil }
                let (version, step) = try reader.advance(
                    space, after: head, factsLimit: Self.factsLimit, bytesLimit: Self.bytesLimit)
                return (head, version, step)
            }
        }
        guard let (head, version, all) = read else { return false }
        var step = all
        // One commit can have more facts than a step. Its rows are written before the snapshot moves.
        if version == head.snapshot + 1, step.rowCount > Self.factsLimit {
            for part in try step.parts(of: Self.rowsOfPart) {
                let isWritten = try shared.step { maintenance throws(JournalFailure) in
                    guard maintenance.writer.erasureCount == erasures else { return false }
                    return try maintenance.write(part, of: space, from: head)
                }
                // It is read again, unless the space is gone.
                guard isWritten else { return true }
                try pause()
            }
            step = step.withoutRows()
        }
        let hasMore = try shared.step { maintenance throws(JournalFailure) -> Bool? in
            // What was read before an erasure may have the row.
            guard maintenance.writer.erasureCount == erasures else { return true }
            return try maintenance.advance(space, from: head, to: version, by: step)
        }
        guard let hasMore else { return false }
        return hasMore || version < head.version
    }

    private func erasureCount() throws(JournalFailure) -> Int {
        try shared.step { maintenance throws(JournalFailure) in maintenance.writer.erasureCount }
    }

    /// Writes the past of a space whose snapshot an older program has made, if all its commits are stored. If they
    /// cannot be read, the past begins at that snapshot.
    private func completePast(
        of space: SpaceName, id: Int, _ pause: () throws(JournalFailure) -> Void
    ) throws(JournalFailure) {
        var step = SnapshotAdvance()
        var version = 0
        while true {
            let (start, begun) = (version, step)
            let erasures = try erasureCount()
            let read = try shared.read { reader throws(JournalFailure) -> (Int, SnapshotAdvance, Int)? in
                try reader.connection.transaction("DEFERRED") { () throws(JournalFailure) in
                    // Once the snapshot has moved on, its rows are newer than the past that would be written.
                    guard let head = try reader.head(of: space), head.id == id, head.oldest == 0, head.past > 0,
                        head.snapshot == head.past
                    else { return nil }
                    do throws(JournalFailure) {
                        let (version, step) = try reader.replay(
                            space, id: id, after: start, upTo: head.past, begun, factsLimit: Self.factsLimit,
                            bytesLimit: Self.bytesLimit)
                        return (version, step, head.past)
                    } catch  where error.kind == .damaged {
                        return nil
                    }
                }
            }
            guard let (reached, made, past) = read, reached > start else { return }
            let isWritten = try shared.step { maintenance throws(JournalFailure) in
                guard maintenance.writer.erasureCount == erasures else { return false }
                try maintenance.writePast(of: space, id: id, made, isEnd: reached == past)
                return true
            }
            // What was read before an erasure may have the row. The past begins at the snapshot then.
            if reached == past || !isWritten { return }
            (version, step) = (reached, made.withoutPast())
            try pause()
        }
    }
}
