import Reactive

/// The spaces of one home: loaded when they are asked for, forgotten when they are idle, each derived from its own state and from `common`.
///
/// Everything here is called on the store's home, and answers there: at once where nothing has to be waited for.
public final class Store {
    /// How many spaces with work are loaded at once when the server starts, and when one that could not be read is tried again.
    static let attendedAtOnce = 64
    static let attendAgainAfter = Duration.seconds(10)

    /// How many spaces stay loaded though nobody uses them.
    public var idleLimit = 10_000
    /// The bytes that loaded spaces may take, as far as they are idle and can be unloaded.
    public var memoryLimit = Int.max
    /// Hears of a space that was unloaded.
    public var unloaded: (SpaceName) -> Void = { _ in }
    /// The bytes that the loaded spaces take, by estimate.
    public internal(set) var memory = 0

    let registry: Registry
    let keeper: any Keeper
    let home: any Home
    let fetcher: any Fetcher
    let warn: @Sendable (String) -> Void
    /// Has an action performed in whatever space, at whatever home; the answer comes here.
    var reach: ((Call, SpaceName, @escaping (Result<Answer, Refusal>) -> Void) -> Void)?
    /// The effects of what is in `common`, where this store is the one that has it.
    private var workers: Workers?
    let graph = Graph()
    private let clock: @Sendable () -> Timestamp
    private var seeds: Randomness
    private(set) var spaces: [SpaceName: Space] = [:]
    /// The space that was asked for last, while it is loaded: to find it again takes no hash.
    private(set) var latest: Space?
    /// Spaces that may be forgotten, in the order in which they came here; one that was used since gets a second chance.
    private var used = Fifo<Space>()
    /// Those who are to be told something.
    private var dirty: [Onlooker] = []
    private var isTellingLater = false
    /// Views that are watched and have failed.
    private var failing: [Cell] = []
    private var generations = 0
    /// Where those find this store who must not keep it.
    let door: Door
    /// Who submits its commits.
    let submitter: Submitter
    private(set) lazy var replica = Replica(of: registry, in: self, graph: graph)
    /// The space `common` itself, where this store is the one that has it.
    private var common: Space?

    init(
        _ registry: Registry, keeper: any Keeper, home: any Home, fetcher: any Fetcher, seed: UInt64,
        clock: @escaping @Sendable () -> Timestamp, warn: @escaping @Sendable (String) -> Void
    ) {
        self.registry = registry
        self.keeper = keeper
        self.home = home
        self.fetcher = fetcher
        self.warn = warn
        self.clock = clock
        seeds = Randomness(seed: seed)
        door = Door()
        submitter = Submitter(door, on: home)
        door.open(to: self)
        // The store takes this back when it goes.
        graph.afterTurns = { [unowned(unsafe) self] in endTurns() }
    }

    deinit {
        door.close()
        // What was under way is broken off, and tells nobody here.
        graph.afterTurns = nil
        workers = nil
        latest = nil
        spaces = [:]
    }

    var now: Timestamp { clock() }
    var commonVersion: Int { replica.version }

    func randomness() -> Randomness {
        Randomness(seed: seeds.next())
    }

    /// A number that no other generation of commits of this store has, and that is greater than those before.
    func nextGeneration() -> Int {
        generations += 1
        return generations
    }

    // MARK: What can be asked for

    /// Performs an action. The answer comes when what it changed is as durable as configured.
    public func perform(_ call: Call, in name: SpaceName, _ reply: @escaping (Result<Answer, Refusal>) -> Void) {
        if let result = perform(call, in: name, orLater: { reply }) { reply(result) }
    }

    /// Performs an action. The answer is returned where it is there at once, as it is where the journal never blocks and nothing else waits: whoever
    /// asks so needs no closure for it. Else nothing is returned, and the closure that `later` makes is told, as by the other `perform`.
    public func perform(
        _ call: Call, in name: SpaceName, orLater later: () -> (Result<Answer, Refusal>) -> Void
    ) -> Result<Answer, Refusal>? {
        let place = call.place
        guard place.isFound else {
            guard let place = registry.place(feature: call.feature, name: call.action, isByEffect: call.isByEffect) else {
                return .failure(.noSuchAction)
            }
            return perform(call.found(at: place), in: name, orLater: later)
        }
        guard (place.home == .common) == (name == .common) else { return .failure(.wrongSpace(place.home)) }
        if let stranger = stranger(among: call.views, in: name) { return .failure(.noSuchView(stranger)) }
        guard !graph.isBusy else {
            let reply = later()
            use(name) { $0.run(call, reply) }
            return nil
        }
        let space = space(name)
        let result = space.run(call, for: self, orLater: later)
        noteUse(of: space)
        return result
    }

