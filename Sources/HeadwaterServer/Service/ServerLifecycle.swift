import Documents
import Glibc
import Ground
import HTTP
import Hosting
import Outgoing
import Platform
import ReplicatedJournal
import SQLiteJournal
import Sockets
import StateStore
import Streams

/// Starts the server, and ends it.
final class ServerLifecycle {
    /// The maximum number of seconds for which the server goes on listening after SIGTERM.
    static let drainLimit = 6

    private static let signals = [SIGTERM, SIGINT, SIGHUP]

    private let settings: Settings
    /// True for a server within another program, which has the signals and the standard output for itself.
    private let isEmbedded: Bool
    private let log: Log
    private var loops: [EventLoop] = []
    private var servers: [Server] = []
    private var service: Service
    private let listener: ListeningSocket
    private let cluster: ClusterStart?
    private let ending: Ending
    private let lookout: Lookout
    /// The watch over the files of `headwater dev`.
    private let watch: DirectoryWatch?
    /// Reads the configuration file again and logs what has changed in it; nil if there is none.
    var reportConfiguration: ((Log) -> Void)?
    /// The supervisor that awaits signs of life; nil if there is none.
    private let supervisor: Supervisor?

    init(
        _ settings: Settings, _ features: [Feature], hasExampleStreams: Bool, describedFeatures: Set<String>,
        documents: (any DocumentCompiler)? = nil, isEmbedded: Bool = false
    ) throws(CommandFault) {
        // Before anything else, since nearly everything here starts threads.
        if !isEmbedded { Signals.holdBack(Self.signals) }
        self.isEmbedded = isEmbedded
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
            // The last loop is for large spaces.
            for _ in 0...settings.threads { made.append(LoopExecutor(try EventLoop())) }
            executors = made
            if let inherited = settings.inherited {
                listener = inherited
            } else {
                listener = try ListeningSocket(host: settings.address, port: settings.port)
            }
        } catch {
            throw CommandFault(error.description)
        }
        loops = executors.map(\.loop)
        ending = Ending(drainSeconds: settings.drainSeconds, log)
        let outgoing = Outgoing()
        let audit = try settings.auditLog(log)
        let verifier = try settings.identity.verifier(outgoing, log, time: { MonotonicTime.now })
        let access = AccessControl(
            tokens: tokens, isClosed: settings.needsToken, origins: settings.origins, settings.subjectLimits,
            verifier: verifier, grants: settings.identity.grants,
            anonymousCallers: settings.identity.anonymousCallers(log), clock: { Timestamp.now })
        if settings.cluster.isUsed, let directory = settings.directory {
            cluster = try ClusterStart(settings, directory, log)
        } else {
            cluster = nil
        }
        let readsNear = settings.cluster.reads == .near
        // Before the files are read, so that no save is missed.
        watch = settings.isDevelopment ? settings.features.map { DirectoryWatch($0) } : nil
        let site = try settings.siteFiles()
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
        let large = settings.directory.map { LargeSpaces($0, among: settings.threads) }
        let placement = large?.spaces ?? SpacePlacement(among: executors.count, hasLargeStore: true)
        let acceptance = settings.directory.map { ClockAcceptance($0) }
        let newest = try? measured?.newestTime()
        let clock = SteadyClock(notBefore: acceptance?.floor(newest: newest))
        let livePage = settings.isDevelopment ? LivePage() : nil
        var unserved: [UnservedDocument] = []
        if let path = settings.features {
            let files = FeatureFiles(path, library, log, listsAll: settings.isDevelopment)
            do throws(CommandFault) {
                unserved = try files.deploy(into: journalWriter.journal, at: clock.now)
            } catch {
                // A faulty save is no reason to end; the next one mends it.
                guard let livePage else { throw error }
                Self.tell(error, on: livePage)
            }
        }
        let secrets = try settings.readSecrets()
        let instance = settings.cluster.node ?? "\(settings.address):\(listener.port)"
        let spans = settings.spansURL.map { [log] in
            SpanExporter($0, instance: instance, version: Version.text, outgoing, log)
        }
        let fetcher: any Fetcher = spans.map { TracedFetcher(outgoing, $0) } ?? outgoing
        do throws(JournalFailure) {
            let log = log
            let stores = try Stores(
                library.program, library: library, executors: executors, writer: journalWriter, fetcher: fetcher,
                placement: placement,
                seed: UInt64.random(in: .min ... .max),
                clock: { clock.now },
                log: FeatureLog(info: { log.write(.info, $0) }, warning: { log.write(.warning, $0) }))
            lookout = Lookout(clock, log, acceptance, large) { isAccepted in
                stores.noteClockStep(isAccepted: isAccepted)
            }
            let past = try PastReader(library, journalWriter.journal)
            let hooks = HookSurroundings(
                journalWriter, past, executors[0], allowed: settings.allowedHosts, secrets: secrets,
                history: settings.history)
            hookCenter.begin(with: hooks)
            service = Service(
                Service.Components(
                    library: library, hasFixedFeatures: settings.features != nil, unservedDocuments: unserved,
                    forbidsEdits: settings.forbidsEdits, servesAgents: settings.servesAgents, livePage: livePage,
                    journalWriter: journalWriter,
                    stores: stores,
                    executors: executors, access: access, log: log,
                    outgoing: outgoing, clock: clock,
                    trials: TrialRunner(), past: past, hooks: hooks, hookCenter: hookCenter, spans: spans, audit: audit,
                    measured: measured, damaged: measured?.damaged ?? cluster?.damaged, site: site,
                    limits: settings.servedLimits(limits), disk: settings.directory.map { DiskFigures($0) },
                    cluster: components,
                    operations: DirectoryOperations(
                        settings.directory, place: settings.backups, clock: { Timestamp.now }),
                    served: ServedFeatures(describedFeatures: describedFeatures)))
        } catch {
            throw CommandFault(error.description)
        }
        let group = Server.Group(limits, fields: Responder.commonFields, startsTraces: spans != nil)
        service.components.refusedConnections.with { $0 = group }
        spans?.begin(on: executors[0].alarms)
        let services = service.makeLoops()
        // The spaces are spread over the loops by their names. Large ones have half of the memory.
        for (loop, service) in zip(loops, services) {
            let isLarge = service.store.holdsLargeSpaces
            loop.workLimit = isLarge ? WorkShortage.stepsOfLargeSpaces : WorkShortage.steps
            loop.byteLimit = isLarge ? max(WorkShortage.bytes, settings.spaceMemory / 4) : WorkShortage.bytes
            service.store.spaceLimit = settings.spaceLimit
            service.store.quota = settings.quota
            service.store.memoryLimit = settings.spaceMemory / 2 / (isLarge ? 1 : settings.threads)
        }
        servers = services.indices.map { [loops, listener] index in
            let isForGuests = services[index].store.holdsLargeSpaces
            return Server(
                on: loops[index], services[index].handler, in: group, listener: isForGuests ? nil : listener,
                isForGuests: isForGuests)
        }
        for (loop, server) in zip(services, servers) {
            loop.connectionCount = { [unowned server] in server.connectionCount }
            loop.agents.serve = { [unowned server] in server.serve($0) }
        }
        components?.serve(by: servers.map(\.peer), service.components.stores, services.compactMap(\.cluster))
    }

    private static func journalWriter(
        _ settings: Settings, _ cluster: ClusterStart?
    ) throws(JournalFailure) -> (any JournalWriter, MeasuredJournal?) {
        if let cluster { return (cluster.writer, nil) }
        guard let directory = settings.directory else {
            return (InlineJournalWriter(MemoryJournal(history: settings.history)), nil)
        }
        let stored = try SQLiteJournal(
            directory: directory, durability: settings.durability, history: settings.history,
            spaceLimit: settings.spaceLimit)
        if let seconds = settings.verifySeconds { try stored.verify(every: Int64(seconds) * 1_000_000_000) }
        let journal = MeasuredJournal(stored)
        return (try ThreadedJournalWriter(journal), journal)
    }

    /// Serves until it is told to end; what the process ends with.
    func run() -> Int32 {
        do throws(SystemFailure) {
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
            if !isEmbedded { try Signals.hear(Self.signals, hearing()) }
            try lookout.begin()
            let largeIndex = service.components.stores.placement.largeIndex
            for (index, loop) in loops.enumerated().dropFirst() {
                try threads.start {
                    // The loop of large spaces leaves the processors to the others.
                    if index == largeIndex { SystemThread.yieldToOthers() }
                    loop.run()
                }
            }
        } catch {
            return Self.fail(CommandFault(error.description))
        }
        follow()
        let host = settings.address.contains(":") ? "[\(settings.address)]" : settings.address
        if !isEmbedded { StandardStreams.print("headwater listening on http://\(host):\(listener.port)") }
        if settings.isDevelopment, let directory = settings.features {
            StandardStreams.print("open http://localhost:\(listener.port)/ and change the files of \(directory)")
        }
        log.write(
            .info, "listening",
            [
                ("host", settings.address), ("port", "\(listener.port)"), ("data", settings.directory ?? "memory"),
                ("durability", settings.directory == nil ? "nothing is kept" : settings.durability.rawValue),
                ("loops", "\(settings.threads)"),
                ("version", Version.text),
            ])
        supervisor?.tell("READY=1\nSTATUS=listening on http://\(host):\(listener.port)")
        signLater()
        loops[0].run()
        threads.join()
        service.components.outgoing.close()
        service.components.past.close()
        lookout.close()
        let failure = ending.close(service.components.journalWriter)
        cluster?.end()
        let status: Int32 = failure == nil ? 0 : 1
        if let failure {
            log.write(.error, "commits may not be durable", [("reason", failure.description)])
        } else {
            log.write(.info, "ended")
        }
        log.flush()
        return status
    }

    /// Sends a sign of life to the supervisor after a while, if all loops run by then, except that of large spaces.
    private func signLater() {
        guard let supervisor, let nanoseconds = supervisor.watchdogNanoseconds else { return }
        // The loop of large spaces may compute for long.
        let executors = Array(service.components.executors.prefix(settings.threads))
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

    /// The port on which the server listens.
    var port: Int { Int(listener.port) }

    /// Returns the closure that ends an embedded server, from any thread, as SIGTERM ends another one.
    func ender() -> @Sendable () -> Void {
        let hear = hearing()
        return { hear(SIGTERM) }
    }

    // MARK: Signals

    /// What the signals do. They are heard on a thread of their own, so that a loop that computes delays no end.
    private func hearing() -> @Sendable (Int32) -> Void {
        let owned = Confined(self)
        let (ending, service, cluster, supervisor) = (ending, service, cluster?.journal, supervisor)
        let first = service.components.executors[0]
        let loops = zip(servers, service.components.executors).map { server, executor in
            Ending.Loop(server: Confined(server), executor: executor)
        }
        return { signal in
            if signal == SIGHUP {
                return first.post { owned.value.reload() }
            }
            // Whoever insists is not kept waiting.
            guard ending.begin() else { _exit(1) }
            supervisor?.tell("STOPPING=1")
            service.components.spans?.send()
            service.availability.noteDraining()
            ending.run(loops, service.components.journalWriter, cluster)
        }
    }

    /// Reads the configuration, the tokens and the features again.
    private func reload() {
        supervisor?.tell("RELOADING=1\nMONOTONIC_USEC=\(MonotonicTime.now / 1_000)")
        reportConfiguration?(log)
        reloadTokens()
        reloadSite()
        reloadFeatures()
        supervisor?.tell("READY=1")
    }

    /// Follows the files of `headwater dev`: each save is checked, tested and taken, or its faults are told.
    private func follow() {
        let (owned, executor) = (Confined(self), service.components.executors[0])
        do throws(SystemThread.Failure) {
            try watch?.begin { executor.post { owned.value.reloadFeatures() } }
        } catch {
            log.write(.error, "changes of the files are not noticed", [("reason", "\(error)")])
        }
    }

    /// Tells a person and the open pages the faults of a save.
    private static func tell(_ fault: CommandFault, on page: LivePage) {
        page.note(faults: fault.description.split(separator: "\n").map(String.init))
        StandardStreams.print("not taken:\n\(fault.description)")
    }

    /// Reads the directory of documents again, on a thread of its own.
    private func reloadFeatures(attempts: Int = 0) {
        guard let path = settings.features else { return }
        let files = FeatureFiles(path, service.components.library, log, listsAll: settings.isDevelopment)
        let (log, stores, executor) = (log, service.components.stores, service.components.executors[0])
        let present = stores[0].documents
        let journal = service.components.journalWriter.journal
        let owned = Confined(self)
        // The directory of `headwater dev` is that of the site too.
        let site = settings.isDevelopment ? service.components.site : nil
        do throws(SystemThread.Failure) {
            try SystemThread {
                let result = Result { () throws(CommandFault) in
                    try site?.readSettings()
                    return try files.change(from: present, in: journal)
                }
                executor.post { owned.value.take(result, attempts: attempts) }
            }.detach()
        } catch {
            log.write(.error, "the features stay unchanged", [("reason", "\(error)")])
        }
    }

    private func take(
        _ result: Result<(change: DocumentChange, report: SaveReport), CommandFault>, attempts: Int
    ) {
        switch result {
        case .failure(let fault):
            if let page = service.components.livePage { return Self.tell(fault, on: page) }
            log.write(.error, "the features stay unchanged", [("reason", fault.description)])
        case .success(let (change, report)):
            service.components.stores[0].performAnywhere(change.call(by: ""), in: .common) { [self] result in
                switch result {
                case .success(let answer):
                    log.write(.info, "the features were read again")
                    service.availability.unservedDocuments = []
                    guard let page = service.components.livePage else { break }
                    page.note(faults: [])
                    let words = answer.changed.isEmpty ? "reloaded" : "taken: all checks and tests passed"
                    StandardStreams.print(([words] + report.lines.map { "  \($0)" }).joined(separator: "\n"))
                case .failure where attempts < 5: reloadFeatures(attempts: attempts + 1)
                case .failure(let refusal):
                    log.write(.error, "the features stay unchanged", [("reason", "\(refusal)")])
                }
            }
        }
    }

    private func reloadSite() {
        do throws(CommandFault) {
            guard let site = service.components.site else { return }
            try site.readSettings()
            log.write(.info, "the settings of the site were read again")
        } catch {
            log.write(.error, "the settings of the site stay unchanged", [("reason", error.description)])
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

    /// Says what is wrong, in one line; what the process ends with.
    static func fail(_ fault: CommandFault, _ code: Int32 = 1) -> Int32 {
        StandardStreams.printError("\(ProgramName.text): \(fault)")
        return code
    }
}

/// The supervisor that has started the process, as `systemd` does: it hears when the server listens, reads its
/// files again and ends, and that the first loop still runs.
struct Supervisor {
    /// The time between two signs of life, in nanoseconds; nil if the supervisor awaits none.
    let watchdogNanoseconds: Int64?
    private let descriptor: Int32
    private let address: sockaddr_un
    private let addressLength: socklen_t

    /// The supervisor that the environment names in `NOTIFY_SOCKET`; nil if there is none.
    init?(_ environment: [String: String]) {
        guard let path = environment["NOTIFY_SOCKET"], path.hasPrefix("/") || path.hasPrefix("@"),
            case var address = sockaddr_un(), case let limit = MemoryLayout.size(ofValue: address.sun_path),
            path.utf8.count < limit
        else { return nil }
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { bytes in
            bytes.copyBytes(from: path.utf8)
            // An abstract name begins with a zero.
            if path.hasPrefix("@") { bytes[0] = 0 }
        }
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        self.address = address
        addressLength = socklen_t(MemoryLayout<sa_family_t>.size + path.utf8.count)
        let isOwn = environment["WATCHDOG_PID"].map { $0 == "\(getpid())" } ?? true
        // A sign of life at half of the time that the supervisor waits for one.
        watchdogNanoseconds = environment["WATCHDOG_USEC"].flatMap { Int64($0) }.flatMap { microseconds in
            isOwn && (1...86_400_000_000).contains(microseconds) ? microseconds * 500 : nil
        }
    }

    /// Sends the state, as `READY=1`. A supervisor that does not read loses it, because a server does not wait for it.
    func tell(_ state: String) {
        let bytes = Array(state.utf8)
        withUnsafePointer(to: address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                _ = sendto(
                    descriptor, bytes, bytes.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL), address,
                    addressLength)
            }
        }
    }
}
