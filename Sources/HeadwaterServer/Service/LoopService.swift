import Ground
import HTTP
import ReplicatedJournal
import Sockets
import StateStore

/// The services of one loop: its store, and the handlers of its requests.
final class LoopService {
    let handler: RequestHandler
    let store: Store
    private let context: ResponseContext
    let delivery: Delivery
    private let changes: ChangeFeed
    /// The part of a cluster; nil on one machine.
    let cluster: ClusterFront?
    private let allChanges: AllChanges
    private let router: Router
    private let hookKeeper: DocumentHookKeeper?
    private let histories: HistoryFeed
    /// The live streams of this loop.
    let live: LiveLoop
    /// The side of agents.
    let agents: AgentHandler
    /// The connections of this loop, counted by its server.
    var connectionCount: () -> Int = { 0 }

    init(_ index: Int, _ service: Service) {
        let components = service.components
        let (executor, journalWriter) = (components.executors[index], components.journalWriter)
        let store = components.stores[index]
        let metrics = Metrics(paths: ResourceRow.templates)
        let context = ResponseContext(
            executor, store, components.access, service.availability, metrics, components.audit, service.reasons,
            components.spans,
            components.hooks.traces)
        let delivery = Delivery(store, ViewTags(journalWriter.journal), executor, metrics)
        let changes = ChangeFeed(delivery, journalWriter, executor)
        let allChanges = AllChanges(delivery, journalWriter, executor)
        let histories = HistoryFeed(delivery, components.past, journalWriter.journal, executor)
        let live = LiveLoop(
            index, delivery, journalWriter.journal, components.past, components.stores, on: executor)
        let names = ViewNames(store)
        let definitions = Definitions(store)
        let seal = TicketSeal(journalWriter.journal.digestKey)
        let versions = NamedVersions(delivery, journalWriter.journal, on: executor)
        let cluster = components.cluster.map {
            ClusterFront($0.journal, store, on: executor, versions, readsNear: $0.readsNear)
        }
        self.cluster = cluster
        let actionRehearsals = ActionRehearsals(store, components.past, executor)
        let actions = ActionHandler(
            names, store, context, changes, journalWriter.journal, actionRehearsals, components.served, cluster)
        let checks = DocumentChecks(components.library, components.trials, executor)
        agents = AgentHandler(context, store, delivery, service.agentSessions, executor)
        let handlers = RequestHandler.Handlers(
            actions: actions,
            views: ViewHandler(names, delivery, ListHandler(names, store, components.past, executor)),
            changes: ChangeHandler(changes, metrics),
            past: PastHandler(names, changes, components.past, service.pastAnswers, journalWriter.journal, executor),
            histories: HistoryHandler(names, histories, metrics),
            restoring: RestoreHandler(actions, delivery.tags, components.past, executor),
            erasing: EraseHandler(actions, components.past, executor),
            batches: BatchHandler(actions, store),
            editing: EditHandler(actions, components.past, executor, isForbidden: components.forbidsEdits),
            reasons: ReasonHandler(service.reasons, store),
            ruleTests: RuleTestHandler(store, actionRehearsals),
            definitions: DefinitionHandler(
                definitions, names, actions, delivery.tags, components.library.program, components.past, executor),
            runs: RunHandler(definitions, names, delivery, executor.scheduler),
            live: LiveHandler(names, live),
            steering: SteeringHandler(names, live, node: components.cluster?.journal.nodeName),
            feed: FeedHandler(allChanges, metrics),
            trials: TrialHandler(definitions, names, store, components.trials, executor),
            spaces: SpaceHandler(names, changes, histories),
            spaceList: SpaceListHandler(journalWriter, executor, service.cursors),
            administration: AdministrationHandler(
                context, service.streamGatherer, components.limits.json, journalWriter, executor),
            descriptions: DescriptionHandler(names, components.served, store, journalWriter, executor),
            operations: OperationsHandler(
                service.availability, service.probe, service.gatherer, journalWriter, executor, cluster,
                components: { [unowned service] in service.healthComponents }),
            tickets: TicketHandler(context, seal),
            features: FeatureHandler(
                store, delivery.tags, checks, components.served,
                MigrationRehearsals(components.library, components.past, executor, service.reports), components.hooks,
                isFixed: components.hasFixedFeatures),
            rehearsals: RehearsalHandler(
                store, delivery.tags, checks, components.library, components.past, executor),
            site: SiteHandler(components.site, executor, components.livePage),
            hooks: HookHandler(
                components.hooks, components.hookCenter, names, store, executor), agents: agents,
            usage: UsageHandler(store, context),
            directory: DirectoryHandler(components.operations, executor))
        let router = Router(
            store, components.stores, journalWriter.journal.digestKey, hasSite: components.site != nil,
            isLive: components.livePage != nil, hasAgents: components.servesAgents,
            node: components.cluster?.journal.nodeName)
        handler = RequestHandler(index, context, router, seal, handlers, versions, cluster)
        (self.store, self.context, self.delivery, self.changes) = (store, context, delivery, changes)
        self.histories = histories
        self.live = live
        self.router = router
        self.allChanges = allChanges
        executor.loop.endings.append { delivery.flush() }
        // The first loop has `common`, and so the hooks.
        let hookKeeper = index == 0 ? DocumentHookKeeper(components.hooks, components.hookCenter, store) : nil
        self.hookKeeper = hookKeeper
        let owned = Confined({ [weak hookKeeper] in hookKeeper?.noteDocuments() })
        if hookKeeper != nil { executor.post { owned.value() } }
        store.featuresChanged = { [weak router, weak delivery, weak live, weak agents, weak hookKeeper] in
            hookKeeper?.noteDocuments()
            router?.renew()
            delivery?.noteFeatures()
            live?.noteFeatures()
            agents?.noteFeatures()
        }
    }

    /// Forgets the loops of paths, because a space has moved to another one.
    func renewRoutes() { router.renew() }

    /// The counts of this loop.
    var counts: MetricCounts {
        let metrics = context.metrics
        var counts = MetricCounts()
        counts.requests = metrics.requests
        counts.actions = metrics.actions
        counts.limited = metrics.limited
        counts.refusals = metrics.refusals
        counts.commits = store.commitsCount
        counts.commitSeconds = metrics.commitSeconds
        counts.requestSeconds = metrics.requestSeconds
        counts.streams = metrics.streams
        counts.polls =
            delivery.pollersCount + changes.pollersCount + allChanges.pollersCount + histories.pollersCount
        counts.spaces = store.loadedCount
        counts.spaceBytes = store.memory
        counts.fullSpaces = store.fullSpaceCount
        counts.frames = metrics.frames
        counts.conflated = metrics.conflated
        counts.resumes = metrics.resumes
        counts.connections = connectionCount()
        return counts
    }

    /// The open streams of this loop, by subject and kind of path.
    var streams: StreamGatherer.Counts { Subscribers.streams(on: context.loop) }

    /// The number of broadcasters that are remembered.
    var broadcasterCount: Int { delivery.broadcasterCount }

    /// Ends the streams and polls whose token was withdrawn.
    func endWithdrawn() {
        Subscribers.endWithdrawn(on: context.loop)
    }
}
