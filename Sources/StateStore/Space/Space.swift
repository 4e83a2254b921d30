import Ground
import JSON
import Reactive

/// One independent state: its variables, its version, its views. It belongs to one store and runs only on that store's
/// executor.
final class Space: ViewOwner {
    typealias Reply = (Result<Answer, Refusal>) -> Void

    let name: SpaceName
    // A job that may outlive the store checks `context.isOpen` before it uses a space.
    unowned(unsafe) let context: StoreContext
    /// The cache that unloads this space; nil for `common`, which always stays.
    unowned(unsafe) let cache: SpaceCache?
    let graph: Graph
    private(set) var features: FeatureSet
    var state: SpaceState

    /// The values that wait for durable versions.
    var deliveries = PendingDeliveries()
    /// The moments that are shown while commits are not durable.
    var shownMoments = ShownMoments()
    /// The moment that was shown when the content was lost.
    private var lastShown: Moment?
    /// The answers that wait for the journal.
    var answers = PendingAnswers()
    /// The reads that wait for durable versions.
    var reads = DurabilityWaiters()
    /// The closures that wait for the content.
    private var arrivals = Fifo<(JournalFailure?) -> Void>()
    /// The features that those closures use.
    private var wanted: [Int] = []
    /// The answers to recent calls with an idempotency key.
    var keys = IdempotencyCache()

    /// The last actions of clients that queue them.
    var queues = ActionQueues()
    /// The clients whose removal the next commit stores.
    var goneClients: [String] = []

    private var cells: [ViewKey: ViewCell] = [:]
    private var heldLists = HeldLists()
    /// The watched instances of its views.
    private(set) var instances: ViewInstances
    /// The views and indexes that are made in slices; nil if none were.
    var builds: ViewBuilds?
    /// True if its tables may be so large that views take them in slices.
    var mayBuild = false
    /// The subscribers to notify when the content is here.
    private var lateSubscribers: [ViewSubscriber] = []
    private(set) var subscriberCount = 0

    /// The estimated memory of the space.
    var estimate = SpaceMemory()
    /// The size of the state, once it was asked for; nil when it has to be measured.
    var size: SpaceSize?
    /// The size of the state after the commit in preparation.
    var nextSize: SpaceSize?
    /// True if the space is in the queue of its cache, and if it was used since.
    var isQueued = false
    var wasUsed = false

    /// True if the state has work for effects.
    var hasWork = false
    /// The number of changes of the state that made no version.
    var unkeptChanges = 0
    /// The clients that are present in tables.
    var presentClients = PresentClients()
    /// True if there are rows in memory only.
    var hasUnkeptRows = false
    /// The claim of this node under which those rows are; nil on one machine, and if another node owns the space.
    var unkeptClaim: Int?
    /// The state that the effects see; nil without work.
    var durableState: DurableState?
    /// The features whose changes the space has not yet followed; nil for none.
    var owedAdoption: Set<String>?
    /// The load of the space with the present documents while it serves what earlier ones have; nil for none.
    var renewal: SpaceRenewal?
    /// True if work for the space has taken more steps than it may, so that the store of large spaces should have it.
    var isCostly = false
    /// True if definitions of the space remember.
    var isRemembering = false
    /// True if definitions may remember that had no memory when the space was loaded. They begin with the next commit.
    var mayLackMemory = false
    /// True if the journal has refused a migration, until it is tried again.
    var isMigrationRefused = false
    /// True if the journal has refused the removal of dropped state.
    var isDropRefused = false
    /// The alarms of those definitions.
    var time = SpaceTime()
    /// Applies a durable commit to all replicas before it is answered. Set for `common` only.
    var replicate: ((CommitRecord, @escaping () -> Void) -> Void)?
    /// Makes the replicas take coming documents. Set for `common` only.
    var renewed: (() -> Void)?

    init(_ name: SpaceName, in context: StoreContext, cache: SpaceCache?, graph: Graph) {
        self.name = name
        self.context = context
        self.cache = cache
        self.graph = graph
        instances = ViewInstances(in: context.updates.instanceMemory)
        features = context.features(of: name)
        isRemembering = features.alwaysRemembers
        state = SpaceState(generation: context.nextGeneration())
        if cache != nil { queues.adopt(context.uncarriedActions.take(name)) }
    }

