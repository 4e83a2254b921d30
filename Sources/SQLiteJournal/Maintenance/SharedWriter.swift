internal import Glibc
internal import Platform
internal import StateStore
internal import Synchronization

/// The writing connection, shared by callers of the journal and the maintenance thread. After a failed sync, no commit
/// is appended before `renew` has made all commits durable again.
final class SharedWriter: Sendable {
    let health = JournalHealth()
    let durability: Durability
    private let path: String
    /// Nil once the journal is closed.
    private let maintenance: Lock<Maintenance?>
    /// The connection that reads for snapshots and makes checkpoints. A thread that needs both locks takes this one
    /// first.
    private let reader: Lock<JournalReader?>
    private let log: LogFile
    /// The number of writers that wait for the lock, or have it.
    private let waitingWriters = Atomic(0)

    init(
        _ maintenance: sending Maintenance, _ reader: sending JournalReader, _ log: consuming LogFile, at path: String
    ) {
        // A sync after a write that grows the file must also write the length of the file, which is a second wait for
        // the disk.
        if maintenance.writer.durability == .commit { maintenance.writer.plan { $0.noticeLog(log.length) } }
        durability = maintenance.writer.durability
        self.maintenance = Lock(maintenance)
        self.reader = Lock(reader)
        self.log = log
        self.path = path
    }

    /// The failure of every call after the end.
    private var closed: JournalFailure { JournalFailure(.unusable, "The journal \(path) is closed.") }

    // MARK: Use

    /// Runs `body` with the writer, after `renew` if a sync has failed. Returns its result, and true if it leaves work
    /// for the maintenance thread.
    func write<Result: Sendable>(
        _ body: (BatchWriter) throws(JournalFailure) -> Result
    ) throws(JournalFailure) -> (result: Result, isDue: Bool) {
        while true {
            waitingWriters.add(1, ordering: .relaxed)
            defer { waitingWriters.subtract(1, ordering: .relaxed) }
            let outcome = try locked { maintenance throws(JournalFailure) -> (Result, Bool)? in
                let writer = maintenance.writer
                do throws(JournalFailure) {
                    try writer.files?.lookInTime()
                } catch {
                    health.become(.suspended(error))
                    throw error
                }
                guard writer.suspicion == nil else { return nil }
                return (try body(writer), writer.hasMaintenance)
            }
            if let outcome { return outcome }
            try renew()
        }
    }

    /// Runs `body` like `write`, but does nothing and returns nil in three cases: another thread uses the writer, the
    /// journal has to be renewed first, or it is closed. A `body` that returns nil has done nothing.
    func writeAtOnce<Result: Sendable>(
        _ body: (BatchWriter) throws(JournalFailure) -> Result?
    ) throws(JournalFailure) -> (result: Result, isDue: Bool)? {
        let outcome = try maintenance.withLockIfFree { maintenance throws(JournalFailure) -> (Result, Bool)? in
            guard let writer = maintenance?.writer, writer.suspicion == nil else { return nil }
            do throws(JournalFailure) {
                try writer.files?.lookInTime()
            } catch {
                health.become(.suspended(error))
                note(error, writer)
                throw error
            }
            do throws(JournalFailure) {
                return try body(writer).map { ($0, writer.hasMaintenance) }
            } catch {
                note(error, writer)
                throw error
            }
        }
        return outcome ?? nil
    }

    /// Runs one step of maintenance. Appends wait for it, and those that wait already come first.
    func step<Result: Sendable>(_ body: (Maintenance) throws(JournalFailure) -> Result) throws(JournalFailure) -> Result
    {
        // The lock is not fair: a thread that takes it again at once takes it before those that wait for it. Without end
        // they do not go first.
        for _ in 0..<Self.givingWays where waitingWriters.load(ordering: .relaxed) > 0 {
            usleep(Self.givingWayMicroseconds)
        }
        return try locked(body)
    }

