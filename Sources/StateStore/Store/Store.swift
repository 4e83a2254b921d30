import Ground
import Reactive

/// The spaces of one executor. It loads a space when it is requested and unloads it when it is idle.
///
/// All methods are called on the executor and reply there, at once if they need not wait.
package final class Store {
    let context: StoreContext
    /// The loaded spaces.
    let cache = SpaceCache()
    // A copy of `context.graph`, because every request reads it first.
    let graph: Graph
    /// A non-owning reference to this store.
    let reference: StoreReference
    /// The space `common`, if this store holds it.
    private var common: Space?
    private var madeEmpty: Space?
    /// The space `common`, if this store holds it.
    var commonSpace: Space? { common }
    /// The rows in memory only that the nodes of a cluster share; nil on one machine.
    var sharing: RowSharing?
    /// The effects of `common`, if this store holds it.
    private var commonEffects: EffectRunner?

    init(
        _ registry: Registry, _ library: DocumentLibrary?, writer: any JournalWriter, executor: any Executor,
        fetcher: any Fetcher, seed: UInt64,
        clock: @escaping @Sendable () -> Timestamp, log: FeatureLog
    ) {
        let reference = StoreReference()
        self.reference = reference
        let submitter = Submitter(on: executor) { reference.store?.receive($0) }
        context = StoreContext(
            registry, library, writer: writer, submitter: submitter, fetcher: fetcher, seed: seed, clock: clock,
            log: log)
        graph = context.graph
        reference.refer(to: self)
        context.redefine = { changed in reference.store?.redefine(changed) }
        context.comingChanged = { isComing in
            guard let common = reference.store?.common else { return }
            if isComing { common.renewCommon() } else { common.endRenewal() }
        }
    }

    deinit {
        // Deliveries under way end here.
        reference.clear()
        context.close()
        commonEffects = nil
        sharing = nil
        madeEmpty = nil
        cache.removeAll()
    }

    /// Takes the stores of the spaces, the index of this one, and what all of them share.
    func take(_ placement: SpacePlacement, _ index: Int, _ uncarriedActions: UncarriedActions) {
        context.take(placement, index, uncarriedActions)
        cache.isForeign = { [context] in context.isElsewhere($0) }
        cache.outgrown = { [weak self] in self?.moveAway($0) ?? false }
        guard placement.largeIndex != nil, !context.holdsLargeSpaces else { return }
        cache.largeBytes = placement.largeBytes
        cache.crowded = { [weak self] in self?.endWatches(of: $0) }
    }

    /// Returns true if a space belongs to another store from now on, because it is large.
    private func moveAway(_ space: SpaceName) -> Bool {
        if isAwaited(space) || sharing?.isAwaited(space) == true { return false }
        let isNew = context.noteLarge(space)
        guard isNew || context.isElsewhere(space) else { return false }
        sharing?.moveAway(space)
        if isNew { spaceMoved() }
        return true
    }

    /// The spaces that have not yet followed a change of features.
    private var adoptions = Fifo<Space>()
    private var isAdopting = false

    /// Called when a space has moved to the store of large spaces.
    package var spaceMoved: () -> Void = {}
    /// Asks once for the end of the watches of a large space, which keep it from moving. Those that stay keep it here.
    private func endWatches(of space: Space) {
        let name = space.name
        if space.wasAskedToMove || isAwaited(name) || sharing?.isAwaited(name) == true { return }
        space.wasAskedToMove = true
        context.executor.post { [reference = Confined(reference)] in reference.value.store?.watchesMustEnd(name) }
    }

    /// Called with a large space that moves to another store once its watches have ended.
    package var watchesMustEnd: (SpaceName) -> Void = { _ in }

    /// Returns true if a reader of a space waits for its turn in this store, so that the space must not move yet.
    package var isAwaited: (SpaceName) -> Bool = { _ in false }
    /// True if this is the store of large spaces, which may compute for long. It takes what others tell it later than they.
    package var holdsLargeSpaces: Bool { context.holdsLargeSpaces }

    /// Returns true if a space belongs to another store of this process.
    package func isElsewhere(_ space: SpaceName) -> Bool { context.isElsewhere(space) }

    var replica: Replica { context.replica }
    /// The damage of `common`, because of which no space is loaded; nil for none.
    package var damage: JournalFailure? { context.damage }
    /// The features, which change with the documents that `common` holds.
    package var registry: Registry { context.registry }
    /// The actions that effects perform and that do not exist, in words, each once.
    package var misspellings: [String] { context.misspellings }
    /// The documents, as the replica of `common` has them.
    package var documents: DeployedDocuments { context.documents }
    /// The version of `common` that its features follow from.
    package var commonVersion: Int { context.commonVersion }
    /// The faults of the documents that this program cannot use.
    package var documentFaults: [String: DocumentFaults] { context.documentFaults }
    /// The features that follow from documents; nil if the program takes none.
    package var library: DocumentLibrary? { context.library }

    /// Called with the names of the features whose definitions have changed, when the spaces follow them.
    var redefined: (Set<String>) -> Void = { _ in }

    /// Called when the features have changed.
    package var featuresChanged: () -> Void {
        get { context.featuresChanged }
        set { context.featuresChanged = newValue }
    }

    /// Loads `common` if a document migrates its state, which happens then.
    func migrateCommon() {
        guard registry.catalog.blueprints(in: .common).contains(where: { $0.level > 0 }) else { return }
        use(.common) { $0.whenHere { _ in } }
    }

    /// Makes the spaces follow a change of the named features.
    private func redefine(_ changed: Set<String>) {
        let catalog = registry.catalog
        renewUnwritten()
        common?.adopt(catalog, changed)
        var spaces = cache.all
        // In the order of names, so that the alarms which they set for one time go off in one order. Of many spaces only
        // those that are watched follow in this turn; the others follow in later turns, or when they are used.
        if spaces.count <= Self.adoptionsAtOnce {
            spaces.sort { $0.name < $1.name }
            for space in spaces { space.adopt(catalog, changed) }
        } else {
            for space in spaces {
                if space.subscriberCount > 0 {
                    space.adopt(catalog, changed)
                } else {
                    space.owedAdoption = space.owedAdoption?.union(changed) ?? changed
                    adoptions.append(space)
                }
            }
            adoptSome()
        }
        noteTablesOfRows()
        redefined(changed)
    }

    /// The maximum number of spaces without subscribers that follow a change of features in one turn.
    private static let adoptionsAtOnce = 256

    /// Makes some of the spaces follow that have not yet followed a change of features, and the rest in later turns.
    private func adoptSome() {
        guard !adoptions.isEmpty, !isAdopting else { return }
        isAdopting = true
        context.executor.post { [reference = Confined(reference)] in
            guard let store = reference.value.store else { return }
            store.isAdopting = false
            guard !store.graph.isBusy else { return store.adoptSome() }
            for _ in 0..<Self.adoptionsAtOnce {
                guard let space = store.adoptions.popFirst() else { return }
                if store.cache.peek(space.name) === space { space.adoptOwed() }
            }
            store.adoptSome()
        }
    }

    /// Sets the alarms of the loaded spaces anew after a step of the clock.
    func noteClockStep(isAccepted: Bool) {
        for space in cache.all { space.noteClockStep(isAccepted: isAccepted) }
        common?.noteClockStep(isAccepted: isAccepted)
    }

    // MARK: Limits and counts

    /// The maximum number of loaded spaces that are idle.
    package var idleLimit: Int {
        get { cache.idleLimit }
        set { cache.idleLimit = newValue }
    }

    /// The maximum number of bytes of loaded spaces. Only idle ones are unloaded.
    package var memoryLimit: Int {
        get { cache.memoryLimit }
        set {
            cache.memoryLimit = newValue
            // The other half is for the state.
            context.updates.instanceMemory.limit = newValue / 2
        }
    }

    /// The maximum estimated number of bytes in memory of one space: actions that would make a larger one grow are
    /// refused.
    package var spaceLimit: Int {
        get { context.spaceLimit }
        set { context.spaceLimit = newValue }
    }

    /// The number of loaded spaces that have reached the limit.
    package var fullSpaceCount: Int { context.fullSpaces.count }

    /// Called with the name of each space that is unloaded.
    package var unloaded: (SpaceName) -> Void {
        get { cache.unloaded }
        set { cache.unloaded = newValue }
    }

    /// Called when this store shows a newer version of `common`, after the subscribers of the changed values.
    package var commonMoved: () -> Void {
        get { context.commonMoved }
        set { context.commonMoved = newValue }
    }

    /// The estimated number of bytes of the loaded spaces.
    package var memory: Int { cache.memory }

    /// Returns the number of watched instances of views of a space.
    package func instanceCount(in space: SpaceName) -> Int {
        space == .common ? replica.instances.count : cache.peek(space)?.instances.count ?? 0
    }

    /// The time.
    package var now: Timestamp { context.now }

    /// The number of loaded spaces.
    package var loadedCount: Int { cache.count }

    /// The number of commits of its spaces that the journal has stored since the start.
    package var commitsCount: Int { context.commitsCount }

    // MARK: Requests

    /// Performs an action, and answers when its changes are durable.
    func performHere(
        _ call: Call, in name: SpaceName, orLater later: () -> (Result<Answer, Refusal>) -> Void
    ) -> Result<Answer, Refusal>? {
        let id = call.id
        guard id.isFound else {
            if call.tree?.action != nil {
                guard context.owns(name) else { return .failure(.elsewhere) }
                if let unknown = call.permit.flatMap(unknownView) { return .failure(.noSuchView(unknown)) }
                let reply = later()
                use(name) { $0.run(call, reply) }
                return nil
            }
            guard let id = registry.id(feature: call.feature, name: call.action, isByEffect: call.isByEffect) else {
                return .failure(.noSuchAction)
            }
            return performHere(call.found(at: id), in: name, orLater: later)
        }
        guard (id.scope == .common) == (name == .common) else { return .failure(.wrongSpace(id.scope)) }
        guard context.owns(name) else { return .failure(.elsewhere) }
        if let unknown = call.permit.flatMap(unknownView) { return .failure(.noSuchView(unknown)) }
        guard !graph.isBusy else {
            let reply = later()
            use(name) { $0.run(call, reply) }
            return nil
        }
        let space = space(name)
        let result = space.run(call, in: context, orLater: later)
        noteUse(of: space)
        return result
    }

    /// Reads the views of a permit, all of one moment, and replies when that moment is durable. Values that are long in the
    /// making are given up if `isWanted` returns false.
    package func read(
        _ permit: ReadPermit, isWanted: @escaping () -> Bool = { true },
        _ reply: @escaping (Result<ViewSnapshot, Refusal>) -> Void
    ) {
        let name = permit.space
        if let unknown = unknownView(of: permit) { return reply(.failure(.noSuchView(unknown))) }
        if name == .common {
            if let damage = context.damage { return reply(.failure(.journal(damage))) }
            return afterTurn { [self] in
                replica.whenBuilt(permit.sources + permit.ruleNames, isWanted: isWanted) { [self] isMade in
                    guard isMade else { return reply(.failure(.preparing)) }
                    let moment = Moment(version: replica.version, common: replica.version)
                    reply(
                        frames(of: permit) { replica.cell($0) }.map {
                            ViewSnapshot(moment: moment, views: $0, stamp: stamp(of: name))
                        })
                }
            }
        }
        if !graph.isBusy, cache.isUnwritten(name), !registry.readsSpaceName {
            return read(permit, in: empty, isWanted: isWanted, reply)
        }
        use(name) { space in self.read(permit, in: space, isWanted: isWanted, reply) }
    }

    private func read(
        _ permit: ReadPermit, in space: Space, isWanted: @escaping () -> Bool,
        _ reply: @escaping (Result<ViewSnapshot, Refusal>) -> Void
    ) {
        if context.isElsewhere(space.name) { return reply(.failure(.elsewhere)) }
        let first = permit.sources.lazy.compactMap { space.features.index(ofView: $0) }.first
        space.whenHere(using: first) { failure in
            if let failure { return reply(.failure(.journal(failure))) }
            let space = self.content(of: space)
            if let refusal = space.refusal(of: permit.sources) { return reply(.failure(refusal)) }
            guard space.mayBuildViews else { return self.readNow(permit, in: space, isWanted, reply) }
            space.whenReadable(permit.sources + permit.ruleNames, isWanted: isWanted) { refusal in
                if let refusal = refusal ?? space.refusal(of: permit.sources) { return reply(.failure(refusal)) }
                self.readNow(permit, in: space, isWanted, reply)
            }
        }
    }

    private func readNow(
        _ permit: ReadPermit, in space: Space, _ isWanted: @escaping () -> Bool,
        _ reply: @escaping (Result<ViewSnapshot, Refusal>) -> Void
    ) {
        let snapshot = frames(of: permit) { space.visibleCell($0) }.map {
            ViewSnapshot(moment: space.moment, views: $0, stamp: space.stamp)
        }
        space.whenDurable { isDurable in
            if isDurable { reply(snapshot) } else { self.read(permit, in: space, isWanted: isWanted, reply) }
        }
    }

    /// Returns the values of the views of a permit if all its rules are true. Documents that came during the read may ask
    /// something else of its reader.
    private func frames(of permit: ReadPermit, _ cell: (ViewKey) -> ViewCell?) -> Result<ViewFrames, Refusal> {
        guard !registry.outdates(permit) else { return .failure(.migrating) }
        let answers = RuleAnswers(permit.ruleNames.compactMap { cell($0) }.map { ($0.name, $0.current()) })
        if let view = permit.forbidden(by: answers) { return .failure(.forbidden(view: view)) }
        return .success(permit.shown(permit.sources.compactMap { cell($0) }.map { ($0.name, $0.current()) }))
    }

    /// Asks the rules of a permit, and replies with the permit for the views whose rules are true. Without `leavingOut`
    /// the reply is a refusal if that is not all of them.
    package func check(
        _ permit: ReadPermit, leavingOut: Bool = false, _ reply: @escaping (Result<ReadPermit, Refusal>) -> Void
    ) {
        answers(of: permit) { result in
            reply(
                result.flatMap { answers in
                    if !leavingOut, let view = permit.forbidden(by: answers) {
                        return .failure(.forbidden(view: view))
                    }
                    return .success(permit.permitted(by: answers))
                })
        }
    }

    private func answers(of permit: ReadPermit, _ reply: @escaping (Result<RuleAnswers, Refusal>) -> Void) {
        let rules = permit.ruleNames
        if rules.isEmpty { return reply(.success(RuleAnswers())) }
        if permit.space == .common {
            if let damage = context.damage { return reply(.failure(.journal(damage))) }
            return afterTurn { [self] in
                replica.whenBuilt(rules) { [self] _ in
                    reply(.success(RuleAnswers(rules.compactMap { replica.cell($0) }.map { ($0.name, $0.current()) })))
                }
            }
        }
        use(permit.space) { space in self.answers(of: rules, in: space, reply) }
    }

    private func answers(
        of rules: [ViewKey], in space: Space, _ reply: @escaping (Result<RuleAnswers, Refusal>) -> Void
    ) {
        if context.isElsewhere(space.name) { return reply(.failure(.elsewhere)) }
        space.whenHere { failure in
            if let failure { return reply(.failure(.journal(failure))) }
            let space = self.content(of: space)
            space.whenReadable(rules) { refusal in
                if let refusal { return reply(.failure(refusal)) }
                let answers = RuleAnswers(rules.compactMap { space.visibleCell($0) }.map { ($0.name, $0.current()) })
                space.whenDurable { isDurable in
                    if isDurable { reply(.success(answers)) } else { self.answers(of: rules, in: space, reply) }
                }
            }
        }
    }

    /// Subscribes to the views of a permit. A refusal arrives after this returns, so that a caller never stores a watch
    /// that has already ended. `.forbidden` does not end the watch: while a rule is false, nothing is delivered, and
    /// afterwards all values are. Values that are long in the making are given up if `isWanted` returns false.
    package func watch(
        _ permit: ReadPermit, isWanted: @escaping () -> Bool = { true },
        _ receive: @escaping (Result<ViewFrames, Refusal>) -> Void
    ) -> Watch {
        guard permit.dependsOnReader else {
            return watch(
                permit.sources, unknown: unknownView(of: permit), in: permit.space, isWanted: isWanted, receive)
        }
        let permitted = PermittedFrames(permit)
        return watch(
            permit.sources + permit.ruleNames, unknown: unknownView(of: permit), in: permit.space, isWanted: isWanted
        ) { result in
            switch result {
            case .failure: receive(result)
            case .success(let frames): if let shown = permitted.take(frames) { receive(shown) }
            }
        }
    }

    /// Watches the rules of a permit, and calls `body` with the refusal when one of them is not true. Returns nil if the
    /// views have no rules.
    package func watchRules(of permit: ReadPermit, _ body: @escaping (Refusal) -> Void) -> Watch? {
        let rules = permit.ruleNames
        if rules.isEmpty { return nil }
        var answers = RuleAnswers()
        return watch(rules, unknown: unknownView(of: permit), in: permit.space) { result in
            switch result {
            case .failure(let refusal): body(refusal)
            case .success(let frames):
                answers.note(frames)
                if let view = permit.forbidden(by: answers) { body(.forbidden(view: view)) }
            }
        }
    }

    /// Watches the views of a permit as the sources of a computation, with trees and without the rules of the permit:
    /// each reader of the results follows the rules of its own permit with `watchRules`.
    package func watchSources(
        of permit: ReadPermit, _ receive: @escaping (Result<ViewFrames, Refusal>) -> Void
    ) -> Watch {
        // Under its own name a personal view has no value.
        watch(
            permit.names, unknown: unknownView(among: permit.names, in: permit.space), in: permit.space,
            wantsTrees: true, receive)
    }

    private func watch(
        _ views: [ViewKey], unknown: String?, in name: SpaceName, wantsTrees: Bool = false,
        isWanted: @escaping () -> Bool = { true }, _ receive: @escaping (Result<ViewFrames, Refusal>) -> Void
    ) -> Watch {
        let subscriber = ViewSubscriber(wantsTrees: wantsTrees, isAwaited: isWanted, receive)
        if let unknown {
            refuse(subscriber, .noSuchView(unknown))
        } else if name == .common, let damage = context.damage {
            refuse(subscriber, .journal(damage))
        } else if name == .common {
            afterTurn { [self] in
                replica.whenBuilt(views, isWanted: { subscriber.isWanted }) { [self] isMade in
                    guard isMade else { return refuse(subscriber, .preparing) }
                    let cells = views.compactMap { replica.cell($0) }
                    if let refusal = replica.instances.refusal(of: cells) { return refuse(subscriber, refusal) }
                    subscriber.attach(to: cells, in: replica)
                    subscriber.begin()
                }
            }
        } else {
            whenFollowing(views, in: name) { self.attach(subscriber, to: views, in: $0) }
        }
        return Watch(subscriber, of: self)
    }

    /// Runs `body` with a space. If some of the views may show rows in memory only of another owner, the space follows
    /// them from here on, and has them then, if their owner can be reached.
    private func whenFollowing(_ views: [ViewKey], in name: SpaceName, _ body: @escaping (Space) -> Void) {
        guard let sharing, !context.isElsewhere(name), views.contains(where: { registry.mayBeUnkept($0) }) else {
            return use(name, body)
        }
        sharing.follower.pull(name, isWanted: true, within: RowFollower.patience) { [self] _ in use(name, body) }
    }

    private func attach(_ subscriber: ViewSubscriber, to views: [ViewKey], in space: Space) {
        // It may have moved while its rows were awaited.
        if context.isElsewhere(space.name) { return refuse(subscriber, .elsewhere) }
        space.whenHere { failure in
            if let failure { return self.refuse(subscriber, .journal(failure)) }
            guard space.mayBuildViews else { return self.attachNow(subscriber, to: views, in: space) }
            space.whenReadable(views, isWanted: { subscriber.isWanted }) { refusal in
                if let refusal { return self.refuse(subscriber, refusal) }
                self.attachNow(subscriber, to: views, in: space)
            }
        }
    }

    private func attachNow(_ subscriber: ViewSubscriber, to views: [ViewKey], in space: Space) {
        if let refusal = space.refusal(of: views) { return refuse(subscriber, refusal) }
        let cells = views.compactMap { space.visibleCell($0) }
        if let refusal = space.refusal(of: cells) { return refuse(subscriber, refusal) }
        subscriber.attach(to: cells, in: space)
        space.whenDurable { isDurable in
            if isDurable { subscriber.begin() } else { self.attach(subscriber, to: views, in: space) }
        }
    }

    private func refuse(_ subscriber: ViewSubscriber, _ refusal: Refusal) {
        let owned = Confined(subscriber)
        context.executor.post { owned.value.fail(refusal) }
    }

    /// Runs `body` with a space, and notes that the space was used.
    func use(_ name: SpaceName, _ body: @escaping (Space) -> Void) {
        guard !graph.isBusy else { return afterTurn { [self] in use(name, body) } }
        let space = space(name)
        body(space)
        noteUse(of: space)
    }

    /// Runs `body` now, or after the current turn of the graph.
    private func afterTurn(_ body: @escaping () -> Void) {
        guard graph.isBusy else { return body() }
        let owned = Confined(body)
        context.executor.post { owned.value() }
    }

    /// Returns the canonical name of a view.
    package func viewName(_ written: ViewKey) throws(ParameterFault) -> ViewKey {
        try registry.viewName(written, context.updates.digestKey)
    }

    /// Returns the name of a view of a permit that the store does not have; nil if it has all.
    private func unknownView(of permit: ReadPermit) -> String? { unknownView(among: permit.sources, in: permit.space) }

    private func unknownView(among views: [ViewKey], in name: SpaceName) -> String? {
        let unknown = views.first { view in
            let known = view.known
            if registry.isReplica(known, in: name) { return false }
            if view.kind == nil ? registry.isPersonal(view) : !registry.hasRules { return true }
            return !registry.hasView(known, in: name) || !registry.isWellNamed(known, context.updates.digestKey)
        }
        return unknown.map { "\($0.known)" }
    }

    // MARK: Spaces

    func space(_ name: SpaceName) -> Space {
        if name == .common, let common { return common }
        if let space = cache.space(name) {
            if space.owedAdoption != nil { space.adoptOwed() }
            return space
        }
        precondition(name != .common, "the first store has common")
        let space = Space(name, in: context, cache: cache, graph: graph)
        if cache.isUnwritten(name) { space.beginUnwritten() }
        cache.add(space)
        return space
    }

    /// Returns the space to read instead of `space`: a space without commits or cells shares the empty one.
    func content(of space: Space) -> Space {
        space.isUnwritten && !space.hasCells && !space.hasUnkeptRows && !registry.readsSpaceName ? empty : space
    }

    /// Drops the names of unwritten spaces, and the values of the empty space.
    func renewUnwritten() {
        cache.forgetUnwritten()
        madeEmpty = nil
    }

    /// The instance that answers reads of all spaces without commits. Created at the first such read.
    var empty: Space {
        if let madeEmpty { return madeEmpty }
        let space = Space(.unwritten, in: context, cache: nil, graph: graph)
        space.beginUnwritten()
        madeEmpty = space
        return space
    }

    private func noteUse(of space: Space) {
        if space !== common { cache.noteUse(of: space) }
    }

    /// Adds the space `common` to this store. It has its own graph, because other spaces derive from the replicas.
    /// `renewed` is called when it has the form of coming documents.
    func addCommon(
        replicate: @escaping (CommitRecord, @escaping () -> Void) -> Void, renewed: @escaping () -> Void
    ) {
        let space = Space(.common, in: context, cache: nil, graph: Graph())
        (space.replicate, space.renewed) = (replicate, renewed)
        context.commonRenewed = renewed
        common = space
    }

    /// Starts the effects of `common`, if this process owns it. They see the replica, which is durable.
    func startCommonEffects() {
        guard context.owns(.common) else { return }
        commonEffects = EffectRunner(replica.features, in: .common, of: context)
    }

    /// Ends the effects of `common`.
    func endCommonEffects() {
        commonEffects = nil
    }

    /// The stamp of a space; nil if it is not loaded, or has commits that are not durable.
    package func stamp(of name: SpaceName) -> Stamp? {
        if context.damage != nil { return nil }
        if name == .common { return Stamp(generation: 0, arrivals: 0, moment: replica.moment) }
        if let space = cache.space(name) { return space.stamp }
        return cache.isUnwritten(name) ? empty.stamp : nil
    }

    /// Calls `body` once a space is loaded, or with the failure of the journal.
    package func whenHere(_ name: SpaceName, _ body: @escaping (JournalFailure?) -> Void) {
        if name == .common { body(context.damage) } else { use(name) { $0.whenHere(body) } }
    }

    /// True unless a space has commits that are not known to be durable. Other nodes of a cluster may know it first.
    package func isSettled(_ name: SpaceName) -> Bool {
        let space = name == .common ? common : cache.peek(name)
        return space.map { $0.state.outstanding == 0 } ?? true
    }

    /// Calls `body` once the present commits of a space are durable or undone.
    package func whenSettled(_ name: SpaceName, _ body: @escaping () -> Void) {
        guard !isSettled(name) else { return body() }
        use(name) { space in
            space.whenHere { failure in
                if failure != nil { return body() }
                space.whenDurable { isDurable in if isDurable { body() } else { self.whenSettled(name, body) } }
            }
        }
    }

    /// The moment that a space shows: that of its newest durable commit. It is nil if the space is not loaded.
    package func shown(of name: SpaceName) -> Moment? {
        if name == .common { return replica.shown }
        if let space = cache.peek(name) { return space.shown }
        return cache.isUnwritten(name) ? empty.shown : nil
    }

    /// The version of `common` that this store shows.
    package var shownCommon: Int { replica.shown?.common ?? 0 }

    // MARK: The journal

    /// Takes the outcomes of submissions.
    private func receive(_ outcomes: [SubmissionOutcome]) {
        for outcome in outcomes {
            if outcome.space == .common {
                common?.receive(outcome)
            } else {
                cache.peek(outcome.space)?.receive(outcome)
            }
        }
    }

    /// Takes a change that another process has made.
    func follow(_ news: JournalNews) {
        switch news {
        case .commits(let records): follow(records)
        case .forgotten(let name):
            renewUnwritten()
            guard let space = cache.peek(name) else { return }
            space.close()
            space.reopen(isDeleted: true)
        }
    }

    /// Takes commits that any process has appended.
    func follow(_ records: [CommitRecord]) {
        for record in records {
            guard record.space == .common else {
                if let space = cache.peek(record.space) {
                    space.follow(record)
                    sharing?.follower.noteVersion(of: record.space)
                } else {
                    cache.noteWritten(record.space)
                }
                continue
            }
            common?.follow(record)
            // A newer program wrote a fact that this program cannot decode. The replica stays at its version.
            try? replica.apply(record)
        }
    }
}

