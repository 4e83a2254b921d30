import Reactive

/// The spaces of one home: loaded when they are asked for, forgotten when they are idle, each derived from its own state and from `common`.
///
/// Everything here is called on the store's home, and answers there: at once where nothing has to be waited for.
public final class Store {
    /// How many spaces stay loaded though nobody uses them.
    public var idleLimit = 10_000

    let registry: Registry
    let keeper: any Keeper
    let home: any Home
    let graph = Graph()
    private let clock: @Sendable () -> Timestamp
    private var seeds: Randomness
    private var spaces: [SpaceName: Space] = [:]
    /// Spaces that were used, oldest use first; one may be in it several times.
    private var used = Fifo<Space>()
    private var dirty: [Watch] = []
    private(set) lazy var replica = Replica(of: registry, in: self, graph: graph)
    private(set) lazy var submitter: any Submitter = StoreSubmitter(self)
    /// The space `common` itself, where this store is the one that has it.
    private var common: Space?

    init(_ registry: Registry, keeper: any Keeper, home: any Home, seed: UInt64, clock: @escaping @Sendable () -> Timestamp) {
        self.registry = registry
        self.keeper = keeper
        self.home = home
        self.clock = clock
        seeds = Randomness(seed: seed)
        graph.afterTurns = { [unowned self] in tellDirty() }
    }

    var now: Timestamp { clock() }
    var commonVersion: Int { replica.version }

    func randomness() -> Randomness {
        Randomness(seed: seeds.next())
    }

    // MARK: What can be asked for

    /// Performs an action. The answer comes when what it changed is as durable as configured.
    public func perform(_ call: Call, in name: SpaceName, _ reply: @escaping (Result<Answer, Refusal>) -> Void) {
        guard let feature = registry.features.first(where: { $0.name == call.feature }) else { return reply(.failure(.noSuchAction)) }
        guard (feature.home == .common) == (name == .common) else { return reply(.failure(.wrongSpace(feature.home))) }
        if let stranger = stranger(among: call.views, in: name) { return reply(.failure(.noSuchView(stranger))) }
        space(name).run(call, reply)
    }

    /// The values of views, all as of one moment, when that is durable.
    public func read(_ views: [String], in name: SpaceName, _ reply: @escaping (Result<Reading, Refusal>) -> Void) {
        if let stranger = stranger(among: views, in: name) { return reply(.failure(.noSuchView(stranger))) }
        let space = space(name)
        space.whenHere { failure in
            if let failure { return reply(.failure(.journal(failure))) }
            let news = views.compactMap { view in self.cell(view, in: space).map { (view, $0.current()) } }
            let moment = space.moment
            space.whenDurable { failure in
                if failure != nil { return self.read(views, in: name, reply) }
                self.noteUse(of: space)
                reply(.success(Reading(moment: moment, views: news)))
            }
        }
    }

    /// Watches views.
    public func watch(_ views: [String], in name: SpaceName, _ receive: @escaping (Result<Watch.News, Refusal>) -> Void) -> Watch {
        let watch = Watch(receive)
        if let stranger = stranger(among: views, in: name) {
            watch.fail(.noSuchView(stranger))
            return watch
        }
        let space = space(name)
        space.whenHere { [weak watch] failure in
            guard let watch else { return }
            if let failure { return watch.fail(.journal(failure)) }
            watch.attach(to: views.compactMap { self.cell($0, in: space) })
            space.whenDurable { [weak watch] _ in watch?.begin() }
        }
        return watch
    }

    /// Forgets a space here. Only where it is idle.
    func forget(_ name: SpaceName) {
        spaces[name] = nil
    }

    /// How many spaces are loaded.
    public var loadedCount: Int { spaces.count }

    // MARK: Spaces

    private func space(_ name: SpaceName) -> Space {
        if name == .common, let common { return common }
        if let space = spaces[name] { return space }
        let registry = registry
        let states = replica.states
        let space = Space(name, in: self, graph: graph) {
            var states = states
            return registry.instances(in: .space, with: &states)
        }
        spaces[name] = space
        return space
    }

    /// Makes this store the one that has `common`. It is kept in a graph of its own: what derives from it derives from replicas.
    func haveCommon(spread: @escaping (CommitRecord, @escaping () -> Void) -> Void) {
        let registry = registry
        let space = Space(.common, in: self, graph: Graph()) {
            var states = Feature.States()
            return registry.instances(in: .common, with: &states)
        }
        space.spread = spread
        common = space
    }

    func cell(_ view: String, in space: Space) -> Cell? {
        replica.cell(view) ?? (space === common ? nil : space.cell(view))
    }

    private func stranger(among views: [String], in name: SpaceName) -> String? {
        views.first { view in !registry.hasView(view, in: name) }
    }

    /// Notes that a space was used, and forgets those that were not for long where there are too many.
    func noteUse(of space: Space) {
        guard space !== common else { return }
        used.append(space)
        space.uses += 1
        while used.count > idleLimit, let oldest = used.popFirst() {
            oldest.uses -= 1
            if oldest.uses == 0, oldest.isIdle, spaces[oldest.name] === oldest { spaces[oldest.name] = nil }
        }
    }

    // MARK: Watches

    func noteDirty(_ watch: Watch) {
        dirty.append(watch)
    }

    func tellDirty() {
        guard !dirty.isEmpty else { return }
        let watches = dirty
        dirty = []
        for watch in watches { watch.tell() }
    }

    // MARK: The journal's answers

    func hear(_ outcomes: [Outcome]) {
        for outcome in outcomes {
            if outcome.space == .common { common?.hear(outcome) } else { spaces[outcome.space]?.hear(outcome) }
        }
    }

    /// Hears of commits that were kept, by whomever.
    func follow(_ records: [CommitRecord]) {
        for record in records {
            if record.space == .common { common?.follow(record) } else { spaces[record.space]?.follow(record) }
        }
    }
}

/// Views as they were read.
public struct Reading: Sendable {
    /// What they are of.
    public let moment: Moment
    /// Their values.
    public let views: Watch.News
}

/// What the journal's threads know of a store.
private final class StoreSubmitter: Submitter {
    private let store: Owned<Store>
    let home: any Home

    init(_ store: Store) {
        self.store = Owned(store)
        home = store.home
    }

    func hear(_ outcomes: [Outcome]) {
        store.value.hear(outcomes)
    }
}
