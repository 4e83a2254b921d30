import HTTP
import Sockets
import StateStore

/// The services of one loop: its store, and the handlers of its requests.
final class LoopService {
    let handler: RequestHandler
    let store: Store
    private let context: ResponseContext
    private let delivery: Delivery
    private let changes: ChangeFeed
    /// The connections of this loop, counted by its server.
    var connectionCount: () -> Int = { 0 }

    init(_ index: Int, _ service: Service) {
        let components = service.components
        let (home, keeper) = (components.homes[index], components.keeper)
        let store = components.stores[index]
        let metrics = Metrics(paths: Resource.templates)
        let context = ResponseContext(home.loop, components.access, service.availability, metrics)
        let delivery = Delivery(store, ViewTags(keeper.journal), home, metrics)
        let changes = ChangeFeed(delivery, keeper, home)
        let names = ViewNames(registry: components.registry)
        let definitions = Definitions(store)
        let actions = ActionHandler(store, context, changes, keeper.journal)
        let handlers = RequestHandler.Handlers(
            actions: actions,
            views: ViewHandler(names, delivery),
            changes: ChangeHandler(changes, metrics),
            definitions: DefinitionHandler(definitions, actions, delivery.tags, components.registry),
            runs: RunHandler(definitions, delivery, home.scheduler),
            trials: TrialHandler(definitions, store, components.trials, home),
            spaces: SpaceHandler(changes, keeper, home, service.cursors),
            descriptions: DescriptionHandler(names, service.index, store, keeper, home),
            operations: OperationsHandler(service.availability, service.probe, service.gatherer, keeper, home),
            site: SiteHandler(components.site, home))
        let router = Router(
            components.registry, components.stores, keeper.journal.digestKey, hasSite: components.site != nil)
        handler = RequestHandler(index, context, router, handlers)
        (self.store, self.context, self.delivery, self.changes) = (store, context, delivery, changes)
        home.loop.endings.append { delivery.flush() }
    }

    /// The counts of this loop.
    var counts: MetricCounts {
        let metrics = context.metrics
        var counts = MetricCounts()
        counts.requests = metrics.requests
        counts.actions = metrics.actions
        counts.commits = store.commitsCount
        counts.commitSeconds = metrics.commitSeconds
        counts.requestSeconds = metrics.requestSeconds
        counts.streams = metrics.streams
        counts.polls = delivery.pollersCount + changes.pollersCount
        counts.spaces = store.loadedCount
        counts.spaceBytes = store.memory
        counts.frames = metrics.frames
        counts.conflated = metrics.conflated
        counts.resumes = metrics.resumes
        counts.connections = connectionCount()
        return counts
    }

    /// The number of broadcasters that are remembered.
    var broadcasterCount: Int { delivery.broadcasterCount }

    /// Ends the streams and polls whose token was withdrawn.
    func endWithdrawn() {
        context.uses.endWithdrawn()
    }
}