extension Store {
    /// Returns the number of the last action of a client's queue in a space that is part of a version; 0 for none.
    package func queueNumber(of client: String, _ subject: String, in name: SpaceName, at version: Int) -> Int {
        let space = name == .common ? commonSpace : cache.peek(name)
        return space?.queues.number(of: ActionQueues.key(client, subject), at: version) ?? 0
    }

    /// Called with the space in which an action of a queue was answered, or followed.
    package var queueMoved: ((SpaceName) -> Void)? {
        get { context.queueMoved }
        set { context.queueMoved = newValue }
    }
}

extension Store {
    /// Deletes a space and its history, and replies whether it existed. Its watches deliver the initial state. The
    /// state that `common` holds for the space is deleted too.
    package func forget(_ name: SpaceName, _ reply: @escaping (Result<Bool, Refusal>) -> Void) {
        guard name != .common else { return reply(.failure(.commonStays)) }
        use(name) { space in
            space.whenHere { failure in
                if let failure {
                    // What cannot be read can be deleted.
                    guard failure.kind == .damaged else { return reply(.failure(.journal(failure))) }
                    return self.delete(space, reply)
                }
                space.whenDurable { _ in self.delete(space, reply) }
            }
        }
    }

    private func delete(_ space: Space, _ reply: @escaping (Result<Bool, Refusal>) -> Void) {
        let name = space.name
        let owned = Confined((reference: reference, space: space, reply: reply))
        // The space stays closed until `common` has deleted its part. Otherwise `common` could delete state of the new
        // life of the space.
        space.close()
        context.writer.forget(
            name, for: context.executor,
            then: { result in
                let (reference, space, reply) = owned.value
                guard let store = reference.store else { return }
                switch result {
                case .failure(let failure):
                    space.reopen(isDeleted: false)
                    reply(.failure(.journal(failure)))
                case .success(let existed):
                    store.renewUnwritten()
                    store.runDeletionHandlers(for: name) {
                        space.reopen(isDeleted: true)
                        space.whenHere { failure in
                            if let failure { return reply(.failure(.journal(failure))) }
                            reply(.success(existed))
                        }
                    }
                }
            })
    }