    // MARK: Views

    /// The stamp of the current content; nil if it is not loaded or not durable.
    var stamp: Stamp? {
        guard state.isHere, isDurable else { return nil }
        return Stamp(generation: state.generation, arrivals: state.arrivals + unkeptChanges + ticks, moment: moment)
    }

    var moment: Moment { Moment(version: state.version, common: context.commonVersion) }
    var ticks: Int { features.clock.ticks + context.replica.ticks }
    var isDurable: Bool { state.isDurable }
    var shown: Moment? {
        guard state.isHere else { return nil }
        return shownMoments.moment(durable: state.durable, common: context.commonVersion)
    }
    var delivered: Moment? { shown ?? lastShown }
    var updates: ViewUpdates { context.updates }

    func postpone(_ delivery: PendingDelivery) {
        if state.isHere { return deliveries.append(delivery) }
        carryOver(delivery)
    }

    /// Delivers a value of `common` while the content is being reloaded. The space's own values are computed again from
    /// the new content.
    func carryOver(_ delivery: PendingDelivery) {
        if case .common = delivery { delivery.deliver() }
    }

    func noteDirty(_ subscriber: ViewSubscriber) {
        if state.isHere { updates.noteDirty(subscriber) } else { lateSubscribers.append(subscriber) }
    }

    func noteSubscribers(_ change: Int) {
        subscriberCount += change
        if subscriberCount == 0 { noteUse() }
    }

    /// True if a view was read or watched.
    var hasCells: Bool { !cells.isEmpty || instances.count > 0 }

    func noteInstance(_ cell: ViewCell, isWatched: Bool) {
        instances.note(cell, isWatched: isWatched)
        measureFeatures()
    }

    func hold(_ cell: ViewCell) -> Bool {
        guard cache != nil, state.isHere, memory >= HeldLists.bytesAtLeast else { return false }
        return heldLists.take(cell, of: features.catalog)
    }

    /// Releases the lists that nobody has read for a while; with `all`, all of them.
    func releaseLists(all: Bool = false) {
        heldLists.release(all: all)
    }

    /// The cells of views that were read, are watched, or are made in slices.
    private var allCells: [ViewCell] {
        let made = builds?.cells.values.filter { instances[$0.name] !== $0 } ?? []
        return Array(cells.values) + instances.cells.values + made
    }

    /// The estimated bytes of the lists that views have.
    var listBytes: Int { cells.values.reduce(0) { $0 + $1.listBytes } }

    /// Returns a refusal if one more subscriber of `cells` would exceed the limit of instances.
    func refusal(of cells: [ViewCell]) -> Refusal? {
        instances.refusal(of: cells.filter { $0.isOwned(by: self) })
            ?? context.replica.instances.refusal(of: cells.filter { !$0.isOwned(by: self) })
    }

    func cell(_ name: ViewKey) -> ViewCell? {
        if let known = cells[name] ?? instances[name] ?? builds?.cells[name], !known.isGone { return known }
        guard let view = features.view(name) else { return nil }
        let cell = ViewCell(name: name, view: view, in: self)
        if !cell.isInstance { cells[name] = cell }
        return cell
    }

    /// The cell of a view of `common` or of this space.
    func visibleCell(_ name: ViewKey) -> ViewCell? {
        context.replica.cell(name) ?? cell(name)
    }

    /// The current values of views. The space `common` reads its own state. Other spaces read the values of `common`
    /// from the replica.
    func frames(_ views: [ViewKey]) -> ViewFrames {
        if views.isEmpty { return [] }
        return views.compactMap { name in
            (replicate == nil ? visibleCell(name) : cell(name)).map { (name, $0.current()) }
        }
    }

    /// Returns a refusal if the current state does not define one of `views`.
    func refusal(of views: [ViewKey]) -> Refusal? { refusal(of: views, in: features) }

    /// Returns a refusal if a state does not define one of `views`.
    func refusal(of views: [ViewKey], in features: FeatureSet) -> Refusal? {
        for view in views where view.kind == nil && context.registry.openScope(of: view) != nil {
            do throws(MissingView) {
                guard try features.openView(view) == nil else { continue }
                return .noSuchView("\(view)")
            } catch {
                return .noView("\(view)", why: error)
            }
        }
        return nil
    }

