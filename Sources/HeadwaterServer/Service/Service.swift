import Glibc
import Ground
import HTTP
import JSON
import Outgoing
import Platform
import ReplicatedJournal
import SQLiteJournal
import Sockets
import StateStore
import Synchronization

/// The services that all loops share, and those of each loop.
final class Service: Sendable {
    /// The components that a service is made of.
    struct Components: Sendable {
        /// The features of the program, and those of documents.
        let library: DocumentLibrary
        /// True if a directory holds the documents.
        let hasFixedFeatures: Bool
        /// The documents of that directory that were not served at the start.
        var unservedDocuments: [UnservedDocument] = []
        /// True if administrators cannot edit rows.
        var forbidsEdits = false
        /// True if `/mcp` is served.
        var servesAgents = false
        /// The side of `headwater dev` that pages see; nil for other servers.
        var livePage: LivePage?
        let journalWriter: any JournalWriter
        let stores: Stores
        let executors: [LoopExecutor]
        let access: AccessControl
        let log: Log
        let outgoing: Outgoing
        /// The time of commits; nil for the clock of a test.
        var clock: SteadyClock?
        let trials: TrialRunner
        /// The computation of past states.
        let past: PastReader
        /// The parts that hooks use, and where their feature and their paths meet.
        let hooks: HookSurroundings
        let hookCenter: HookCenter
        /// The spans of requests; nil for none.
        var spans: SpanExporter?
        /// The audit log; nil for none.
        let audit: AuditLog?
        /// The journal, if its batches are counted.
        let measured: MeasuredJournal?
        /// The damaged spaces of the journal; nil for state in memory.
        var damaged: DamagedSpaces?
        /// The directory that is served under `/`.
        let site: Site?
        let limits: ServedLimits
        /// The figures of the disk under the data directory; nil for state in memory.
        var disk: DiskFigures?
        /// Counts the connections that found no room.
        let refusedConnections = Lock<Server.Group?>(nil)
        /// The part of a cluster; nil on one machine.
        var cluster: ClusterComponents?
        /// The operations on the data directory.
        let operations: DirectoryOperations
        /// The answers to `GET /v1` and `GET /openapi.yaml`.
        let served: ServedFeatures
    }

    let components: Components
    let availability: Availability
    let probe = Probe()
    let gatherer: MetricsGatherer
    let streamGatherer = StreamGatherer()
    /// Places in the list of spaces that clients are told.
    let cursors = Cursors()
    /// The reasons of refused and slow requests.
    let reasons = RequestReasons()
    let agentSessions = AgentSessions()
    let reports = LaterReports()
    /// The answers to whole tags of the past.
    let pastAnswers = PastCache()
    private let loops = Lock<[Confined<LoopService>]>([])

    init(_ components: Components) {
        self.components = components
        let availability = Availability(
            components.log, components.damaged, unserved: components.unservedDocuments,
            lacksCommon: components.stores.damage != nil)
        self.availability = availability
        let started = Double(Timestamp.now.microseconds) / 1e6
        gatherer = MetricsGatherer {
            [
                cluster = components.cluster, measured = components.measured, outgoing = components.outgoing,
                audit = components.audit, stores = components.stores, damaged = components.damaged,
                log = components.log, clock = components.clock, spans = components.spans, disk = components.disk,
                refused = components.refusedConnections
            ] exposition in
            exposition.add(
                "headwater_journal_batch_commits", "Commits per batch of the journal.",
                measured?.batches ?? Histogram(Histogram.counts))
            exposition.begin(
                "headwater_journal_sync_failures_total", .counter,
                "Batches that the journal could not make durable: a failed sync, a full disk, a removed file.")
            exposition.add("headwater_journal_sync_failures_total", [], Double(measured?.syncFailures ?? 0))
            exposition.add(
                "headwater_journal_syncs_total", .counter, "Batches that the journal has made durable.",
                Double(measured?.batches.count ?? 0))
            exposition.begin("headwater_damaged_spaces", .gauge, "Spaces in which damage was found.")
            exposition.add("headwater_damaged_spaces", [], Double(damaged?.count ?? 0))
            exposition.begin(
                "headwater_verifications_total", .counter, "Times that verification has read everything.")
            exposition.add("headwater_verifications_total", [], Double(damaged?.passCount ?? 0))
            exposition.begin(
                "headwater_outgoing_requests_total", .counter,
                "Requests to other servers, by target and outcome.")
            for count in outgoing.counts {
                exposition.add(
                    "headwater_outgoing_requests_total", [("target", count.target), ("outcome", count.outcome)],
                    Double(count.requests))
            }
            exposition.begin(
                "headwater_alarms_late_seconds", .gauge,
                "Seconds by which the earliest alarm of a space that is not loaded is late.")
            exposition.add("headwater_alarms_late_seconds", [], stores.alarmsLateSeconds)
            exposition.add(
                "headwater_clock_ahead_seconds", .gauge,
                "Seconds by which the time of commits is ahead of the machine's clock.", clock?.aheadSeconds ?? 0)
            exposition.add(
                "headwater_log_dropped_lines_total", .counter,
                "Lines of the log that were dropped because the reader of standard error did not take them.",
                Double(log.droppedCount))
            exposition.add(
                "headwater_connections_refused_total", .counter, "Connections that found no room.",
                Double(refused.with { $0?.refusedCount ?? 0 }))
            if let spans {
                let counts = spans.counts
                exposition.add(
                    "headwater_spans_exported_total", .counter, "Spans that the collector has taken.",
                    Double(counts.exported))
                exposition.add(
                    "headwater_spans_dropped_total", .counter, "Spans that found no room, or that were not taken.",
                    Double(counts.dropped))
            }
            disk?.add(to: &exposition)
            if let audit {
                exposition.begin(
                    "headwater_audit_lost_total", .counter, "Lines of the audit log that could not be written.")
                exposition.add("headwater_audit_lost_total", [], Double(audit.lostCount))
            }
            if let cluster { ClusterMetrics.add(to: &exposition, cluster.journal.status) }
            ProcessFigures.add(to: &exposition, since: started)
        }
        components.measured?.watch { availability.note($0) }
    }