    /// Deletes the state that `common` holds for a deleted space, and calls `done` when that is durable.
    func runDeletionHandlers(for space: SpaceName, _ done: @escaping () -> Void = {}) {
        runDeletionHandlers(registry.deletionHandlers[...], for: space, done)
    }

    private func runDeletionHandlers(
        _ ids: ArraySlice<ActionID>, for space: SpaceName, _ done: @escaping () -> Void
    ) {
        guard let id = ids.first else { return done() }
        // A space name contains nothing that JSON must escape.
        let call = Call(id, input: Array("{\"space\":\"\(space)\"}".utf8)).byEffect
        context.performUntilStored(call, in: .common) { [context, reference] result in
            if case .failure(let refusal) = result {
                context.warn("\(id.name) of the forgotten space \(space) was refused: \(refusal)")
            }
            reference.store?.runDeletionHandlers(ids.dropFirst(), for: space, done)
        }
    }

    /// Returns the spaces for which `common` holds state, according to the replica, but which the journal does not
    /// hold.
    func deletedSpaces(in journal: any Journal) throws(JournalFailure) -> [SpaceName] {
        guard !registry.deletionHandlers.isEmpty else { return [] }
        let graph = context.graph
        let commit = Commit(graph.draft(), now: context.now, version: replica.version, random: Randomness(seed: 0))
        let names = registry.deletionHandlers.reduce(into: Set<String>()) { names, id in
            let actions = FeatureInstance.children(
                of: replica.features[id.featureIndex].makeService(), as: (any AnyAction).self)
            guard let handler = actions[id.actionIndex].1 as? SpaceDeletionHandler else { return }
            names.formUnion(handler.spaces(commit))
        }
        graph.discard()
        var deleted: [SpaceName] = []
        for name in names.sorted() {
            if let space = SpaceName(name), try journal.load(space) == nil { deleted.append(space) }
        }
        return deleted
    }
}
