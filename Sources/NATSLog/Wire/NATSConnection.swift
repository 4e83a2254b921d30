import Ground
import Platform

/// A connection to one of several servers, made anew whenever it ends.
final class NATSConnection: Sendable {
    /// A change of the connection.
    enum ConnectionChange: Sendable {
        /// A new connection.
        case connected(NATSSession, ServerVersion?)
        /// The connection has ended, or could not be made.
        case lost(NATSFault)
    }

    private struct LinkState {
        var session: NATSSession?
        var isOver = false
        var isClosed = false
    }

    private let settings: NATSSettings
    private let jobs: JobThread
    private let wakeup = Condition()
    private let content = Lock(LinkState())
    private let thread: Lock<SystemThread?>
    private let changed: @Sendable (ConnectionChange) -> Void
    private let tick: @Sendable (Int64) -> Void

    /// A connection for settings. `changed` and `tick` run on a thread of its own, `tick` ten times a second while there
    /// is a connection.
    init(
        _ settings: NATSSettings, _ jobs: JobThread, changed: @escaping @Sendable (ConnectionChange) -> Void,
        tick: @escaping @Sendable (Int64) -> Void
    ) {
        self.settings = settings
        self.jobs = jobs
        self.changed = changed
        self.tick = tick
        thread = Lock(nil)
    }

    /// The connection; nil while there is none.
    var session: NATSSession? { content.with { $0.isOver ? nil : $0.session } }

    /// Begins to connect.
    func start() throws(NATSFault) {
        do {
            try thread.withLock { thread throws(SystemThread.Failure) in
                thread = try SystemThread { [self] in run() }
            }
        } catch {
            throw .unusable("\(error)")
        }
    }

    /// Ends the connection to the present server, and connects to the next one.
    func moveOn() {
        content.with { $0.isOver = $0.session != nil }
        wakeup.signal()
    }

    /// Ends the connection and joins the thread. Requests that wait fail.
    func close() {
        content.with { $0.isClosed = true }
        wakeup.stop()
        let joined = thread.withLock { $0.take() }
        joined?.join()
    }

    // MARK: The thread

    private func run() {
        // The nodes of a cluster begin with different servers.
        var next = Int(FNV1a(settings.name.utf8).value % UInt64(settings.servers.count))
        var tries = 0
        var isConnected = false
        while !content.with(\.isClosed) {
            if isConnected {
                if content.with(\.isOver) {
                    end(.lost)
                    isConnected = false
                    changed(.lost(.lost))
                } else {
                    let now = MonotonicTime.now
                    content.with(\.session)?.expireRequests(now)
                    tick(now)
                    _ = wakeup.wait(until: now + 100_000_000)
                }
            } else {
                isConnected = connect(settings.servers[next % settings.servers.count])
                next += 1
                tries = isConnected ? 0 : tries + 1
                // A pause after each round through the servers.
                if !isConnected, tries % settings.servers.count == 0 {
                    _ = wakeup.wait(until: MonotonicTime.now + 250_000_000)
                }
            }
        }
        end(.lost)
    }

    private func connect(_ server: NATSServer) -> Bool {
        do throws(NATSFault) {
            let greeting = ServerGreeting.read(from: server, seconds: settings.slowness)
            try check(greeting, server)
            content.with { $0.isOver = false }
            let session = try NATSSession(settings, server, jobs) { [weak self] in
                guard let self else { return }
                content.with { $0.isOver = true }
                wakeup.signal()
            }
            try check(session)
            content.with { $0.session = session }
            changed(.connected(session, greeting?.version))
            return true
        } catch {
            changed(.lost(error))
            return false
        }
    }

    private func check(_ greeting: ServerGreeting?, _ server: NATSServer) throws(NATSFault) {
        guard let greeting else { return }
        // libnats would go on with TLS, but not compare the certificate's name.
        guard server.usesTLS || !greeting.needsTLS else { throw .unusable("\(server) needs TLS: name it tls://") }
        guard let version = greeting.version else {
            throw .unusable("\(server) does not tell its version: is it a NATS server?")
        }
        guard version >= ServerVersion.oldest || settings.acceptsOldServer else {
            throw .unusable(
                "\(server) is nats-server \(version); a cluster needs \(ServerVersion.oldest) or later, because earlier "
                    + "ones can lose or accept twice what they acknowledge (--journal-accept-old-server for a trial)")
        }
        guard greeting.hasStreams else {
            throw .unusable("\(server) has no JetStream: add jetstream {} to its settings")
        }
    }

    private func check(_ session: NATSSession) throws(NATSFault) {
        guard session.payloadLimit >= settings.neededPayload else {
            let limit = session.payloadLimit
            session.close(.lost)
            throw .unusable(
                "\(session.server) permits payloads of \(limit) bytes; the cluster needs \(settings.neededPayload): set "
                    + "max_payload to that or more")
        }
    }

    private func end(_ fault: NATSFault) {
        let session = content.with { content in
            defer { content.session = nil }
            return content.session
        }
        session?.close(fault)
    }
}