    // MARK: Loading

    /// True if unloading loses nothing.
    var isIdle: Bool { subscriberCount == 0 && isIdleButWatched }

    /// True if unloading loses nothing but watches.
    var isIdleButWatched: Bool {
        state.isIdle && !hasUnkeptRows && durableState == nil && answers.isEmpty && reads.isEmpty && arrivals.isEmpty
            && !keys.isBusy && !queues.isBusy && builds?.isEmpty != false && renewal == nil
    }

    /// True once its watches were asked to end, so that it can move to another store.
    var wasAskedToMove = false

    func noteUse() {
        cache?.noteUse(of: self)
    }

    /// Releases what only an active space needs: the buffers of its queues, and the closures of its actions. The next
    /// action makes them again.
    func trim() {
        guard isIdle else { return }
        releaseLists(all: true)
        answers = PendingAnswers()
        reads = DurabilityWaiters()
        deliveries = PendingDeliveries()
        shownMoments = ShownMoments()
        features.trim()
    }

    /// True if the space has no commits, stored or outstanding: a reader finds the initial state.
    var isUnwritten: Bool { state.isHere && state.version == 0 && state.outstanding == 0 }

    /// True if the space has no commits, or could not be loaded, and is idle.
    var isDispensable: Bool { state.version == 0 && isIdle }

    /// Runs `body` when the content is loaded, at once if it already is, or with the failure of the journal. `feature`
    /// is the index of a feature that `body` uses.
    func whenHere(using feature: Int? = nil, _ body: @escaping (JournalFailure?) -> Void) {
        if state.isHere { return body(nil) }
        arrivals.append(body)
        if let feature, !wanted.contains(feature) { wanted.append(feature) }
        load()
    }

    /// Runs `body` now, or after the current turn of the graph.
    func whenIdle(_ body: @escaping (Space) -> Void) {
        guard graph.isBusy else { return body(self) }
        let owned = Confined((context: context, space: self, body: body))
        context.executor.post {
            let (context, space, body) = owned.value
            if context.isOpen { body(space) }
        }
    }

    /// Sets the initial state without reading the journal. Precondition: the journal does not hold the space, and no
    /// feature has initial work.
    func beginUnwritten() {
        if state.beginLoading() != nil { state.arrive(at: 0) }
    }

    /// Runs `body` when everything in memory is durable, or undone.
    func whenDurable(_ body: @escaping (_ isDurable: Bool) -> Void) {
        if state.isDurable { body(true) } else { reads.append(state.version, body) }
    }

    private func load() {
        guard let load = state.beginLoading() else { return }
        // The load brings the present documents.
        endRenewal()
        if let damage = context.damage { return refuse(load, damage) }
        request(load)
    }

    /// Asks the journal for the content. A load that has waited for the turn of large ones has it, and ends it.
    func request(_ load: Int, after waited: Duration? = nil) {
        context.writer.load(
            LoadRequest(name, for: context.submitter) { [context] loaded in
                if context.isOpen { self.arrive(loaded, of: load, after: waited) }
            })
    }

    /// Ends a load with the damage of `common`, as a journal does: after the call.
    private func refuse(_ load: Int, _ damage: JournalFailure) {
        let owned = Confined((context: context, space: self))
        context.executor.post {
            let (context, space) = owned.value
            if context.isOpen { space.arrive(.failure(damage), of: load) }
        }
    }

    private func arrive(_ loaded: Result<StoredSpace?, JournalFailure>, of load: Int, after waited: Duration? = nil) {
        if case .success(let stored?) = loaded, state.isAwaited(load), stored.facts.count >= RowBuild.rowsAtLeast {
            guard waited != nil || context.largeLoads.take() else { return waitForTurn(load) }
            return fillInSlices(stored, of: load, waited: waited ?? .zero)
        }
        defer { if waited != nil { context.largeLoads.end() } }
        guard state.isAwaited(load) else { return repeatRenewal(after: load) }
        do throws(JournalFailure) {
            try fill(try loaded.get())
        } catch {
            state.lose()
            endRenewal()
            return admit(error)
        }
        begin()
    }

