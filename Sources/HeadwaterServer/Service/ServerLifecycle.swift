import Documents
import Ground
import Glibc
import HTTP
import Outgoing
import ReplicatedJournal
import Sockets
import SQLiteJournal
import StateStore
import Streams

/// Starts the server, and ends it.
final class ServerLifecycle {
    /// Over how many seconds the streams end when the server does.
    static let drainSeconds = 5.0
    /// After how many nothing is waited for any more.
    static let patienceSeconds = 8.5

    /// Over how many seconds a node waits for others to take its lanes.
    static let handoverSeconds = 2.5

    private static let signals = [SIGTERM, SIGINT, SIGHUP]

    private let settings: Settings
    private let log: Log
    private var loops: [EventLoop] = []
    private var servers: [Server] = []
    private var service: Service
    private let listener: ListeningSocket
    private let cluster: ClusterStart?
    /// Reads the configuration file again and logs what has changed in it; nil if there is none.
    var reportConfiguration: ((Log) -> Void)?
    /// The supervisor that awaits signs of life; nil if there is none.
    private let supervisor: Supervisor?
    private var isEnding = false

    init(
        _ settings: Settings, _ features: [Feature], hasExampleStreams: Bool, describedFeatures: Set<String>,
        documents: (any DocumentCompiler)? = nil
    ) throws(CommandFault) {
        // Before anything else, since nearly everything here starts threads.
        Signals.holdBack(Self.signals)
        self.settings = settings
        log = Log(settings.logLevel, settings.logFormat)
        supervisor = Supervisor(settings.cluster.environment)
        let tokens = try settings.tokens()
        let hookCenter = HookCenter()
        let library: DocumentLibrary
        do throws(RegistrationFault) {
            library = DocumentLibrary(
                try Registry(features + [.streams(hasExamples: hasExampleStreams), .hooks(hookCenter), .documents()]),
                documents ?? FeatureCompiler())
        } catch {
            throw CommandFault("\(error)")
        }
        let executors: [LoopExecutor]
        do throws(SystemFailure) {
            var made: [LoopExecutor] = []
            for _ in 0..<settings.threads { made.append(LoopExecutor(try EventLoop())) }
            executors = made
            listener = try ListeningSocket(host: settings.address, port: settings.port)
        } catch {
            throw CommandFault(error.description)
        }
        loops = executors.map(\.loop)
        let outgoing = Outgoing()
        let audit = try settings.auditLog(log)
        let verifier = try settings.identity.verifier(outgoing, log, time: { MonotonicTime.now })
        let access = AccessControl(
            tokens: tokens, isClosed: settings.needsToken, origins: settings.origins, settings.subjectLimits,
            verifier: verifier, grants: settings.identity.grants, clock: { Timestamp.now })
        if settings.cluster.isUsed, let directory = settings.directory {
            cluster = try ClusterStart(settings, directory, log)
        } else {
            cluster = nil
        }
        let readsNear = settings.cluster.reads == .near
        let components = cluster.map { ClusterComponents(journal: $0.journal, readsNear: readsNear) }
        var limits = settings.limits
        limits.connectionCount = max(
            16, min(limits.connectionCount, Descriptors.raiseLimit() - settings.reservedDescriptors))
        let (journalWriter, measured): (any JournalWriter, MeasuredJournal?)
        do throws(JournalFailure) {
            (journalWriter, measured) = try Self.journalWriter(settings, cluster)
        } catch {
            throw CommandFault(error.description)
        }
        if let path = settings.features {
            try FeatureFiles(path, library).deploy(into: journalWriter.journal, at: Timestamp.now)
        }
        do throws(JournalFailure) {
            let log = log
            let stores = try Stores(
                library.program, library: library, executors: executors, writer: journalWriter, fetcher: outgoing,
                seed: UInt64.random(in: .min ... .max),
                clock: { Timestamp.now },
                warn: { log.write(.warning, $0) })
            let past = try PastReader(library, journalWriter.journal)
            let hooks = HookSurroundings(
                journalWriter, past, executors[0], allowed: settings.allowedHosts, history: settings.history)
            hookCenter.begin(with: hooks)
            service = Service(
                Service.Components(
                    library: library, hasFixedFeatures: settings.features != nil, journalWriter: journalWriter,
                    stores: stores,
                    executors: executors, access: access, log: log,
                    outgoing: outgoing,
                    trials: TrialRunner(), past: past, hooks: hooks, hookCenter: hookCenter, audit: audit,
                    measured: measured, damaged: measured?.damaged ?? cluster?.damaged, site: settings.siteFiles,
                    limits: settings.servedLimits(limits),
                    cluster: components,
                    served: ServedFeatures(describedFeatures: describedFeatures)))
        } catch {
            throw CommandFault(error.description)
        }
        let group = Server.Group(limits, fields: Responder.commonFields)
        let services = service.makeLoops()
        // The spaces are spread over the loops by their names.
        for loop in services { loop.store.memoryLimit = settings.spaceMemory / services.count }
        servers = zip(services, loops).map { service, loop in
            Server(on: loop, service.handler, in: group, listener: listener)
        }
        for (loop, server) in zip(services, servers) {
            loop.connectionCount = { [unowned server] in server.connectionCount }
        }
        components?.serve(by: servers[0], on: executors, service.components.stores, services.compactMap(\.cluster))
    }

