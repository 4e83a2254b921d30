import Glibc
import Platform
import HTTP
import NATSLog
import Outgoing
import Reactive
import ReplicatedJournal
import Sockets
import SQLiteJournal
import StateStore

/// The beginning of a node of a cluster: its copy, its log, its journal and its thread.
struct ClusterStart: Sendable {
    let journal: ReplicatedJournal
    let writer: ReplicatedJournalWriter
    /// The spaces in which damage of the copy was found.
    let damaged: DamagedSpaces
    private let thread: NodeThread

    /// The time between two looks for the settings of the cluster.
    private static let retryNanoseconds: Int64 = 500_000_000
    /// The bytes that an entry adds to the largest body.
    private static let entryBytes = 1_048_576

    /// Opens the copy in the data directory, connects to the log, and waits until the settings of the cluster are known.
    init(_ settings: Settings, _ directory: String, _ log: Log) throws(CommandFault) {
        let options = settings.cluster
        guard let node = options.node, Lease.isName(node) else {
            throw CommandFault(
                "--node takes a name of up to 64 letters, digits, - and _, not \"\(options.node ?? "")\"")
        }
        let refusal = Lock<String?>(nil)
        let shared = try Self.connect(settings, log, refusal)
        let thread: NodeThread
        do throws(SystemThread.Failure) {
            thread = try NodeThread()
        } catch {
            throw CommandFault("\(error)")
        }
        self.thread = thread
        do throws(JournalFailure) {
            let founding = CopyFounding(directory, history: settings.history, of: node, shared, thread, log) {
                () throws(JournalFailure) in
                if let words = refusal.with({ $0 }) { throw JournalFailure(.unusable, words) }
                if Self.isTold(toEnd: [SIGTERM, SIGINT]) {
                    throw JournalFailure(.unusable, "ended while waiting for the log")
                }
            }
            let copy = try founding.copy()
            damaged = copy.damaged
            if let seconds = settings.verifySeconds { try copy.verify(every: Int64(seconds) * 1_000_000_000) }
            let known = try ReplicatedJournal.settings(of: copy)
            let cluster = try Self.settings(in: shared, known, refusal, log)
            var timing = NodeTiming()
            timing.retention = .seconds(options.retentionSeconds)
            let lease = Lease(
                node: node, instance: .random(in: .min ... .max), address: "\(settings.address):\(settings.port)",
                program: Version.text)
            let predecessor = try Self.takeName(
                lease, ReplicatedJournal.predecessor(of: copy), in: shared, patience: timing.patience)
            journal = try ReplicatedJournal(
                lease, after: predecessor, cluster, copy: copy, log: shared, on: thread, clock: { NodeThread.now },
                timing: timing,
                warn: { log.write(.error, $0) },
                noteFault: { words, isOver in
                    if isOver {
                        log.write(.info, "a fault of the node is over", [("fault", words)])
                    } else {
                        log.write(.warning, words)
                    }
                })
            writer = ReplicatedJournalWriter(journal, reading: try ThreadedJournalWriter(journal))
        } catch {
            throw CommandFault(error.description)
        }
        Self.lookAtMonitor(options.monitor, log)
    }

    private static func connect(
        _ settings: Settings, _ log: Log, _ refusal: Lock<String?>
    ) throws(CommandFault) -> NATSLog {
        let options = settings.cluster
        let credentials = try options.credentials()
        do throws(NATSFault) {
            var nats = NATSSettings(
                servers: try NATSServer.list(options.journal ?? ""), cluster: options.cluster ?? "",
                name: options.node ?? "")
            nats.credentialsFile = options.credentialsFile
            nats.acceptsOldServer = options.acceptsOldServer
            nats.neededPayload = entryBytes + settings.limits.bodyBytes
            try nats.takeUser(from: credentials)
            return try NATSLog(nats) { notice in
                switch notice {
                case .connected: log.write(.info, notice.description)
                case .waiting, .warning: log.write(.warning, notice.description)
                case .refused(let words):
                    log.write(.error, notice.description)
                    refusal.with { $0 = words }
                }
            }
        } catch {
            throw CommandFault("\(error)")
        }
    }

