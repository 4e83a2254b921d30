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
    private var cells: [ViewKey: ViewCell] = [:]
    /// The watched instances of its views.
    private(set) var instances: ViewInstances
    /// The commits that wait for their predecessors, or for documents that are coming, each with what is called afterwards.
    private var waiting: [(record: CommitRecord, done: () -> Void)] = []
    /// The content in the form of documents that are coming, once it is read.
    private var renewed: RenewedReplica?
    /// Called once it is read.
    private var whenRenewed: [() -> Void] = []
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

    func cell(_ name: ViewKey) -> ViewCell? {
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
        _ views: [ViewKey], isWanted: @escaping () -> Bool = { true }, _ body: @escaping (_ isMade: Bool) -> Void
    ) {
        guard mayBuild, !graph.isBusy else { return body(true) }
        builds.build(views, isWanted: isWanted, body)
    }

    // MARK: Commits

    /// Applies a durable commit of `common`, and calls `done` when it and all before it are applied. If commits in
    /// between are missing, the replica reads them from the journal. While documents are coming, all commits wait.
    func apply(_ record: CommitRecord, _ done: @escaping () -> Void = {}) throws(JSONError) {
        guard record.version > version else { return done() }
        guard context.coming == nil else {
            waiting.append((record, done))
            // The space itself says when it is renewed; a commit of another node does for a node that does not own it.
            if !context.owns(.common), record.isMigration { context.commonRenewed() }
            return
        }
        guard record.version == version + 1, !isCatchingUp else {
            waiting.append((record, done))
            return catchUp()
        }
        version = record.version
        try graph.commit { transaction throws(JSONError) in
            for fact in record.facts { try features.take(fact, in: &transaction) }
        }
        features.showMemory(in: graph)
        if context.library != nil { try context.takeDocuments(record.facts, mayWait: true) }
        noteContent()
        if context.coming == nil { done() } else { waiting.append((record, done)) }
    }

    /// Takes a catalog in which the named features differ, and the content in its form if it was coming.
    func adopt(_ catalog: FeatureCatalog, _ changed: Set<String>, _ renewed: RenewedReplica? = nil) {
        let made = features.adopt(catalog, renewedIn: renewed?.features)
        if !made.isEmpty || renewed != nil {
            graph.commit { transaction in
                for feature in made { feature.fill(features.level(of: feature.blueprint), in: &transaction) }
                if let renewed { features.follow(renewed.features, in: renewed.changed, in: &transaction) }
            }
        }
        if let renewed {
            version = renewed.version
            features.becomeMemory(of: renewed.features)
            features.showMemory(in: graph)
        }
        for cell in allCells {
            if !cell.follow(changed, features.view(cell.name)) { cells[cell.name] = nil }
        }
    }

    func visibleCell(_ name: ViewKey) -> ViewCell? { cell(name) }

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
                guard context.coming == nil else {
                    return if let stored { replica.prepare(stored) } else { replica.prepareLater() }
                }
                replica.isCatchingUp = false
                // A newer program wrote a fact that this program cannot decode. The replica stays at its version.
                let isRead = stored.map { (try? replica.replace(with: $0)) != nil } ?? false
                replica.endWaiting()
                guard !replica.waiting.isEmpty else { return }
                if isRead { replica.catchUp() } else { replica.catchUpLater() }
            })
    }

    /// Calls what waits for the commits up to the present version.
    private func endWaiting() {
        let all = waiting
        waiting = all.filter { $0.record.version > version }
        for one in all where one.record.version <= version { one.done() }
    }

    /// Reads `common` again after a failure, because answers wait for its commits.
    private func catchUpLater() {
        afterRetryTime { if !$0.waiting.isEmpty { $0.catchUp() } }
    }

    // MARK: Documents that are coming

    /// Reads the content in the form of the documents that are coming, and calls `done`: at once if none are coming, or it
    /// is read. `takeRenewed` takes both.
    func renew(_ done: @escaping () -> Void) {
        guard context.coming != nil, renewed == nil else { return done() }
        whenRenewed.append(done)
        catchUp()
    }

    /// Makes the content of stored facts, in slices.
    private func prepare(_ stored: StoredSpace) {
        do throws(JSONError) {
            guard let deployment = try context.deployment(of: stored.facts) else { return prepareLater() }
            let catalog = deployment.registry.catalog
            let other = FeatureSet(catalog, of: .common)
            let restoration = try FactRestoration(
                of: stored.facts, in: other, making: features.indexesOfMade(in: catalog))
            var isRestored = false
            context.slices.add { [self] in
                guard context.isOpen else { return true }
                do throws(JSONError) {
                    if !isRestored { isRestored = try restoration.take(FactRestoration.sliceFacts) }
                    // The documents change them.
                    guard isRestored, !heldLists.releaseFirst() else { return false }
                    renewed = RenewedReplica(features: other, deployment: deployment, version: stored.version)
                    let bodies = whenRenewed
                    whenRenewed = []
                    for body in bodies { body() }
                } catch {
                    prepareLater()
                }
                return true
            }
        } catch {
            prepareLater()
        }
    }

    private func prepareLater() {
        isCatchingUp = false
        afterRetryTime { $0.catchUp() }
    }

    /// Takes the documents that are coming with the content in their form, if that is read.
    func takeRenewed() {
        guard var renewed else { return }
        let records = waiting.map(\.record).filter { $0.version > version && $0.version <= renewed.version }
        // If some have not come, all that differs may have changed.
        if Set(records.map(\.version)).count == renewed.version - version {
            renewed.changed = Set(records.lazy.flatMap { $0.facts.lazy.map(\.variable) })
        }
        self.renewed = nil
        isCatchingUp = false
        context.take(renewed.deployment, with: renewed)
        noteContent()
        endWaiting()
        let later = waiting.sorted { $0.record.version < $1.record.version }
        waiting = []
        for one in later {
            do throws(JSONError) {
                try apply(one.record, one.done)
            } catch {
                catchUp()
            }
        }
    }

    private func afterRetryTime(_ body: @escaping (Replica) -> Void) {
        let scheduler = context.executor.scheduler
        scheduler.set(
            Alarm(at: scheduler.now + Self.retryTime) { [context, weak self] _ in
                if context.isOpen, let self { body(self) }
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

/// The content of `common` in the form of documents that are coming, of a version up to which the replica has it in the
/// present form.
struct RenewedReplica {
    let features: FeatureSet
    let deployment: DocumentLibrary.Deployment
    let version: Int
    /// The variables that the commits since have changed; nil if these are not known.
    var changed: Set<String>?
}

extension CommitRecord {
    /// True for the commit of a migration.
    var isMigration: Bool { action == "\(DeployedDocuments.feature)/migrated" }
}