    private static func journalWriter(
        _ settings: Settings, _ cluster: ClusterStart?
    ) throws(JournalFailure) -> (any JournalWriter, MeasuredJournal?) {
        if let cluster { return (cluster.writer, nil) }
        guard let directory = settings.directory else {
            return (InlineJournalWriter(MemoryJournal(history: settings.history)), nil)
        }
        let stored = try SQLiteJournal(directory: directory, durability: settings.durability, history: settings.history)
        if let seconds = settings.verifySeconds { try stored.verify(every: Int64(seconds) * 1_000_000_000) }
        let journal = MeasuredJournal(stored)
        return (try ThreadedJournalWriter(journal), journal)
    }

    /// Serves until it is told to end; what the process ends with.
    func run() -> Int32 {
        do throws(SystemFailure) {
            _ = try Signals(Self.signals, on: loops[0]) { [unowned self] in hear($0) }
            let peers = servers.map(\.peer)
            for server in servers { try server.begin(with: peers) }
        } catch {
            return Self.fail(CommandFault(error.description))
        }
        signal(SIGPIPE, SIG_IGN)
        // A file that may not grow any more is a disk that is full: the action is told, the server goes on.
        signal(SIGXFSZ, SIG_IGN)
        var threads = SystemThreadGroup()
        do throws(SystemThread.Failure) {
            for loop in loops.dropFirst() { try threads.start { loop.run() } }
        } catch {
            return Self.fail(CommandFault(error.description))
        }
        let host = settings.address.contains(":") ? "[\(settings.address)]" : settings.address
        StandardStreams.print("headwater listening on http://\(host):\(listener.port)")
        log.write(
            .info, "listening",
            [
                ("host", settings.address), ("port", "\(listener.port)"), ("data", settings.directory ?? "memory"),
                ("durability", settings.directory == nil ? "nothing is kept" : settings.durability.rawValue),
                ("loops", "\(loops.count)"),
                ("version", Version.text),
            ])
        supervisor?.tell("READY=1\nSTATUS=listening on http://\(host):\(listener.port)")
        signLater()
        loops[0].run()
        threads.join()
        service.components.outgoing.close()
        service.components.past.close()
        let failure = service.components.journalWriter.close()
        cluster?.end()
        if let failure {
            log.write(.error, "commits may not be durable", [("reason", failure.description)])
            return 1
        }
        log.write(.info, "ended")
        return 0
    }

    /// Sends a sign of life to the supervisor after a while, if all loops run by then.
    private func signLater() {
        guard let supervisor, let nanoseconds = supervisor.watchdogNanoseconds else { return }
        let executors = service.components.executors
        let owned = Confined(self)
        @Sendable func pass(_ index: Int) {
            executors[index % executors.count].post {
                guard index == executors.count else { return pass(index + 1) }
                supervisor.tell("WATCHDOG=1")
                owned.value.signLater()
            }
        }
        executors[0].alarms.after(nanoseconds: nanoseconds) { pass(1) }
    }