    /// Waits until no other large space is being loaded. The facts are read again then, and are not in memory until then.
    private func waitForTurn(_ load: Int) {
        let scheduler = context.executor.scheduler
        let began = scheduler.now
        context.largeLoads.wait { [self] in
            guard context.isOpen, state.isAwaited(load) else { return giveUpTurn(of: load) }
            // If those before it were refused, this one does not wait as long again.
            request(load, after: min(scheduler.now - began, Self.roomPatience - .seconds(1)))
        }
    }

    /// Waits until others that are in use have ended, and refuses the load if that takes too long.
    private func waitForRoom(_ stored: StoredSpace, of load: Int, waited: Duration) {
        guard waited < Self.roomPatience else {
            if isRenewing {
                // There is no room for both contents.
                context.largeLoads.end()
                return reload()
            }
            return endTurn(
                JournalFailure(
                    .noRoom,
                    "the spaces in use have all of --space-memory: ask again when others have ended, or give the server more memory"
                ))
        }
        let scheduler = context.executor.scheduler
        scheduler.set(
            Alarm(at: scheduler.now + Self.roomLook) { [self] _ in
                guard context.isOpen else { return }
                guard state.isAwaited(load) else { return giveUpTurn(of: load) }
                fillInSlices(stored, of: load, waited: waited + Self.roomLook)
            })
    }

    /// The time that a large space waits for the memory of others, and the time between two looks.
    private static let roomPatience = Duration.seconds(10)
    private static let roomLook = Duration.milliseconds(50)

    /// Ends a load that has the turn of large ones with a failure.
    private func endTurn(_ failure: JournalFailure) {
        state.lose()
        endRenewal()
        admit(failure)
        context.largeLoads.end()
    }

    /// Ends a load that has the turn of large ones, and is not awaited any more.
    private func giveUpTurn(of load: Int) {
        context.largeLoads.end()
        if context.isOpen { repeatRenewal(after: load) }
    }

    /// Creates the content from many stored facts in slices, between which other spaces are served. The load has the turn
    /// of large ones.
    private func fillInSlices(_ stored: StoredSpace, of load: Int, waited: Duration = .zero) {
        let bytes = LoadedBytes.bytes(of: stored) + (isRenewing ? memory : 0)
        if cache?.hasRoom(for: bytes, of: self) == false {
            return waitForRoom(stored, of: load, waited: waited)
        }
        adoptOwed()
        let features = context.features(of: name)
        let wanted = isRenewing ? self.features.indexesOfMade(in: features.catalog) : wanted
        self.wanted = []
        do throws(JSONError) {
            let restoration = try FactRestoration(of: stored.facts, in: features, making: wanted)
            var migration: LargeMigration?
            context.slices.add { [self] in
                guard context.isOpen, state.isAwaited(load) else {
                    giveUpTurn(of: load)
                    return true
                }
                do throws(JSONError) {
                    if migration == nil, try !restoration.take(FactRestoration.sliceFacts) { return false }
                    if migration == nil, !isMigrationRefused { migration = LargeMigration(of: features) }
                    if migration?.take(Self.rowsOfSlice) == false { return false }
                    try queues.restore(stored.facts)
                } catch {
                    endTurn(unreadable(error))
                    return true
                }
                if features.catalog === context.catalog(of: name), isRenewing || owedAdoption == nil {
                    take(features, with: stored)
                    begin()
                    context.largeLoads.end()
                } else {
                    // A deployment came in between.
                    fillInSlices(stored, of: load)
                }
                return true
            }
        } catch {
            endTurn(unreadable(error))
        }
    }

    /// The rows that a slice of a migration takes.
    private static let rowsOfSlice = 512

    /// Begins with the loaded content.
    private func begin() {
        if isRenewing {
            owedAdoption = nil
            endRenewal()
        }
        removeDropped()
        // What arrived during the load comes first: who waits may have waited for that.
        for record in state.takeMissed() { follow(record) }
        guard state.isHere else { return }
        admit(nil)
        if isDue { context.dueSpaces.add(self) }
    }

    /// Runs the closures that wait for the content. One of them may break the space; then the others wait again.
    private func admit(_ failure: JournalFailure?) {
        shareRenewal(isHere: failure == nil)
        if let failure {
            var bodies = arrivals
            arrivals = Fifo()
            while let body = bodies.popFirst() { body(failure) }
        } else {
            while state.isHere, let body = arrivals.popFirst() { body(nil) }
            // Loads are rare, so an idle space keeps no buffer for them.
            if arrivals.isEmpty { arrivals = Fifo() }
        }
        noteUse()
    }