    /// The values of views, all as of one moment, when that is durable.
    public func read(_ views: [String], in name: SpaceName, _ reply: @escaping (Result<Reading, Refusal>) -> Void) {
        if let stranger = stranger(among: views, in: name) { return reply(.failure(.noSuchView(stranger))) }
        if name == .common {
            return afterTurn { [self] in
                let moment = Moment(version: replica.version, common: replica.version)
                reply(.success(Reading(moment: moment, views: views.compactMap { replica.cell($0) }.map { ($0.name, $0.current()) })))
            }
        }
        use(name) { space in self.read(views, in: space, reply) }
    }

    private func read(_ views: [String], in space: Space, _ reply: @escaping (Result<Reading, Refusal>) -> Void) {
        space.whenHere { failure in
            if let failure { return reply(.failure(.journal(failure))) }
            if let refusal = self.refusal(of: views, in: space) { return reply(.failure(refusal)) }
            let reading = Reading(
                moment: space.moment, views: views.compactMap { self.cell($0, in: space) }.map { ($0.name, $0.current()) })
            space.whenDurable { isKept in
                if isKept { reply(.success(reading)) } else { self.read(views, in: space, reply) }
            }
        }
    }

    /// Watches views. A refusal arrives after this returns: a subscriber that stores the watch never stores one that has already ended.
    func watch(_ views: [String], in name: SpaceName, _ onlooker: Onlooker) -> Watch {
        if let stranger = stranger(among: views, in: name) {
            refuse(onlooker, .noSuchView(stranger))
        } else if name == .common {
            afterTurn { [self] in
                onlooker.attach(to: views.compactMap { replica.cell($0) }, in: replica)
                onlooker.begin()
            }
        } else {
            use(name) { space in self.attach(onlooker, to: views, in: space) }
        }
        return Watch(onlooker, of: self)
    }

    private func attach(_ onlooker: Onlooker, to views: [String], in space: Space) {
        space.whenHere { failure in
            if let failure { return self.refuse(onlooker, .journal(failure)) }
            if let refusal = self.refusal(of: views, in: space) { return self.refuse(onlooker, refusal) }
            onlooker.attach(to: views.compactMap { self.cell($0, in: space) }, in: space)
            space.whenDurable { isKept in
                if isKept { onlooker.begin() } else { self.attach(onlooker, to: views, in: space) }
            }
        }
    }

    private func refuse(_ onlooker: Onlooker, _ refusal: Refusal) {
        let owned = Owned(onlooker)
        home.post { owned.value.fail(refusal) }
    }

    /// Does something with a space, and notes that it was used.
    func use(_ name: SpaceName, _ body: @escaping (Space) -> Void) {
        guard !graph.isBusy else { return afterTurn { [self] in use(name, body) } }
        let space = space(name)
        body(space)
        noteUse(of: space)
    }

    /// Does something now or, where somebody asks for it who is being told something within a turn, after that.
    private func afterTurn(_ body: @escaping () -> Void) {
        guard graph.isBusy else { return body() }
        let owned = Owned(body)
        home.post { owned.value() }
    }

    func isLoaded(_ space: Space) -> Bool { spaces[space.name] === space }

    /// How many spaces are loaded.
    public var loadedCount: Int { spaces.count }

    /// How many commits of its spaces were kept since it began, whoever asked for them.
    public internal(set) var commitsCount = 0

    // MARK: Spaces

