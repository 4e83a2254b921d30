internal import Platform
internal import StateStore

/// The thread that reads everything in the background and notes damaged spaces. It takes at most a tenth of a core: it
/// rests nine times as long as each read took. No read transaction lasts longer than one read, so the log does not grow.
final class VerificationThread: Sendable {
    /// The time of a rest for each nanosecond of reading.
    private static let restFactor: Int64 = 9
    /// The number of names of one read.
    private static let namesLimit = 100

    private let path: String
    private let pause: Int64
    private let damaged: DamagedSpaces
    private let end = Condition()

    /// A thread that begins to read the database at `path` every `nanoseconds`.
    init(_ path: String, every nanoseconds: Int64, _ damaged: DamagedSpaces) {
        self.path = path
        pause = nanoseconds
        self.damaged = damaged
    }

    /// Works until `stop`.
    func run() {
        while true {
            let start = MonotonicTime.now
            do throws(JournalFailure) {
                // A connection without pages in memory reads those of the disk.
                guard try pass(DatabaseConnection(path, .reading)) else { return }
            } catch {
                // The database as a whole cannot be read: each request says so.
            }
            if end.wait(until: max(start + pause, MonotonicTime.now + 1_000_000)) == .stopped { return }
        }
    }

    /// Ends `run`.
    func stop() { end.stop() }

    /// Reads everything once. Returns false if `stop` came first.
    private func pass(_ connection: DatabaseConnection) throws(JournalFailure) -> Bool {
        let verification = try Verification(connection)
        var met: Set<SpaceName> = []
        var last: SpaceName?
        while true {
            var names: [SpaceName] = []
            guard
                try step({ () throws(JournalFailure) in
                    names = try verification.names(after: last, limit: Self.namesLimit)
                    return true
                }) != nil
            else { return false }
            guard let next = names.last else { break }
            last = next
            for name in names {
                met.insert(name)
                guard try verify(name, verification) else { return false }
            }
        }
        damaged.endPass(met)
        return true
    }

    private func verify(_ space: SpaceName, _ verification: Verification) throws(JournalFailure) -> Bool {
        do throws(JournalFailure) {
            var place = Verification.VerificationPlace()
            while true {
                guard
                    let hasMore = try step({ () throws(JournalFailure) in
                        try verification.step(space, &place)
                    })
                else { return false }
                if !hasMore { break }
            }
            damaged.clear(space)
        } catch {
            guard error.kind == .damaged else { throw error }
            damaged.note(space, error.description)
        }
        return true
    }

    /// Runs one read, then rests. Returns nil if `stop` came.
    private func step(_ body: () throws(JournalFailure) -> Bool) throws(JournalFailure) -> Bool? {
        let start = MonotonicTime.now
        let result: Result<Bool, JournalFailure>
        do throws(JournalFailure) { result = .success(try body()) } catch { result = .failure(error) }
        let now = MonotonicTime.now
        guard end.wait(until: now + (now - start) * Self.restFactor) != .stopped else { return nil }
        return try result.get()
    }
}