    /// Creates the content from the stored facts.
    private func fill(_ stored: StoredSpace?) throws(JournalFailure) {
        adoptOwed()
        let isNew = features.isNew && features.catalog === context.catalog(of: name)
        let features = isNew ? features : context.features(of: name)
        let wanted = wanted
        self.wanted = []
        do throws(JSONError) {
            try features.restore(stored?.facts ?? [], making: wanted)
            try queues.restore(stored?.facts ?? [])
        } catch {
            throw unreadable(error)
        }
        take(features, with: stored)
    }

    /// Takes features that have their facts.
    private func take(_ features: FeatureSet, with stored: StoredSpace?) {
        if hasUnkeptRows, self.features !== features {
            let old = self.features
            graph.commit { transaction in features.adoptUnkept(of: old, in: &transaction) }
        }
        take(features)
        state.arrive(at: stored?.version ?? 0)
        shownMoments.removeAll()
        measure(stored)
        resumeMemory()
        // What is shown first has the form of the present documents.
        migrate()
        guard state.isHere else { return }
        let subscribers = lateSubscribers
        lateSubscribers = []
        let known = allCells
        updates.notifyOnce {
            for cell in known {
                if let view = features.view(cell.name) {
                    cell.rebind(to: view)
                } else if !context.registry.hasView(cell.name, in: name)
                    || context.registry.openScope(of: cell.name) != nil
                {
                    // The state that defined an open view can be gone with the space.
                    cell.rebind(to: nil)
                }
            }
            for subscriber in subscribers { updates.noteDirty(subscriber) }
        }
        for cell in known { cell.handOver() }
        updateEffects()
    }

    /// Takes the present catalog, if the space has not followed the last changes of features.
    func adoptOwed() {
        guard let changed = owedAdoption, !isRenewing else { return }
        owedAdoption = nil
        adopt(context.registry.catalog, changed)
    }

    /// Takes a catalog in which the named features differ. The state lives on.
    func adopt(_ catalog: FeatureCatalog, _ changed: Set<String>) {
        isMigrationRefused = false
        guard !beginRenewal(to: catalog) else { return owedAdoption = owedAdoption?.union(changed) ?? changed }
        endRenewal()
        let made = features.adopt(catalog)
        size = nil
        guard state.isHere else { return }
        if !made.isEmpty {
            graph.commit { transaction in
                for feature in made { feature.fill(features.level(of: feature.blueprint), in: &transaction) }
            }
        }
        migrate()
        removeDropped()
        guard state.isHere else { return }
        let known = allCells
        for cell in known where !cell.follow(changed, features.view(cell.name)) { cells[cell.name] = nil }
        for cell in known { cell.handOver() }
        if isRemembering || features.alwaysRemembers { resumeMemory() }
        shareRenewal(isHere: true)
    }

    private func apply(_ facts: some Collection<Fact>) throws(JournalFailure) {
        guard !facts.isEmpty else { return }
        do {
            try graph.commit { transaction throws(JSONError) in
                for fact in facts { try features.take(fact, in: &transaction) }
            }
        } catch {
            throw unreadable(error)
        }
    }

    private func unreadable(_ error: JSONError) -> JournalFailure {
        JournalFailure(.damaged, "what is kept of the space \(name) cannot be read: \(error)")
    }

    /// Applies a commit of another process, or keeps it until it can be applied.
    func follow(_ record: CommitRecord) {
        let shown = shown
        // A commit that was not applied is not shown.
        defer { if !state.isHere { lastShown = shown ?? lastShown } }
        switch state.follow(record, isWatched: subscriberCount > 0) {
        case .ignore: return
        case .load: return load()
        case .apply: break
        }
        // The memory of a commit of another process comes from the journal, with the content.
        let needsMemory = features.hasMemory || features.remembersByDescription
        let hasMemory = record.facts.contains { Fact.isMemory($0.variable) && !$0.isOfQueue }
        // Many facts are loaded in slices.
        if needsMemory || hasMemory || record.facts.count >= RowBuild.rowsAtLeast { return reload() }
        do throws(JournalFailure) {
            try apply(record.facts)
            try follow(queueFactsOf: record)
        } catch {
            return reload()
        }
        noteCommitted(record.facts)
        updateEffects()
    }