    private func space(_ name: SpaceName) -> Space {
        if name == .common, let common { return common }
        if let latest, latest.name == name { return latest }
        if let space = spaces[name] {
            latest = space
            return space
        }
        precondition(name != .common, "common is acted on where it is: at the first home")
        let registry = registry
        let states = replica.states
        let home = home
        let space = Space(name, in: self, graph: graph) {
            var states = states
            return registry.instances(in: .space, with: &states, time: { [home] in home.scheduler })
        }
        spaces[name] = space
        memory += space.memory
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

    // MARK: Effects

    /// Sets the effects of what is in `common` to work. They see the replica of it, which has what is kept.
    func beginCommonEffects() {
        workers = Workers(replica.features, in: .common, of: self, in: graph)
    }

    /// Loads spaces that were left with work, some at a time, the rest as those are there.
    func attend(to names: ArraySlice<SpaceName>) {
        for index in 0..<min(Self.attendedAtOnce, names.count) {
            attend(to: names, from: names.startIndex + index)
        }
    }

    private func attend(to names: ArraySlice<SpaceName>, from index: Int) {
        guard index < names.endIndex else { return }
        space(names[index]).whenHere { [unowned self] failure in
            guard let failure else { return attend(to: names, from: index + Self.attendedAtOnce) }
            warn("the space \(names[index]) has work to be done and cannot be read; trying again in \(Self.attendAgainAfter): \(failure)")
            home.scheduler.set(
                Alarm(at: home.scheduler.now + Self.attendAgainAfter) { [door] _ in door.store?.attend(to: names, from: index) })
        }
    }

    func cell(_ view: String, in space: Space) -> Cell? {
        replica.cell(view) ?? space.cell(view)
    }

    /// Why one of some views cannot be read as the state of the space is.
    func refusal(of views: [String], in space: Space) -> Refusal? {
        for view in views where registry.openHome(of: view) != nil {
            do throws(NoView) {
                guard try space.features.openView(view) == nil else { continue }
                return .noSuchView(view)
            } catch {
                return .noView(view, why: error)
            }
        }
        return nil
    }

    private func stranger(among views: [String], in name: SpaceName) -> String? {
        views.first { view in !registry.hasView(view, in: name) }
    }

    /// Notes that a space was used or has become idle, and forgets those that were not used for long where there are too many.
    func noteUse(of space: Space) {
        guard space !== common else { return }
        space.wasUsed = space.isQueued
        if !space.isQueued {
            space.isQueued = true
            used.append(space)
        }
        while used.count > idleLimit, let oldest = used.popFirst() {
            if oldest.wasUsed {
                oldest.wasUsed = false
                used.append(oldest)
            } else {
                unload(oldest)
            }
        }
        if memory > memoryLimit { makeRoom(keeping: space) }
    }

    /// Unloads idle spaces, the least recently used first, until the others take no more than they may. The space that is used just now stays.
    private func makeRoom(keeping current: Space) {
        // Each is looked at twice at the most: one that was used since the last look gets a second chance.
        var looks = used.count * 2
        while memory > memoryLimit, looks > 0, let oldest = used.popFirst() {
            looks -= 1
            if oldest === current || oldest.wasUsed {
                oldest.wasUsed = false
                used.append(oldest)
            } else {
                unload(oldest)
            }
        }
    }

    /// Unloads a space that has left the queue, if it is idle; else it comes to the queue again when it is.
    private func unload(_ space: Space) {
        space.isQueued = false
        guard space.isIdle, spaces[space.name] === space else { return }
        spaces[space.name] = nil
        if latest === space { latest = nil }
        memory -= space.memory
        unloaded(space.name)
    }

    // MARK: Those who watch

    func noteDirty(_ onlooker: Onlooker) {
        dirty.append(onlooker)
        graph.isEndAwaited = true
    }

    func tellDirty() {
        guard !dirty.isEmpty, !isTellingLater else { return }
        let onlookers = dirty
        dirty = []
        for onlooker in onlookers { onlooker.tell() }
    }

    /// Has what is to be told in the course of something told at its end, so that it is of one moment.
    func tellOnce(_ body: () -> Void) {
        isTellingLater = true
        body()
        isTellingLater = false
        tellDirty()
    }

    func noteFailed(_ cell: Cell) {
        failing.append(cell)
        graph.isEndAwaited = true
    }

    private func endTurns() {
        retryFailing()
        tellDirty()
    }

    /// Watches views anew that failed in an earlier moment, in a turn right after this one.
    private func retryFailing() {
        guard !failing.isEmpty else { return }
        let cells = failing
        failing = []
        for cell in cells { cell.retry() }
    }

    // MARK: The journal's answers

    func hear(_ outcomes: [Outcome]) {
        for outcome in outcomes {
            if let latest, latest.name == outcome.space {
                latest.hear(outcome)
            } else if outcome.space == .common {
                common?.hear(outcome)
            } else {
                spaces[outcome.space]?.hear(outcome)
            }
        }
    }

    /// Hears of commits that were kept, by whomever.
    func follow(_ records: [CommitRecord]) {
        for record in records {
            guard record.space == .common else {
                spaces[record.space]?.follow(record)
                continue
            }
            common?.follow(record)
            // One that this program cannot read was made by a newer one; it goes on with what it has.
            try? replica.take(record)
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