    /// Returns the settings of the cluster, from the log or, while it does not answer, from the copy.
    private static func settings(
        in shared: NATSLog, _ known: ClusterSettings?, _ refusal: Lock<String?>, _ log: Log
    ) throws(JournalFailure) -> ClusterSettings {
        let condition = Condition()
        var looks = 0
        while true {
            if let words = refusal.with({ $0 }) { throw JournalFailure(.unusable, words) }
            let found = Lock<Result<[UInt8]?, LogFailure>?>(nil)
            shared.entry(1, of: .common) { result in
                found.with { $0 = result }
                condition.signal()
            }
            _ = condition.wait()
            if case .success(let bytes?)? = found.with({ $0 }) {
                let settings = try Self.settings(of: bytes)
                guard known == nil || known?.identity == settings.identity else {
                    throw JournalFailure(
                        .unusable, "the data directory belongs to another cluster than the log: use another --data")
                }
                return known ?? settings
            }
            // A node that was part of the cluster serves what it has; a trimmed log has no first entry.
            if let known, looks >= 2 || Self.isGone(found.with { $0 }) { return known }
            if looks == 0 { log.write(.warning, "waiting for the settings of the cluster in its log") }
            looks += 1
            if Self.isTold(toEnd: [SIGTERM, SIGINT]) {
                throw JournalFailure(.unusable, "ended while waiting for the log")
            }
            _ = condition.wait(until: MonotonicTime.now + retryNanoseconds)
        }
    }

    /// Waits until no other process serves under the name of the node, and returns the last one. A process that lives
    /// renews its lease; throws if one does.
    private static func takeName(
        _ lease: Lease, _ predecessor: UInt64?, in shared: NATSLog, patience: Duration
    ) throws(JournalFailure) -> UInt64? {
        let condition = Condition()
        var seen: (stored: StoredLease, until: Int64)?
        while !isTold(toEnd: [SIGTERM, SIGINT]) {
            let found = Lock<StoredLease?>(nil)
            shared.lease(of: lease.node) { result in
                // Without an answer the node finds out later.
                found.with { $0 = try? result.get() }
                condition.signal()
            }
            _ = condition.wait()
            guard let stored = found.with({ $0 }), stored.lease.state != .dead, stored.lease.instance != predecessor
            else { return predecessor }
            let now = MonotonicTime.now
            if let seen {
                guard seen.stored.revision == stored.revision else {
                    throw JournalFailure(
                        .unusable,
                        "another process serves as node \(lease.node), at \(stored.lease.address): give this one another --node, or stop that one"
                    )
                }
                if now >= seen.until { return stored.lease.instance }
            } else {
                seen = (stored, now + patience.wholeNanoseconds)
            }
            _ = condition.wait(until: now + retryNanoseconds)
        }
        throw JournalFailure(.unusable, "ended while waiting for the name of the node")
    }

    private static func settings(of entry: [UInt8]) throws(JournalFailure) -> ClusterSettings {
        do throws(EntryFault) {
            return try ClusterSettings(bytes: try LogEntry.decode(entry).entry.content)
        } catch {
            throw JournalFailure(.newer, "the settings of the cluster cannot be read: \(error)")
        }
    }

    private static func isGone(_ result: Result<[UInt8]?, LogFailure>?) -> Bool {
        if case .failure(let failure)? = result { failure.kind == .gone } else { false }
    }

    /// Returns true if one of some signals, which are held back, has arrived.
    private static func isTold(toEnd signals: [Int32]) -> Bool {
        var pending = sigset_t()
        guard sigpending(&pending) == 0 else { return false }
        return signals.contains { sigismember(&pending, $0) == 1 }
    }

    /// Warns unless the monitoring page of a server shows that it syncs each message.
    private static func lookAtMonitor(_ url: String?, _ log: Log) {
        guard let url else {
            return log.write(
                .warning,
                "it is not known whether the log's servers sync each message: name one's page with --journal-monitor")
        }
        let outgoing = Outgoing()
        let page = url.hasSuffix("/") ? "\(url)varz" : "\(url)/varz"
        _ = outgoing.fetch(OutgoingRequest("GET", page, target: "journal-monitor")) { result in
            // A page that cannot be read does not show it.
            let text = (try? result.get()).map { String(decoding: $0.body, as: UTF8.self) } ?? ""
            let isAlways = text.split(separator: "\n").contains {
                $0.contains("\"sync_always\"") && $0.contains("true")
            }
            if !isAlways {
                log.write(
                    .warning,
                    "the log's servers do not sync each message (sync_interval: always): a power loss can lose commits",
                    [("monitor", page)])
            }
            withExtendedLifetime(outgoing) {}
        }
    }

    /// Ends the thread of the node. Call it after the writer was closed.
    func end() {
        thread.end()
    }
}