    private func follow(queueFactsOf record: CommitRecord) throws(JournalFailure) {
        guard record.hasQueueFacts else { return }
        do throws(JSONError) {
            for fact in record.facts where fact.isOfQueue { try queues.take(fact) }
        } catch {
            throw unreadable(error)
        }
        context.queueMoved?(name)
    }

    func reload() {
        state.lose()
        load()
    }

    // MARK: Deleting

    /// Suspends all use, and ends the effects, until `reopen`.
    func close() {
        lastShown = delivered
        state.close()
        durableState = nil
        time.stop()
    }

    /// Replaces the features. The old ones end afterwards, because their end may be a turn of the graph that reads the
    /// new ones.
    private func take(_ new: FeatureSet) {
        let old = features
        features = new
        withExtendedLifetime(old) {}
    }

    /// Loads the content again after an attempt to delete the space. The keys of a deleted space are free.
    func reopen(isDeleted: Bool) {
        // Another node may have deleted the space while commits of this one had no outcome, which none brings now.
        if !answers.isEmpty || !reads.isEmpty { undo(nil) }
        if isDeleted {
            keys.dropAnswers()
            queues.dropAll()
            hasUnkeptRows = false
            take(context.features(of: name))
            context.unkeptChanged?(name, nil)
        }
        state.reopen(as: context.nextGeneration())
        load()
    }

    // MARK: Outcomes

    /// Takes the outcome of a commit.
    func receive(_ outcome: SubmissionOutcome) {
        let delivered = delivered
        switch state.receive(outcome, next: { context.nextGeneration() }) {
        case .ignore: break
        case .settle:
            shownMoments.drop(upTo: state.durable)
            deliverDurable()
            settle(isRecordStored: true)
        case .undo(let failure):
            lastShown = delivered
            undo(failure)
        }
        switch state.resume() {
        case .wait: break
        case .load: load()
        case .follow(let records): for record in records { follow(record) }
        }
    }
}

/// The closures that wait until a version of a space is durable or undone, in the order of their versions.
struct DurabilityWaiters {
    typealias Body = (_ isDurable: Bool) -> Void

    private var waiters = Fifo<(version: Int, body: Body)>()

    var isEmpty: Bool { waiters.isEmpty }

    mutating func append(_ version: Int, _ body: @escaping Body) {
        waiters.append((version, body))
    }

    /// Removes the first closure if its version is at most `durable`.
    mutating func popFirst(upTo durable: Int) -> Body? {
        waiters.popFirst { $0.version <= durable }?.body
    }

    /// Removes all closures and returns them in their order.
    mutating func removeAll() -> [Body] {
        var all: [Body] = []
        while let waiter = waiters.popFirst() { all.append(waiter.body) }
        return all
    }
}

/// The moments that a space shows while it has commits that are not durable.
///
/// A version is shown once it is durable. It is shown with each version of `common` up to the one at which the next
/// version of the space was made. So that version of `common` is stored with each version of the space.
struct ShownMoments {
    private var made = Fifo<(version: Int, common: Int)>()

    /// Notes a version that was made and is not durable, with the version of `common` at that time.
    mutating func append(_ version: Int, common: Int) {
        made.append((version, common))
    }

    /// Drops the versions that are durable.
    mutating func drop(upTo durable: Int) {
        while made.popFirst(where: { $0.version <= durable }) != nil {}
    }

    mutating func removeAll() {
        made.removeAll()
    }

    /// The moment that is shown at a durable version. Precondition: versions up to it were dropped.
    func moment(durable: Int, common: Int) -> Moment {
        Moment(version: durable, common: made.first?.common ?? common)
    }
}

/// The start and the end of the effects of a space, which run while it has work for them.
extension Space {
    /// Starts the effects, or ends them if there is no work. All content is durable.
    func updateEffects() {
        guard replicate == nil else { return }
        hasWork = features.hasWork
        guard hasWork, context.owns(name) else { return durableState = nil }
        let copy = durableState ?? copyState()
        durableState = copy
        copy.replace(with: features, at: state.version)
    }

