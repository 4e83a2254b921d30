import Ground
import JSON
import SQLiteJournal
import StateStore

/// The operations on the data directory of a server. They run the code of the commands `check`, `backup`, `import` and
/// `export`, each on a thread of low priority. Subjects take turns.
final class DirectoryOperations: Sendable {
    /// The maximum number of operations, and of exports, that run at once.
    static let runningLimit = 2
    /// The maximum number of operations that wait.
    static let waitingLimit = 16
    /// The number of ended operations that are remembered.
    static let rememberedLimit = 64
    /// The maximum number of bytes of a chunk of an export.
    static let chunkBytes = 24 * 1_024
    /// The time for which an import waits for its next lines.
    private static let patienceNanoseconds: Int64 = 60_000_000_000

    private struct OperationQueue {
        var count = 0
        var known: [DirectoryOperation] = []
        var waiting = FairQueue<@Sendable () -> Void>()
        var running = 0
        var exports = 0
        var imports: [String: LineIntake] = [:]
    }

    /// The lines on their way to an import.
    final class LineIntake: Sendable {
        fileprivate struct Intake {
            var parts = 0
            var isLast = false
            var taken: (@Sendable () -> Void)?
        }

        fileprivate let pipe = LinePipe()
        fileprivate let intake = Lock(Intake())

        /// The number of parts that were taken.
        var partCount: Int { intake.with { $0.parts } }

        /// Passes the next part on. `taken` is called, on the thread of the import, when all its lines are read; after the
        /// last part, when the import has ended. Returns false if a part is on its way, or the import has ended.
        func take(_ lines: [UInt8], isLast: Bool, _ taken: @escaping @Sendable () -> Void) -> Bool {
            let isFree = intake.with { intake in
                guard intake.taken == nil, !intake.isLast else { return false }
                intake.taken = taken
                intake.isLast = isLast
                intake.parts += 1
                return true
            }
            guard isFree else { return false }
            if pipe.offer(lines) { return true }
            answer()
            return true
        }

        fileprivate func answer() { intake.with { $0.taken.take() }?() }
    }

    /// The reason that an operation cannot start.
    enum StartFault: Error {
        /// The state of the server is in memory only.
        case noDirectory
        /// The server has no directory for backups.
        case noPlace
        case tooMany
    }

    private let directory: String?
    private let place: String?
    private let clock: @Sendable () -> Timestamp
    private let queue = Lock(OperationQueue())

    /// The operations on a directory. Backups and imports are made in `place`.
    init(_ directory: String?, place: String?, clock: @escaping @Sendable () -> Timestamp) {
        (self.directory, self.place, self.clock) = (directory, place, clock)
    }

    /// The operations that are remembered, the last one first.
    var all: [DirectoryOperation] { queue.with { $0.known.reversed() } }

    subscript(id: String) -> DirectoryOperation? { queue.with { $0.known.first { $0.id == id } } }

    /// The way of lines to a running import; nil if there is no such import.
    func intake(of id: String) -> LineIntake? { queue.with { $0.imports[id] } }

    // MARK: Operations

    /// Starts an operation, or puts it in the queue.
    func start(
        _ kind: DirectoryOperation.OperationKind, name: String?, by subject: String
    ) throws(StartFault) -> DirectoryOperation {
        guard let directory else { throw .noDirectory }
        guard !kind.makesDirectory || place != nil else { throw .noPlace }
        let target = "\(place ?? "")/\(name ?? "")"
        let operation: DirectoryOperation? = queue.with { queue in
            guard queue.waiting.count < Self.waitingLimit else { return nil }
            queue.count += 1
            let operation = DirectoryOperation("\(queue.count)", kind, name: name, by: subject, clock: clock)
            queue.known.append(operation)
            if queue.known.count > Self.rememberedLimit, let old = queue.known.firstIndex(where: { !$0.isOpen }) {
                queue.known.remove(at: old)
            }
            let intake = kind == .importing ? LineIntake() : nil
            queue.imports[operation.id] = intake
            let work: @Sendable () -> Void = { [self] in
                operation.begin()
                operation.end(Self.result(of: operation, directory, target, intake))
                guard let intake else { return }
                self.queue.with { $0.imports[operation.id] = nil }
                intake.pipe.close()
                intake.answer()
            }
            queue.waiting.append(work, subject: subject, space: "")
            return operation
        }
        guard let operation else { throw .tooMany }
        startNext()
        return operation
    }