    // MARK: Signals

    private func hear(_ signal: Int32) {
        switch signal {
        case SIGHUP:
            supervisor?.tell("RELOADING=1\nMONOTONIC_USEC=\(MonotonicTime.now / 1_000)")
            reportConfiguration?(log)
            reloadTokens()
            reloadFeatures()
            supervisor?.tell("READY=1")
        default:
            // Whoever insists is not kept waiting.
            if isEnding { _exit(1) }
            isEnding = true
            handOver()
        }
    }

    /// Reads the directory of documents again, on a thread of its own.
    private func reloadFeatures(attempts: Int = 0) {
        guard let path = settings.features else { return }
        let files = FeatureFiles(path, service.components.library)
        let (log, stores, executor) = (log, service.components.stores, service.components.executors[0])
        let present = stores[0].documents
        let owned = Confined(self)
        do throws(SystemThread.Failure) {
            try SystemThread {
                let change = Result { () throws(CommandFault) in try files.change(from: present) }
                executor.post { owned.value.take(change, attempts: attempts) }
            }.detach()
        } catch {
            log.write(.error, "the features stay unchanged", [("reason", "\(error)")])
        }
    }

    private func take(_ change: Result<DocumentChange, CommandFault>, attempts: Int) {
        switch change {
        case .failure(let fault): log.write(.error, "the features stay unchanged", [("reason", fault.description)])
        case .success(let change):
            service.components.stores[0].performAnywhere(change.call(by: ""), in: .common) { [self] result in
                switch result {
                case .success: log.write(.info, "the features were read again")
                case .failure where attempts < 5: reloadFeatures(attempts: attempts + 1)
                case .failure(let refusal):
                    log.write(.error, "the features stay unchanged", [("reason", "\(refusal)")])
                }
            }
        }
    }

    private func reloadTokens() {
        service.components.audit?.reopen()
        do throws(CommandFault) {
            let tokens = try settings.tokens()
            if let keys = service.components.access.verifier?.keys { try settings.identity.reload(keys) }
            service.replace(tokens: tokens)
            log.write(.info, "the token file was read again", [("tokens", "\(tokens.count)")])
        } catch {
            log.write(.error, "the tokens stay unchanged", [("reason", error.description)])
        }
    }

    /// Hands the lanes of a node over to others, for a few seconds, then ends. Requests are served meanwhile.
    private func handOver() {
        log.write(.info, "ending")
        supervisor?.tell("STOPPING=1")
        service.availability.noteDraining()
        guard let cluster else { return end() }
        cluster.journal.drain()
        waitForOthers(cluster, until: MonotonicTime.now + Int64(Self.handoverSeconds * 1e9))
    }

    private func waitForOthers(_ cluster: ClusterStart, until deadline: Int64) {
        guard !cluster.journal.isHandedOver, MonotonicTime.now < deadline else { return end() }
        service.components.executors[0].alarms.after(nanoseconds: 50_000_000) { [unowned self] in
            waitForOthers(cluster, until: deadline)
        }
    }

    private func end() {
        let open = Lock(servers.count)
        let loops = loops
        let stop: @Sendable () -> Void = {
            for loop in loops { loop.post { loop.stop() } }
        }
        for (server, executor) in zip(servers, service.components.executors) {
            let owned = Confined(server)
            executor.post {
                owned.value.drain(over: Self.drainSeconds) {
                    let isLast = open.with { open in
                        open -= 1
                        return open == 0
                    }
                    if isLast { stop() }
                }
            }
        }
        service.components.executors[0].alarms.after(
            nanoseconds: Int64((Self.patienceSeconds - (cluster == nil ? 0 : Self.handoverSeconds)) * 1e9), stop)
    }

    /// Says what is wrong, in one line; what the process ends with.
    static func fail(_ fault: CommandFault, _ code: Int32 = 1) -> Int32 {
        StandardStreams.printError("\(ProgramName.text): \(fault)")
        return code
    }
}
