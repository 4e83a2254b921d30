import Ground
import JSON
import Reactive

/// The surroundings that the spaces of one store share: its journal writer, its graph, its clock, its replica of
/// `common`.
///
/// Jobs that may outlive the store retain the context and check `isOpen` before they touch a space or the replica.
final class StoreContext: EffectHost {
    /// The features. They change with the documents that `common` holds.
    private(set) var registry: Registry
    /// The features that follow from documents; nil if the program takes none.
    let library: DocumentLibrary?
    /// The documents of `registry`.
    private(set) var documents = DeployedDocuments()
    /// The faults of documents that this program cannot use.
    private(set) var documentFaults: [String: DocumentFaults] = [:]
    /// The documents that the store takes once the state of `common` has their form; nil for none.
    private(set) var coming: DocumentLibrary.Deployment?
    /// Called when documents are coming, and when they are here.
    var comingChanged: (_ isComing: Bool) -> Void = { _ in }
    /// Called on a node that does not own `common` when the owner has migrated it for coming documents.
    var commonRenewed: () -> Void = {}
    /// Makes the spaces of the store follow a change of the named features.
    var redefine: (Set<String>) -> Void = { _ in }
    /// Called when the documents have changed.
    var documentsTaken: () -> Void = {}
    /// Called when the features have changed.
    var featuresChanged: () -> Void = {}
    let writer: any JournalWriter
    let executor: any Executor
    let fetcher: any Fetcher
    let graph = Graph()
    let updates: ViewUpdates
    /// The submitter of the commits of this store.
    let submitter: Submitter
    /// The long work of this store.
    let slices: SlicedWork
    /// The turn of the large spaces that are loaded.
    let largeLoads = LargeLoads()
    /// The clock and the alarms of the executor, for features.
    let time: () -> any Scheduler
    /// The loaded spaces whose alarms are due.
    let dueSpaces: DueSpaces
    private(set) lazy var replica = Replica(of: registry, in: self, graph: graph)
    /// True until the store is closed.
    private(set) var isOpen = true
    /// The number of commits of this store's spaces that were stored.
    var commitsCount = 0
    /// Called when the replica of `common` has reached a newer version.
    var commonMoved: () -> Void = {}
    /// Performs an action in any space, on the executor of that space. The answer arrives on this executor, after the
    /// call has returned.
    var reach: ((Call, SpaceName, @escaping (Result<Answer, Refusal>) -> Void) -> Void)?

    /// Called with the space in which an action of a queue was answered, or followed.
    var queueMoved: ((SpaceName) -> Void)?

    /// The greatest size of each space.
    var quota = SpaceQuota()

    /// The processes of a cluster that live.
    var living: Set<String> = []
    /// Called with the changes of the rows in memory only of a space, or with nil after any change; nil on one machine.
    var unkeptChanged: ((SpaceName, [Fact]?) -> Void)?

    /// The division of the spaces among the nodes of a cluster; nil if this process owns all.
    let ownership: (any SpaceOwnership)?

    /// The damage of `common`; nil for none. With damage no space is loaded.
    var damage: JournalFailure?

    /// The maximum estimated number of bytes in memory of one space.
    var spaceLimit = Int.max
    /// The spaces of the store whose actions were refused because they would have exceeded it.
    var fullSpaces: Set<SpaceName> = []

    /// The time at which the store began.
    let start: Timestamp
    private let clock: @Sendable () -> Timestamp
    private let log: FeatureLog
    /// The actions that effects perform and that do not exist, in words, each once.
    private(set) var misspellings: [String] = []
    private var seeds: Randomness
    private var generations = 0

    init(
        _ registry: Registry, _ library: DocumentLibrary?, writer: any JournalWriter, submitter: Submitter,
        fetcher: any Fetcher, seed: UInt64,
        clock: @escaping @Sendable () -> Timestamp, log: FeatureLog
    ) {
        self.registry = registry
        self.library = library
        self.writer = writer
        self.submitter = submitter
        executor = submitter.executor
        dueSpaces = DueSpaces(on: submitter.executor) { [graph] in !graph.isBusy }
        slices = SlicedWork(post: submitter.executor.post) { [graph] in !graph.isBusy }
        time = { [executor = submitter.executor] in executor.scheduler }
        self.fetcher = fetcher
        self.clock = clock
        start = clock()
        self.log = log
        ownership = writer.ownership
        seeds = Randomness(seed: seed)
        updates = ViewUpdates(graph, writer.journal.digestKey)
        graph.afterTurns = { [updates] in updates.endTurn() }
    }

    /// Returns true if this store performs the actions of a space.
    func owns(_ space: SpaceName) -> Bool {
        (ownership == nil || ownership?.owns(space) == true) && !isElsewhere(space)
    }

    /// The stores of the spaces, and the index of this one.
    private var placement: (stores: SpacePlacement, index: Int)?

    /// The last actions in queues of spaces that have left memory.
    private(set) var uncarriedActions = UncarriedActions()

    /// Takes the stores of the spaces, the index of this one, and what all of them share.
    func take(_ placement: SpacePlacement, _ index: Int, _ uncarriedActions: UncarriedActions) {
        self.placement = (placement, index)
        self.uncarriedActions = uncarriedActions
    }