    /// Starts the next operation if a thread is free.
    private func startNext() {
        let work = queue.with { queue in
            guard queue.running < Self.runningLimit, let work = queue.waiting.popFirst() else {
                return (@Sendable () -> Void)?.none
            }
            queue.running += 1
            return work
        }
        guard let work else { return }
        run { [self] in
            work()
            queue.with { $0.running -= 1 }
            startNext()
        }
    }

    /// Runs work on a thread of its own. A system without threads runs it on the calling one.
    private func run(_ work: @escaping @Sendable () -> Void) {
        do throws(SystemThread.Failure) {
            try SystemThread {
                SystemThread.yieldToOthers()
                work()
            }.detach()
        } catch {
            work()
        }
    }

    private static func result(
        of operation: DirectoryOperation, _ directory: String, _ target: String, _ intake: LineIntake?
    ) -> Result<JSON, JournalFailure> {
        do throws(JournalFailure) {
            switch operation.kind {
            case .verify:
                let report = try SQLiteJournal.check(directory) { operation.note($0, of: $1) }
                operation.note(report.spaces, of: report.spaces)
                return .success([
                    "isWhole": .bool(report.isWhole), "spaces": .number(Decimal(report.spaces)),
                    "commits": .number(Decimal(report.commits)), "answers": .number(Decimal(report.answers)),
                    "problems": .array(report.problems.map { .string($0) }),
                ])
            case .backup:
                let report = try SQLiteJournal.backup(directory, to: target) { operation.note($0, of: $1) }
                operation.note(report.bytes, of: report.bytes)
                return .success(["bytes": .number(Decimal(report.bytes))])
            case .importing:
                let count = try importLines(into: target, operation, intake)
                return .success(["lines": .number(Decimal(count))])
            }
        } catch {
            return .failure(error)
        }
    }

    private static func importLines(
        into target: String, _ operation: DirectoryOperation, _ intake: LineIntake?
    ) throws(JournalFailure) -> Int {
        guard let intake else { return 0 }
        var count = 0
        var lines: [UInt8] = []
        var place = 0
        var hasPart = false
        try SQLiteJournal.import(into: target) { () throws(JournalFailure) in
            while true {
                while place < lines.count {
                    let end = lines[place...].firstIndex(of: UInt8(ascii: "\n")) ?? lines.count
                    let line = Array(lines[place..<end])
                    place = end + 1
                    if line.isEmpty { continue }
                    count += 1
                    operation.note(count)
                    return line
                }
                if hasPart {
                    // The answer to the last part says how the import has ended.
                    if intake.intake.with({ $0.isLast }) { return nil }
                    intake.answer()
                    hasPart = false
                }
                guard let part = intake.pipe.take(before: MonotonicTime.now + patienceNanoseconds) else {
                    throw JournalFailure(.unusable, "No lines came for 60 seconds. Nothing was imported.")
                }
                (lines, place, hasPart) = (part, 0, true)
            }
        }
        return count
    }

    // MARK: Exports

    /// Begins an export, of one space or of all, whose lines go through a pipe. `news` is called, on the thread of the
    /// export, when there are lines, and at the end. Returns false if too many exports run.
    func export(
        _ space: SpaceName?, through pipe: LinePipe, _ news: @escaping @Sendable (Result<Void, JournalFailure>) -> Void
    ) throws(StartFault) {
        guard let directory else { throw .noDirectory }
        let isFree = queue.with { queue in
            guard queue.exports < Self.runningLimit else { return false }
            queue.exports += 1
            return true
        }
        guard isFree else { throw .tooMany }
        run { [self] in
            Self.export(directory, space, through: pipe, news)
            queue.with { $0.exports -= 1 }
        }
    }

    private static func export(
        _ directory: String, _ space: SpaceName?, through pipe: LinePipe,
        _ news: @Sendable (Result<Void, JournalFailure>) -> Void
    ) {
        var chunk: [UInt8] = []
        func flush() throws(JournalFailure) {
            guard pipe.put(chunk) else { throw JournalFailure(.unusable, "the client has gone") }
            chunk = []
            news(.success(()))
        }
        do throws(JournalFailure) {
            try SQLiteJournal.export(directory, space: space) { line throws(JournalFailure) in
                if !chunk.isEmpty, chunk.count + line.count >= chunkBytes { try flush() }
                chunk += line
                chunk.append(UInt8(ascii: "\n"))
            }
            try flush()
            pipe.end()
            news(.success(()))
        } catch {
            news(.failure(error))
        }
    }
}
