import Platform
import JSON
import ReplicatedJournal

/// The log of a cluster in the streams of NATS JetStream.
///
/// An entry is a message that the stream stores only as the number after the expected one. The connection is never
/// resumed: after a loss, calls under way fail, and the subscriptions begin anew on the next connection.
package final class NATSLog: SharedLog {
    struct LogState {
        var lastID = 0
        var readers: [Int: LaneReader] = [:]
        var services: [Int: LogService] = [:]
        var watchers: [Int: @Sendable (Bool) -> Void] = [:]
        /// The number of copies that streams have.
        var replicas = 3
        var isConnected = false
        /// The notices since the last connection.
        var told: Set<LogNotice> = []
        var isClosed = false
    }

    /// The names of the streams and subjects.
    package let names: LaneNames
    let content = Lock(LogState())
    let jobs = JobThread()
    private let notice: @Sendable (LogNotice) -> Void
    private let connection: Lock<NATSConnection?> = Lock(nil)

    /// Begins to connect. `notice` is called on any thread with each change that the operator should read; the same
    /// words are not repeated.
    package init(_ settings: NATSSettings, notice: @escaping @Sendable (LogNotice) -> Void) throws(NATSFault) {
        try settings.check()
        try NATSCallbacks.load()
        names = LaneNames(settings.cluster)
        self.notice = notice
        try jobs.start()
        let connection = NATSConnection(
            settings, jobs, changed: { [weak self] change in self?.take(change, settings) },
            tick: { [weak self] now in self?.tick(now) })
        self.connection.with { $0 = connection }
        try connection.start()
    }

    deinit {
        close()
    }

    /// The connection; nil while there is none.
    var session: NATSSession? { connection.with { $0 }?.session }

    /// Connects to the next server.
    package func moveOn() { connection.with { $0 }?.moveOn() }

    /// Ends the connection and the threads.
    package func close() {
        let readers = content.with { content -> [LaneReader] in
            defer { content.readers = [:] }
            content.isClosed = true
            content.services = [:]
            return Array(content.readers.values)
        }
        for reader in readers { reader.end() }
        let taken = connection.with { connection in
            defer { connection = nil }
            return connection
        }
        taken?.close()
        jobs.close()
    }

    // MARK: The connection

    private func take(_ change: NATSConnection.ConnectionChange, _ settings: NATSSettings) {
        switch change {
        case .connected(let session, let version):
            content.with { $0.told = [] }
            tell(.connected("\(session.server)\(version.map { ", nats-server \($0)" } ?? "")"))
            if let version, version < ServerVersion.oldest {
                tell(.warning("nats-server \(version) is too old for a cluster: use it for a trial only"))
            }
            for service in content.with({ Array($0.services.values) }) { service.begin(session) }
            connected(true)
            check(session)
        case .lost(let fault):
            connected(false)
            if case .unusable(let words) = fault { tell(.refused(words)) } else { tell(.waiting("\(fault)")) }
        }
    }

    private func connected(_ isConnected: Bool) {
        let watchers: [@Sendable (Bool) -> Void] = content.with { content in
            guard content.isConnected != isConnected else { return [] }
            content.isConnected = isConnected
            return content.watchers.sorted { $0.key < $1.key }.map(\.value)
        }
        guard !watchers.isEmpty else { return }
        jobs.run { for watcher in watchers { watcher(isConnected) } }
    }

    /// Compares the stream of `common` with what `headwater cluster init` has made.
    private func check(_ session: NATSSession) {
        let (cluster, stream) = (names.cluster, names.stream(of: .common))
        session.describe(stream) { [weak self] facts in
            guard let self else { return }
            switch facts {
            case .success(let facts):
                guard let mark = ClusterMark(facts.description) else {
                    return tell(.refused("the stream \(stream) is not one of Headwater"))
                }
                content.with { $0.replicas = mark.replicas }
                if facts.replicas < mark.replicas {
                    tell(.refused("the stream \(stream) has \(facts.replicas) copies, but began with \(mark.replicas)"))
                } else if facts.replicas < 3 {
                    tell(.warning("the streams have \(facts.replicas) copies: a lost server can lose commits"))
                }
            case .failure(.refused(NATSFault.noStream, _)):
                tell(
                    .waiting("the servers have no cluster \(cluster): run headwater cluster init --cluster \(cluster)"))
            case .failure: return
            }
        }
    }

    private func tell(_ words: LogNotice) {
        let isNew = content.with { content in
            !content.isClosed && content.told.insert(words).inserted
        }
        if isNew { notice(words) }
    }

    private func tick(_ now: Int64) {
        guard let session else { return }
        for reader in content.with({ Array($0.readers.values) }) { reader.tick(session, now) }
    }

    // MARK: Calls

    /// Runs `body` with the connection, or `absent` on another thread if there is none.
    func withSession(_ absent: @escaping @Sendable (NATSFault) -> Void, _ body: (NATSSession) -> Void) {
        guard let session else { return jobs.run { absent(.notConnected) } }
        body(session)
    }

    func nextID(_ add: (inout LogState, Int) -> Void) -> Int {
        content.with { content in
            content.lastID += 1
            add(&content, content.lastID)
            return content.lastID
        }
    }
}