    /// The state of each component, for administrators.
    var healthComponents: [OperationsHandler.Component] {
        func number(_ value: Double) -> JSON { .number(Decimal(Int(value))) }
        var found = [
            OperationsHandler.Component(
                name: "journal", isWell: !availability.isUnwritable,
                details: [("syncFailures", .number(Decimal(components.measured?.syncFailures ?? 0)))]),
            OperationsHandler.Component(
                name: "data", isWell: (components.damaged?.count ?? 0) == 0,
                details: [
                    ("damagedSpaces", .number(Decimal(components.damaged?.count ?? 0))),
                    ("verifications", .number(Decimal(components.damaged?.passCount ?? 0))),
                ]),
            OperationsHandler.Component(
                name: "schedules", isWell: components.stores.alarmsLateSeconds < 60,
                details: [("lateSeconds", number(components.stores.alarmsLateSeconds))]),
            OperationsHandler.Component(
                name: "clock", isWell: (components.clock?.aheadSeconds ?? 0) < 60,
                details: [("aheadSeconds", number(components.clock?.aheadSeconds ?? 0))]),
            OperationsHandler.Component(
                name: "log", isWell: true,
                details: [("droppedLines", .number(Decimal(components.log.droppedCount)))]),
        ]
        if let room = components.disk?.room {
            found.append(
                OperationsHandler.Component(
                    name: "disk", isWell: room.free > room.all / 20,
                    details: [("freeBytes", number(room.free)), ("bytes", number(room.all))]))
        }
        if let audit = components.audit {
            found.append(
                OperationsHandler.Component(
                    name: "audit", isWell: audit.lostCount == 0,
                    details: [("lostLines", .number(Decimal(audit.lostCount)))]))
        }
        if let spans = components.spans {
            let counts = spans.counts
            found.append(
                OperationsHandler.Component(
                    name: "traces", isWell: true,
                    details: [
                        ("exported", .number(Decimal(counts.exported))), ("dropped", .number(Decimal(counts.dropped))),
                    ]))
        }
        return found
    }

    /// Fetches the keys of the issuer, if they have a URL.
    private func beginKeys() {
        components.access.verifier?.keys?.begin { [weak self, log = components.log] event in
            switch event {
            case .failed(let reason):
                log.write(.warning, "the key set cannot be fetched", [("reason", reason)])
            case .replaced: self?.endWithdrawn()
            }
        }
        if let keys = components.access.verifier?.keys, keys.isFetched, let executor = components.executors.first {
            executor.post { Self.refresh(keys, on: executor.alarms) }
        }
    }

    /// Looks once a minute if the keys of the issuer are old.
    private static func refresh(_ keys: KeySource, on alarms: LoopScheduler) {
        alarms.after(nanoseconds: KeySource.unknownKeySeconds * 1_000_000_000) { [unowned alarms] in
            keys.refreshIfOld()
            refresh(keys, on: alarms)
        }
    }