    /// Returns true if a space has moved to another store of this process.
    func isElsewhere(_ space: SpaceName) -> Bool {
        placement.map { $0.stores.isElsewhere(space, than: $0.index) } ?? false
    }

    /// Notes that a space is large. Returns true if it belongs to another store from now on.
    func noteLarge(_ space: SpaceName) -> Bool {
        guard let placement, !holdsLargeSpaces else { return false }
        return placement.stores.noteLarge(space)
    }

    /// True if this is the store of large spaces.
    var holdsLargeSpaces: Bool { placement.map { $0.stores.largeIndex == $0.index } ?? false }

    var now: Timestamp { clock() }
    /// A clock for the views of one space.
    var spaceClock: SpaceClock { SpaceClock(now: clock, on: time) }
    var commonVersion: Int { replica.version }

    /// Returns the features of a space, or of `common`, in their initial state.
    func features(of name: SpaceName) -> FeatureSet {
        FeatureSet(
            catalog(of: name), of: name, beside: name == .common ? nil : replica.features, key: updates.digestKey,
            time: time, clock: spaceClock)
    }

    /// The features that a space has when it is loaded.
    func catalog(of name: SpaceName) -> FeatureCatalog {
        (name == .common ? coming?.registry ?? registry : registry).catalog
    }

    /// The deployment that follows from documents in facts beside the present ones; nil if there are no documents in them.
    func deployment(of facts: some Sequence<Fact>) throws(JSONError) -> DocumentLibrary.Deployment? {
        var documents = documents
        guard let library, try documents.take(facts) else { return nil }
        return library.deployment(of: documents)
    }

    /// Takes the documents of `common` from facts, and the features that follow from them. If they migrate many rows of
    /// `common` and `mayWait` is true, they are coming until the rows have their form. Precondition: no turn of the graph is
    /// under way.
    func takeDocuments(_ facts: some Sequence<Fact>, mayWait: Bool = false) throws(JSONError) {
        guard let deployment = try deployment(of: facts) else { return }
        if mayWait, replica.features.migratesLargeState(to: deployment.registry.catalog) {
            coming = deployment
            return comingChanged(true)
        }
        take(deployment)
    }

    /// Takes documents, and `common` in their form if they were coming.
    func take(_ deployment: DocumentLibrary.Deployment, with renewed: RenewedReplica? = nil) {
        // All stores share the rows, so that comparing them with those of the library costs nothing.
        documents = deployment.documents
        for (name, faults) in deployment.faults where documentFaults[name] != faults {
            warn("the document \(name) cannot be used: \(faults.all.first?.detail ?? "")")
        }
        documentFaults = deployment.faults
        documentsTaken()
        defer {
            if renewed != nil {
                coming = nil
                comingChanged(false)
            }
        }
        let changed = deployment.registry.catalog.changes(from: registry.catalog)
        guard registry !== deployment.registry else { return }
        registry = deployment.registry
        updates.notifyOnce {
            replica.adopt(registry.catalog, changed, renewed)
            redefine(changed)
            replica.handOver()
        }
        featuresChanged()
    }

    func randomness() -> Randomness {
        Randomness(seed: seeds.next())
    }

    /// Returns a number that is greater than that of every earlier generation of this store.
    func nextGeneration() -> Int {
        generations += 1
        return generations
    }

    func warn(_ message: String) {
        log.warning(message)
    }

    func note(_ message: String) {
        log.info(message)
    }

    func action(at offset: Int, in service: ObjectIdentifier, of feature: String) -> String? {
        registry.action(at: offset, in: service, of: feature)
    }

    func misspelling(of feature: String, _ action: String, in space: SpaceName) -> String? {
        registry.misspelling(of: feature, action, in: space)
    }

    func noteMisspelling(_ message: String) {
        // There are as many as places in the code of effects, unless a name is computed.
        guard misspellings.count < 100, !misspellings.contains(message) else { return }
        misspellings.append(message)
        warn(message)
    }

    func perform(_ call: Call, in space: SpaceName, _ reply: @escaping (Result<Answer, Refusal>) -> Void) {
        reach?(call, space, reply)
    }

    /// Performs an action of the server in any space, again and again while the journal cannot store it or others
    /// commit first. `done` receives the answer or another refusal.
    func performUntilStored(
        _ call: Call, in space: SpaceName, attempts: Int = 0, _ done: @escaping (Result<Answer, Refusal>) -> Void
    ) {
        reach?(call, space) { [self] result in
            switch result {
            case .failure(.journal), .failure(.contended), .failure(.elsewhere), .failure(.migrating):
                let scheduler = executor.scheduler
                scheduler.set(
                    Alarm(at: scheduler.now + RetryDelays.forActions[attempts]) { [self] _ in
                        guard isOpen else { return }
                        performUntilStored(call, in: space, attempts: attempts + 1, done)
                    })
            default: done(result)
            }
        }
    }

    /// Ends all deliveries. The store calls this when it is released.
    func close() {
        isOpen = false
        slices.removeAll()
        largeLoads.removeAll()
        graph.afterTurns = nil
        reach = nil
        unkeptChanged = nil
    }
}
