import Ground
import JSON
import Platform
package import ReplicatedJournal

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

/// A change that the operator should read, in words without secrets.
package enum LogNotice: Hashable, Sendable, CustomStringConvertible {
    /// A connection to a server, whose address and version follow.
    case connected(String)
    /// The connection was lost, or cannot be made now. The log goes on by itself.
    case waiting(String)
    /// The cluster works, but not as it should.
    case warning(String)
    /// The log cannot become right without a person.
    case refused(String)

    /// The words.
    package var description: String {
        switch self {
        case .connected(let server): "the log is connected to \(server)"
        case .waiting(let words): "the log waits: \(words)"
        case .warning(let words): words
        case .refused(let words): "the log is refused: \(words)"
        }
    }
}

extension NATSLog {
    /// Publishes a request with a reply subject of this connection.
    package func ask(
        _ subject: String, _ body: [UInt8], timeout: Duration,
        _ done: @escaping @Sendable (Result<[UInt8], LogFailure>) -> Void
    ) {
        withSession {
            done(.failure(LogFailure(.unserved, "\($0)")))
        } _: { session in
            session.request(names.request(subject), body, timeout: timeout) { answer in
                done(
                    answer.mapError { fault in
                        switch fault {
                        // These were surely not delivered.
                        case .nobody, .notConnected: LogFailure(.unserved, "\(fault)")
                        default: LogFailure(fault)
                        }
                    })
            }
        }
    }

    /// Subscribes to the subject of requests, now and on every later connection.
    package func serve(
        _ subject: String,
        _ receive: @escaping @Sendable (_ body: [UInt8], _ reply: @escaping @Sendable ([UInt8]) -> Void) -> Void
    ) -> LogSubscription {
        let service = LogService(names.request(subject), receive)
        let id = nextID { $0.services[$1] = service }
        if let session { service.begin(session) }
        return LogSubscription { [weak self] in
            service.end()
            self?.content.with { $0.services[id] = nil }
        }
    }

    /// Watches the connection to whichever server.
    package func watchConnection(_ receive: @escaping @Sendable (Bool) -> Void) -> LogSubscription {
        let id = nextID { $0.watchers[$1] = receive }
        // The present state comes before any change: both are jobs of one thread.
        let isConnected = content.with(\.isConnected)
        jobs.run { receive(isConnected) }
        return LogSubscription { [weak self] in
            self?.content.with { $0.watchers[id] = nil }
        }
    }
}

/// The service of one subject, on every connection anew.
final class LogService: Sendable {
    typealias Receiver = @Sendable (_ body: [UInt8], _ reply: @escaping @Sendable ([UInt8]) -> Void) -> Void

    private let subject: String
    private let receive: Receiver
    private let subscription: Lock<NATSSubscription?> = Lock(nil)

    init(_ subject: String, _ receive: @escaping Receiver) {
        self.subject = subject
        self.receive = receive
    }

    /// Serves on a connection. One of several services of the subject receives each request.
    func begin(_ session: NATSSession) {
        do throws(NATSFault) {
            let begun = try session.subscribe(subject, group: "serve") { [receive, weak session] message in
                let subject = message.reply
                receive(message.bytes) { [weak session] answer in
                    guard let subject, let session else { return }
                    do throws(NATSFault) {
                        try session.publish(subject, reply: nil, answer)
                    } catch {
                        // The asker gives up when its time is over, and asks again.
                    }
                }
            }
            let old = subscription.with { subscription in
                defer { subscription = begun }
                return subscription
            }
            old?.end()
        } catch {
            // The connection has ended; the service begins on the next one.
        }
    }

    func end() {
        let taken = subscription.with { subscription in
            defer { subscription = nil }
            return subscription
        }
        taken?.end()
    }
}
