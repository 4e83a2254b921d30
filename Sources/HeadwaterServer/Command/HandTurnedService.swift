import Hosting
import Documents
import HTTP
import Outgoing
import ReplicatedJournal
package import Sockets
import SQLiteJournal
package import StateStore
import Streams

/// A server whose loops its owner turns by hand: without a thread, without a listener, on the clock that it is given, and
/// by default with nothing kept on disk.
package final class HandTurnedService {
    /// The first loop, and perhaps one for large spaces.
    private let loops: [EventLoop]
    private let servers: [Server]
    private let service: Service
    private let loopServices: [LoopService]
    private let placement: SpacePlacement?
    private let journalWriter: any JournalWriter

    /// A server whose random numbers follow from `seed`. With a token file's lines a token is needed; `rate` is that of
    /// each token; `site` is the directory that is served. Views that take more than `slowNanoseconds` to compute stay
    /// watched between reads. The journal lies in `directory`, or in memory, and keeps the last `history` commits of
    /// each space. `arguments` are further ones of the command line; `documents` compiles documents; `fetcher` fetches the
    /// keys of an issuer, and delivers hooks. With `hasExampleStreams` every space starts with ten streams. Two servers with
    /// equal `keys` have the same tags, tickets and cursors; without `keys` the journal in memory draws its own. With a
    /// `journalWriter` the journal is that writer's, perhaps of a node of a cluster. With `largeBytes` spaces from that
    /// size on have a loop of their own, which `turnLarge` turns.
    package init(
        _ features: [Feature], time: @escaping @Sendable () -> Int64, seed: UInt64, keys: DigestKey? = nil,
        tokenFile: String? = nil,
        origins: Set<String> = [], rate: Int? = nil, site: String? = nil, slowNanoseconds: Int64? = nil,
        directory: String? = nil, history: Int = 100,
        arguments: [String] = [], documents: (any DocumentCompiler)? = nil, fetcher: any Fetcher = NoFetcher(),
        hasExampleStreams: Bool = true, journalWriter: (any JournalWriter)? = nil, largeBytes: Int? = nil
    ) throws {
        let settings = try Arguments(Program { _ in features }).settings(arguments, [:])
        let clock: @Sendable () -> Timestamp = { Timestamp(microseconds: 1_700_000_000_000_000 + time() / 1_000) }
        placement = largeBytes.map { SpacePlacement(among: 2, hasLargeStore: true, largeBytes: $0) }
        let loop = try EventLoop(time: time)
        loops = placement == nil ? [loop] : [loop, try EventLoop(time: time)]
        let executors = loops.map { LoopExecutor($0) }
        let executor = executors[0]
        let hookCenter = HookCenter()
        let library = DocumentLibrary(
            try Registry(features + [.streams(hasExamples: hasExampleStreams), .hooks(hookCenter), .documents()]),
            documents ?? FeatureCompiler())
        let journalWriter: any JournalWriter =
            if let journalWriter {
                journalWriter
            } else if let directory {
                InlineJournalWriter(try SQLiteJournal(directory: directory, durability: .none, history: history))
            } else if let keys {
                InlineJournalWriter(MemoryJournal(history: history, era: keys.first, digestKey: keys))
            } else { InlineJournalWriter(MemoryJournal(history: history)) }
        self.journalWriter = journalWriter
        let log = Log(.error, .text)
        var unserved: [UnservedDocument] = []
        if let path = settings.features {
            unserved = try FeatureFiles(path, library, log).deploy(into: journalWriter.journal, at: clock())
        }
        let stores = try Stores(
            library.program, library: library, executors: executors, writer: journalWriter, fetcher: fetcher,
            placement: placement, seed: seed, clock: clock)
        let past = try PastReader(library, journalWriter.journal, isThreaded: false)
        let hooks = HookSurroundings(
            journalWriter, past, executor, allowed: settings.allowedHosts, secrets: try settings.readSecrets(),
            history: history)
        hookCenter.begin(with: hooks)
        var limits = settings.subjectLimits
        limits.rate = rate ?? limits.rate
        limits.streams = 10
        let access = AccessControl(
            tokens: try tokenFile.map { try TokenFile.parse($0) } ?? [],
            isClosed: tokenFile != nil || settings.identity.isUsed, origins: origins, limits,
            verifier: try settings.identity.verifier(fetcher, log, time: time), grants: settings.identity.grants,
            anonymousCallers: settings.identity.anonymousCallers(log), clock: clock)
        let cluster = (journalWriter as? ReplicatedJournalWriter).map {
            ClusterComponents(journal: $0.replicated, readsNear: false)
        }
        service = Service(
            Service.Components(
                library: library, hasFixedFeatures: settings.features != nil, unservedDocuments: unserved,
                forbidsEdits: settings.forbidsEdits, servesAgents: settings.servesAgents, journalWriter: journalWriter,
                stores: stores,
                executors: executors, access: access, log: log,
                outgoing: Outgoing(),
                trials: TrialRunner(on: loop),
                past: past, hooks: hooks, hookCenter: hookCenter,
                audit: try settings.auditLog(log), measured: nil,
                site: try site.map { Site($0, settings: try SiteSettings(of: $0), isThreaded: false) },
                limits: ServedLimits(
                    subject: limits, quota: settings.quota, historyCommits: history, needsToken: access.isClosed,
                    hasAudit: settings.auditFile != nil),
                cluster: cluster,
                operations: DirectoryOperations(directory, place: settings.backups, clock: clock),
                served: ServedFeatures(describedFeatures: ["streams"], on: loop)))
        loopServices = service.makeLoops()
        let group = Server.Group(fields: Responder.commonFields)
        servers = zip(loops, loopServices).map { loop, service in
            service.store.quota = settings.quota
            if let slowNanoseconds { service.delivery.slowNanoseconds = slowNanoseconds }
            let server = Server(
                on: loop, service.handler, in: group, listener: nil, isForGuests: service.store.holdsLargeSpaces)
            service.connectionCount = { [unowned server] in server.connectionCount }
            service.agents.serve = { [unowned server] in server.serve($0) }
            return server
        }
        for server in servers { try server.begin(with: servers.map(\.peer)) }
        cluster?.serve(by: servers.map(\.peer), stores, loopServices.compactMap(\.cluster))
    }

    deinit {
        for server in servers { server.closeAll() }
        // The service and its loops know each other.
        service.releaseLoops()
        for loop in loops { loop.releaseWork() }
    }

    private var loopService: LoopService { loopServices[0] }

    /// Closes the journal.
    package func close() { _ = journalWriter.close() }

    /// The number of idle spaces that stay loaded.
    package var idleLimit: Int {
        get { loopService.store.idleLimit }
        set { loopService.store.idleLimit = newValue }
    }

    /// The estimated bytes in memory that one space may have.
    package var spaceLimit: Int {
        get { loopService.store.spaceLimit }
        set { loopService.store.spaceLimit = newValue }
    }

    /// Serves a connection.
    package func take(_ socket: Socket) { servers[0].take(socket) }

    /// Deals with what has happened by now, except on the loop of large spaces.
    package func turn() { loops[0].turn(waits: false) }

    /// Deals with what has happened by now on the loop of large spaces.
    package func turnLarge() { for loop in loops.dropFirst() { loop.turn(waits: false) } }

    /// The large spaces.
    package var largeSpaces: Set<SpaceName> { placement?.largeSpaces ?? [] }

    /// When something is due, in nanoseconds of its clock.
    package var nextAlarm: Int64? { loops.flatMap(\.timers).compactMap(\.next).min() }

    /// The number of connections.
    package var connectionCount: Int { servers[0].connectionCount }

    /// The number of instances of views of a space that are watched.
    package func instanceCount(in space: String) -> Int {
        SpaceName(space).map { loopService.store.instanceCount(in: $0) } ?? 0
    }

    /// The number of broadcasters of views that are remembered.
    package var broadcasterCount: Int { loopService.broadcasterCount }

    /// The kinds of paths, as `openapi.yaml` names them.
    package static var paths: [String] { Array(ResourceRow.templates.dropFirst()) }
}