    private static let givingWays = 100
    private static let givingWayMicroseconds: UInt32 = 50

    private func locked<Result: Sendable>(
        _ body: (Maintenance) throws(JournalFailure) -> Result
    ) throws(JournalFailure) -> Result {
        try maintenance.withLock { maintenance throws(JournalFailure) in
            guard let maintenance else { throw closed }
            do throws(JournalFailure) {
                return try body(maintenance)
            } catch {
                note(error, maintenance.writer)
                throw error
            }
        }
    }

    /// Runs `body` with the reader. Appends go on meanwhile.
    func read<Result: Sendable>(
        _ body: (JournalReader) throws(JournalFailure) -> Result
    ) throws(JournalFailure) -> Result {
        try reader.withLock { reader throws(JournalFailure) in
            guard let reader else { throw closed }
            return try body(reader)
        }
    }

    // MARK: Files

    /// Throws if a file of the journal was removed or replaced.
    func lookAtFiles() throws(JournalFailure) {
        try maintenance.withLock { maintenance throws(JournalFailure) in
            guard let maintenance else { throw closed }
            do throws(JournalFailure) {
                try maintenance.writer.files?.look()
            } catch {
                health.become(.suspended(error))
                throw error
            }
        }
    }

    /// Makes the log durable.
    func sync() throws(JournalFailure) {
        do throws(JournalFailure) {
            try log.sync()
        } catch {
            suspect(error)
            throw error
        }
    }

    /// Grows the log by a step if it is short, and syncs it, so that no commit waits for that. Returns true if it did.
    func lengthenLog() throws(JournalFailure) -> Bool {
        let isLonger = try step { maintenance throws(JournalFailure) in
            try maintenance.writer.lengthenLog { log.lengthen(by: MaintenancePlan.lengtheningBytes) }
        }
        if isLonger { try sync() }
        return isLonger
    }

    /// Copies the log into the database if the log is long. Most of it is copied while appends continue. Then appends
    /// wait while the new frames are copied, because the log restarts only after every frame was copied.
    func checkpoint() throws(JournalFailure) {
        let isDue = try step { maintenance throws(JournalFailure) in
            maintenance.writer.plan { $0.takeCheckpoint(maintenance.writer.connection.pagesWritten) }
        }
        guard isDue else { return }
        try reader.withLock { reader throws(JournalFailure) in
            do throws(JournalFailure) {
                try reader?.connection.checkpoint()
            } catch {
                suspect(error)
                throw error
            }
            try step { _ throws(JournalFailure) in try reader?.connection.checkpoint() }
        }
    }

    // MARK: Erasing

    /// The greatest size of a database whose unused bytes are overwritten after an erasure.
    private static let vacuumBytesLimit = 1_024 * 1_024 * 1_024
    /// The greatest size for which the erasing append waits for that.
    static let vacuumAtOnceBytesLimit = 16 * 1_024 * 1_024

    /// Removes the bytes of erased rows from the files: from pages that SQLite has left or has moved rows out of, and
    /// from the log. Appends wait meanwhile. Does nothing to a database of more than `limit` bytes. If a reader needs
    /// the log, the bytes stay until the next try.
    func scrub(upTo limit: Int = vacuumBytesLimit) throws(JournalFailure) {
        guard try step({ maintenance throws(JournalFailure) in maintenance.writer.hasErased }) else { return }
        // The lock of the reader prevents checkpoints.
        try reader.withLock { _ throws(JournalFailure) in
            try step { maintenance throws(JournalFailure) in
                let connection = maintenance.writer.connection
                guard maintenance.writer.suspicion == nil, try connection.emptyLog() else { return }
                let size = try connection.integer("PRAGMA page_count") * connection.integer("PRAGMA page_size")
                guard size <= limit else {
                    // The rows are gone; what SQLite may have left of them in unused bytes of a large file stays.
                    if limit == Self.vacuumBytesLimit { try maintenance.writer.noteScrubbed() }
                    return
                }
                let store = size <= Self.vacuumAtOnceBytesLimit ? "MEMORY" : "DEFAULT"
                try connection.execute("PRAGMA temp_store = \(store)")
                try connection.execute("VACUUM")
                try maintenance.writer.noteScrubbed()
                _ = try connection.emptyLog()
                maintenance.writer.plan { $0.noticeLog(0) }
            }
        }
    }