    /// Notes that an action has changed a feature. The commit is not durable yet.
    func noteChange(of feature: FeatureInstance) {
        guard feature.blueprint.hasEffects, replicate == nil else { return }
        hasWork = features.hasWork
        if hasWork, durableState == nil, context.owns(name) { durableState = copyState() }
    }

    /// Notes that a commit of this space is durable.
    func noteStored(_ record: CommitRecord) {
        guard let durableState else { return }
        if !hasWork, isDurable { self.durableState = nil } else { durableState.apply(record) }
    }

    private func copyState() -> DurableState {
        DurableState(of: features, at: state.version, in: name, as: context.features(of: name), host: context)
    }
}

/// The state of a space at its durable version, for its effects. The space's own state may be at a later version.
///
/// It exists while the space has work.
final class DurableState {
    private let space: SpaceName
    private let host: any EffectHost
    private let features: FeatureSet
    private var version: Int
    private var runner: EffectRunner?

    /// A copy of the state that the effects of a space use. The effects start when `version` is durable. Precondition:
    /// no instance of `features` exists yet.
    init(
        of others: FeatureSet, at version: Int, in space: SpaceName, as features: FeatureSet, host: any EffectHost
    ) {
        self.space = space
        self.host = host
        self.features = features
        self.version = version
        copy(others)
    }

    private func copy(_ others: FeatureSet) {
        host.graph.commit { transaction in features.becomeForEffects(others, in: &transaction) }
    }

    /// True if its effects have started: then its whole content is durable.
    var isRunning: Bool { runner != nil }

    /// Applies a commit that is durable.
    func apply(_ record: CommitRecord) {
        if record.version > version {
            version = record.version
            host.graph.commit { transaction in
                // This program encoded the facts from the same state, so decoding them succeeds.
                for fact in record.facts { try? features.takeForEffects(fact, in: &transaction) }
            }
        }
        start()
    }

    /// Copies the state of the space, which is durable at `version`.
    func replace(with others: FeatureSet, at version: Int) {
        if version != self.version {
            self.version = version
            copy(others)
        }
        start()
    }

    private func start() {
        if runner == nil { runner = EffectRunner(features, in: space, of: host) }
    }
}

// The views of a call.

extension Space {
    /// Returns a refusal if the state does not define a view of a call, or a rule does not allow the caller to read it.
    func refusal(ofViewsOf call: Call) -> Refusal? {
        guard let permit = call.permit else { return nil }
        if let refusal = refusal(of: permit.sources) { return refusal }
        guard !context.registry.outdates(permit) else { return .migrating }
        return refusal(byRulesOf: permit)
    }

    /// Returns a refusal if a rule of a permit is not true.
    func refusal(byRulesOf permit: ReadPermit) -> Refusal? {
        guard permit.dependsOnReader else { return nil }
        return permit.forbidden(by: answers(of: permit)).map { .forbidden(view: $0) }
    }

    /// The values of the views of a call, under the names that clients know. Views that the state after the action does
    /// not allow the caller to read are left out.
    func frames(of call: Call) -> ViewFrames {
        guard let permit = call.permit else { return [] }
        guard permit.dependsOnReader else { return frames(permit.sources) }
        let permitted = permit.permitted(by: answers(of: permit))
        return permitted.shown(frames(permitted.sources))
    }

    private func answers(of permit: ReadPermit) -> RuleAnswers { RuleAnswers(frames(permit.ruleNames)) }
}

/// The deliveries of a space that wait for a durable version, in the order of their versions.
struct PendingDeliveries {
    private var deliveries = Fifo<PendingDelivery>()

    var isEmpty: Bool { deliveries.isEmpty }

    mutating func append(_ delivery: PendingDelivery) {
        deliveries.append(delivery)
    }

    /// Removes the next delivery if its version is at most `durable`.
    mutating func popFirst(upTo durable: Int) -> PendingDelivery? {
        deliveries.popFirst { $0.version <= durable }
    }

    /// Removes the next delivery if it is of this version.
    mutating func popFirst(of version: Int) -> PendingDelivery? {
        deliveries.popFirst { $0.version == version }
    }

    /// Removes all deliveries.
    mutating func removeAll() -> PendingDeliveries {
        let all = self
        self = PendingDeliveries()
        return all
    }

    mutating func popFirst() -> PendingDelivery? { deliveries.popFirst() }
}
