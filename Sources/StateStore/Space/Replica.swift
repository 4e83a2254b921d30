import Ground
import JSON
import Reactive

/// The durable state of `common` in one store, from which the spaces of the store derive values. Only durable commits
/// of `common` change it.
final class Replica: ViewOwner {
    // A job that may outlive the store checks `context.isOpen` before it uses a replica.
    unowned(unsafe) private let context: StoreContext
    let graph: Graph
    /// The features of `common`, whose state the features of the spaces read.
    let features: FeatureSet
    private(set) var version = 0
    private var cells: [String: ViewCell] = [:]
    /// The watched instances of its views.
    private(set) var instances: ViewInstances
    /// The closures that wait for a version that arrived before its predecessors.
    private var waiting: [(version: Int, done: () -> Void)] = []
    private var isCatchingUp = false
    /// The views that are made in slices.
    private(set) lazy var builds = ViewBuilds(of: self, in: context)
    private var heldLists = HeldLists()
    /// True if its tables may be so large that views take them in slices.
    private(set) var mayBuild = false
    /// The time before `common` is read again after a failure.
    private static let retryTime = Duration.seconds(1)

    init(of registry: Registry, in context: StoreContext, graph: Graph) {
        self.context = context
        self.graph = graph
        instances = ViewInstances(in: context.updates.instanceMemory)
        features = FeatureSet(
            registry.catalog, of: .common, key: context.updates.digestKey, time: context.time,
            clock: context.spaceClock)
    }

    // MARK: Views

    // Values of `common` depend on no version of a space.
    var moment: Moment { Moment(version: 0, common: version) }
    var isDurable: Bool { true }
    var unkeptChanges: Int { 0 }
    var ticks: Int { features.clock.ticks }
    var shown: Moment? { moment }
    var delivered: Moment? { moment }
    var updates: ViewUpdates { context.updates }

    func postpone(_ delivery: PendingDelivery) {
        delivery.deliver()
    }

    func noteDirty(_ subscriber: ViewSubscriber) {
        updates.noteDirty(subscriber)
    }

    func noteSubscribers(_ change: Int) {}

    func noteInstance(_ cell: ViewCell, isWatched: Bool) {
        instances.note(cell, isWatched: isWatched)
    }

    func cell(_ name: String) -> ViewCell? {
        if let cell = cells[name] ?? instances[name] ?? builds.cells[name], !cell.isGone { return cell }
        guard let view = features.view(name) else { return nil }
        let cell = ViewCell(name: name, view: view, in: self)
        if !cell.isInstance { cells[name] = cell }
        return cell
    }

    func hold(_ cell: ViewCell) -> Bool { mayBuild && heldLists.take(cell, of: features.catalog) }

    func noteUse() {}

    /// Runs `body` once the values of views are known: in a later job if they are made in slices. See `ViewBuilds`.
    func whenBuilt(
        _ views: [String], isWanted: @escaping () -> Bool = { true }, _ body: @escaping (_ isMade: Bool) -> Void
    ) {
        guard mayBuild, !graph.isBusy else { return body(true) }
        builds.build(views, isWanted: isWanted, body)
    }

    // MARK: Commits

    /// Applies a durable commit of `common`, and calls `done` when it and all before it are applied. If commits in
    /// between are missing, the replica reads them from the journal.
    func apply(_ record: CommitRecord, _ done: @escaping () -> Void = {}) throws(JSONError) {
        guard record.version > version else { return done() }
        guard record.version == version + 1, !isCatchingUp else {
            waiting.append((record.version, done))
            return catchUp()
        }
        version = record.version
        try graph.commit { transaction throws(JSONError) in
            for fact in record.facts { try features.take(fact, in: &transaction) }
        }
        features.showMemory(in: graph)
        if context.library != nil { try context.takeDocuments(record.facts) }
        noteContent()
        done()
    }

    /// Takes a catalog in which the named features differ.
    func adopt(_ catalog: FeatureCatalog, _ changed: Set<String>) {
        let made = features.adopt(catalog)
        if !made.isEmpty {
            graph.commit { transaction in
                for feature in made { feature.fill(features.level(of: feature.blueprint), in: &transaction) }
            }
        }
        for cell in allCells {
            if !cell.follow(changed, features.view(cell.name)) { cells[cell.name] = nil }
        }
    }

    func visibleCell(_ name: String) -> ViewCell? { cell(name) }

    /// The cells of views that were read, are watched, or are made in slices.
    private var allCells: [ViewCell] {
        Array(cells.values) + instances.cells.values
            + builds.cells.values.filter { instances[$0.name] !== $0 }
    }

    /// Gives the subscribers of views that have left `common` to the spaces. Precondition: these have the catalog.
    func handOver() {
        for cell in allCells { cell.handOver() }
    }

    /// Reads `common` from the journal, because some of its commits may not have arrived. If that fails, the next
    /// commit tries again, and an alarm if answers wait.
    func catchUp() {
        guard !isCatchingUp else { return }
        isCatchingUp = true
        let owned = Confined((context: context, replica: self))
        context.writer.read(
            for: context.executor,
            { journal in try? journal.load(.common) },
            then: { stored in
                let (context, replica) = owned.value
                guard context.isOpen else { return }
                replica.isCatchingUp = false
                // A newer program wrote a fact that this program cannot decode. The replica stays at its version.
                let isRead = stored.map { (try? replica.replace(with: $0)) != nil } ?? false
                let waiting = replica.waiting
                replica.waiting = waiting.filter { $0.version > replica.version }
                for one in waiting where one.version <= replica.version { one.done() }
                guard !replica.waiting.isEmpty else { return }
                if isRead { replica.catchUp() } else { replica.catchUpLater() }
            })
    }

    /// Reads `common` again after a failure, because answers wait for its commits.
    private func catchUpLater() {
        let scheduler = context.executor.scheduler
        scheduler.set(
            Alarm(at: scheduler.now + Self.retryTime) { [weak self] _ in
                guard let self, context.isOpen, !waiting.isEmpty else { return }
                catchUp()
            })
    }

    /// Replaces the content with the stored one if that is newer.
    func replace(with stored: StoredSpace) throws(JSONError) {
        guard stored.version > version else { return }
        try context.takeDocuments(stored.facts)
        let other = FeatureSet(context.registry.catalog, of: .common)
        try other.restoreLarge(stored.facts)
        version = stored.version
        graph.commit { transaction in features.become(other, in: &transaction) }
        features.becomeMemory(of: other)
        features.showMemory(in: graph)
        noteContent()
    }

    /// Notes that the content has changed.
    private func noteContent() {
        mayBuild = features.hasLargeTables
        heldLists.release()
        context.commonMoved()
    }
}