    /// Makes the services of each loop.
    func makeLoops() -> [LoopService] {
        let made = components.executors.indices.map { LoopService($0, self) }
        let peers = made.map(\.live.peer)
        for loop in made { loop.live.meet(peers) }
        let owned = made.map { Confined($0) }
        loops.with { $0 = owned }
        for loop in made {
            loop.store.spaceMoved = { [weak self, weak loop] in
                // This loop at once, so that no further request of it is served here.
                loop?.renewRoutes()
                self?.renewRoutes()
            }
        }
        let largeIndex = components.stores.placement.largeIndex
        gatherer.setSources(sources(of: made, largeIndex) { $0.counts })
        streamGatherer.setSources(sources(of: made, largeIndex) { $0.streams })
        beginKeys()
        return made
    }

    /// Returns what each loop counts, by the loop that is asked for it. The loop of large spaces may compute for long, so
    /// it notes its counts after its turns, and another loop has them.
    private func sources<Counts: Sendable>(
        of loops: [LoopService], _ largeIndex: Int?, _ counts: @escaping (LoopService) -> Counts
    ) -> [(executor: LoopExecutor, count: () -> Counts)] {
        loops.enumerated().map { index, loop in
            let executor = components.executors[index]
            guard index == largeIndex else { return (executor: executor, count: { counts(loop) }) }
            let noted = Lock(counts(loop))
            var last = -Self.countPeriod
            executor.loop.endings.append { [unowned loop, unowned executor] in
                guard executor.loop.now - last >= Self.countPeriod else { return }
                last = executor.loop.now
                let present = counts(loop)
                noted.with { $0 = present }
            }
            return (executor: components.executors[0], count: { noted.with { $0 } })
        }
    }

    /// The least nanoseconds between two counts of the loop of large spaces.
    private static let countPeriod: Int64 = 100_000_000

    private func renewRoutes() {
        for (loop, executor) in zip(loops.with { $0 }, components.executors) {
            executor.post { loop.value.renewRoutes() }
        }
    }

    /// Lets go of the services of the loops, which know this service.
    func releaseLoops() {
        for loop in loops.with({ $0 }) {
            loop.value.delivery.release()
            loop.value.live.release()
            loop.value.agents.release()
        }
        loops.with { $0 = [] }
        gatherer.setSources([])
        streamGatherer.setSources([])
    }

    /// Replaces the tokens, and ends the streams and polls of those that are gone.
    func replace(tokens: [Token]) {
        components.access.replace(tokens: tokens)
        endWithdrawn()
    }

    /// Ends the streams and polls whose token, or its key, was withdrawn.
    private func endWithdrawn() {
        for (loop, executor) in zip(loops.with { $0 }, components.executors) {
            executor.post { loop.value.endWithdrawn() }
        }
    }
}

/// The figures of the operating system about this process.
enum ProcessFigures {
    static func add(to exposition: inout Exposition, since start: Double) {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
        exposition.add(
            "process_cpu_seconds_total", .counter, "Processor time used.",
            seconds(usage.ru_utime) + seconds(usage.ru_stime))
        let pages = numbers(in: "/proc/self/statm")
        let pageSize = Double(sysconf(Int32(_SC_PAGESIZE)))
        if pages.count > 1 {
            exposition.add("process_virtual_memory_bytes", .gauge, "Memory asked for.", pages[0] * pageSize)
            exposition.add("process_resident_memory_bytes", .gauge, "Memory used.", pages[1] * pageSize)
        }
        exposition.add("process_start_time_seconds", .gauge, "When it was started, since 1970.", start)
        exposition.add("process_open_fds", .gauge, "Open descriptors.", Double(openDescriptors()))
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        exposition.add("process_max_fds", .gauge, "How many there may be.", Double(limit.rlim_cur))
    }

    private static func numbers(in path: String) -> [Double] {
        guard let file = fopen(path, "r") else { return [] }
        defer { fclose(file) }
        var buffer = [UInt8](repeating: 0, count: 256)
        let count = fread(&buffer, 1, buffer.count, file)
        return String(decoding: buffer[0..<count], as: UTF8.self).split(separator: " ").compactMap { Double($0) }
    }

    private static func openDescriptors() -> Int {
        guard let directory = opendir("/proc/self/fd") else { return 0 }
        defer { closedir(directory) }
        var count = 0
        while readdir(directory) != nil { count += 1 }
        // Without the folder itself, the one above it, and the descriptor that reads it.
        return max(0, count - 3)
    }
}