    // MARK: Failed syncs

    /// Suspends appends until all appended commits are durable.
    private func suspect(_ failure: JournalFailure) {
        maintenance.withLock { maintenance in
            if let writer = maintenance?.writer { note(failure, writer) }
        }
    }

    private func note(_ failure: JournalFailure, _ writer: BatchWriter) {
        switch failure.kind {
        case .outcomeUnknown:
            writer.suspicion = failure
            health.syncFailures.add(1, ordering: .relaxed)
            health.become(.suspended(failure))
        // That another process writes is no failure of the disk.
        case .cannotWrite where !writer.connection.isBlocked: health.syncFailures.add(1, ordering: .relaxed)
        default: break
        }
    }

    /// Rewrites and syncs all appended commits, if a sync has failed.
    func renew() throws(JournalFailure) {
        guard try step({ maintenance throws(JournalFailure) in maintenance.writer.suspicion != nil }) else { return }
        // The lock of the reader prevents checkpoints.
        try reader.withLock { _ throws(JournalFailure) in
            try step { maintenance throws(JournalFailure) in
                do throws(JournalFailure) {
                    try maintenance.writer.renew(log)
                    health.become(.well)
                } catch  where error.kind == .damaged {
                    health.become(.lost(error))
                    throw error
                } catch  where error.kind == .outcomeUnknown {
                    // The caller that waits for this has appended nothing, so its outcome is known.
                    note(error, maintenance.writer)
                    throw JournalFailure(.cannotWrite, error.description)
                }
            }
        }
    }

    // MARK: End

    /// Copies the log into the database, syncs it and closes both connections. Returns the failure if that could not be
    /// done.
    func close() -> JournalFailure? {
        reader.withLock { $0 = nil }
        return maintenance.withLock { maintenance in
            guard let writer = maintenance?.writer else { return nil }
            defer { maintenance = nil }
            do throws(JournalFailure) {
                // At the path there may be the files of another journal by now.
                try writer.files?.look()
                try writer.renew(log)
                try EpochTable.end(on: writer.connection)
                try log.sync()
                try writer.connection.checkpoint()
                return nil
            } catch {
                // Another checkpoint would count the log as synced. So the next start sees a journal that was not
                // closed properly.
                writer.connection.keepLog()
                return error
            }
        }
    }
}

/// The condition of a journal, and the callback that receives its changes.
final class JournalHealth: Sendable {
    /// The number of syncs that failed.
    let syncFailures = Atomic(0)
    private let condition = Lock(JournalCondition.well)
    private let onChange = Lock<[@Sendable (JournalCondition) -> Void]>([])

    /// Calls `receive` when the kind of the condition changes.
    func watch(_ receive: @escaping @Sendable (JournalCondition) -> Void) {
        onChange.withLock { $0 = [receive] }
    }

    /// Sets the condition.
    func become(_ next: JournalCondition) {
        let isNews = condition.withLock { condition in
            defer { condition = next }
            return !condition.resembles(next)
        }
        guard isNews else { return }
        for receive in onChange.withLock({ $0 }) { receive(next) }
    }

    /// True if the journal acknowledges no commits.
    var isSuspended: Bool {
        condition.withLock {
            switch $0 {
            case .well, .neglected: false
            case .suspended, .lost: true
            }
        }
    }

    /// The reason of the condition; nil for `well`.
    var failure: JournalFailure? {
        condition.withLock {
            switch $0 {
            case .well: nil
            case .neglected(let failure), .suspended(let failure), .lost(let failure): failure
            }
        }
    }
}
