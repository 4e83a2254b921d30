internal import Ground
import JSON

/// The stores of a server, for closures that may outlive them.
struct PlacedStores: Sendable {
    private let references: [Confined<StoreReference>]
    let executors: [any Executor]
    private let placement: SpacePlacement

    init(_ references: [Confined<StoreReference>], _ executors: [any Executor], _ placement: SpacePlacement) {
        (self.references, self.executors, self.placement) = (references, executors, placement)
    }

    /// Runs `body` with the store of a space, on its executor; with nil if the store has ended.
    func visit(_ space: SpaceName, _ body: @escaping @Sendable (Store?) -> Void) {
        let index = placement.index(of: space)
        executors[index].post {
            // A large space may have moved meanwhile.
            guard placement.index(of: space) == index else { return visit(space, body) }
            body(references[index].value.store)
        }
    }

    /// Runs `body` with each store that has not ended, and its index, on its executor.
    func visitAll(_ body: @escaping @Sendable (Store, Int) -> Void) {
        for index in executors.indices {
            executors[index].post { if let store = references[index].value.store { body(store, index) } }
        }
    }

    /// Runs `done` after the jobs that the executors have now, except that of large spaces, which may compute for long.
    func passThrough(_ done: @escaping @Sendable () -> Void) {
        passThrough(executors.indices.filter { $0 != placement.largeIndex }[...], done)
    }

    private func passThrough(_ indices: ArraySlice<Int>, _ done: @escaping @Sendable () -> Void) {
        guard let first = indices.first else { return done() }
        executors[first].post { passThrough(indices.dropFirst(), done) }
    }
}

/// All stores of a server, one for each executor. Each space belongs to one of them. The first store holds `common`;
/// each store holds a replica of it.
package final class Stores: Sendable {
    private let stores: [Confined<Store>]
    private let placed: PlacedStores
    private let subscription: JournalSubscription?
    /// The alarms of the spaces that are not loaded, on the first executor.
    private let alarmClock: Confined<AlarmClock>
    private let lateness = AlarmLateness()
    /// The stores of the spaces.
    package let placement: SpacePlacement
    /// The damage of `common` that was found at the start; nil for none. With damage no space is loaded and no work
    /// begins, because every space may derive from `common`, and every tag names its version.
    package let damage: JournalFailure?

    /// Creates a store on each executor. It reads `common` and the list of spaces with work from the journal, so it may
    /// block.
    ///
    /// If other processes write the same journal (`isShared`), the stores follow their commits. Effects fetch through
    /// `fetcher`. Effects that had work when the journal was closed start again. `log` receives, on any executor, the lines
    /// of features and the failures of effects.
    package convenience init(
        _ registry: Registry, executors: [any Executor], writer: any JournalWriter, fetcher: any Fetcher = NoFetcher(),
        isShared: Bool = false, seed: UInt64, clock: @escaping @Sendable () -> Timestamp,
        log: FeatureLog = .silent
    ) throws(JournalFailure) {
        try self.init(
            registry, library: nil, executors: executors, writer: writer, fetcher: fetcher, isShared: isShared,
            seed: seed, clock: clock, log: log)
    }

    /// Creates a store on each executor, with the features of a library beside those of the program.
    package init(
        _ registry: Registry, library: DocumentLibrary?, executors: [any Executor], writer: any JournalWriter,
        fetcher: any Fetcher = NoFetcher(), placement: SpacePlacement? = nil,
        isShared: Bool = false, seed: UInt64, clock: @escaping @Sendable () -> Timestamp,
        log: FeatureLog = .silent
    ) throws(JournalFailure) {
        precondition(!executors.isEmpty, "stores need an executor")
        let placement = placement ?? SpacePlacement(among: executors.count)
        self.placement = placement
        var seeds = Randomness(seed: seed)
        let stores = executors.map {
            Confined(
                Store(
                    registry, library, writer: writer, executor: $0, fetcher: fetcher, seed: seeds.next(), clock: clock,
                    log: log))
        }
        self.stores = stores
        let placed = PlacedStores(stores.map { Confined($0.value.reference) }, executors, placement)
        self.placed = placed
        let uncarriedActions = UncarriedActions()
        for (index, store) in stores.enumerated() { store.value.take(placement, index, uncarriedActions) }
        let damage = try Self.loadCommon(from: writer, into: stores)
        self.damage = damage
        let replicas = stores.map { store in
            Confined({ [reference = store.value.reference] in reference.store?.replica })
        }
        stores[0].value.addCommon { record, done in
            Self.replicate(record, to: replicas, on: executors, placement, done)
        } renewed: {
            Self.renew(placed)
        }
        for (index, store) in stores.enumerated() {
            store.value.context.reach = Self.reach(from: index, placed)
        }
        let pace = Confined(WakePace())
        let wake = Self.waking(placed)
        let alarmClock = Self.alarmClock(of: writer, stores, executors, clock, pace.value, lateness, wake)
        self.alarmClock = alarmClock
        let starter = Self.scheduleStarter(of: writer, stores, executors, clock, pace.value, wake)
        stores[0].value.redefined = { [reference = stores[0].value.reference] changed in
            if let store = reference.store { starter.value.begin(store.registry.catalog, changed: changed) }
        }
        let first = executors[0]
        let sweeps = Confined([
            SleepingSpacesSweep.ofDroppedState(writer, on: first, stores[0].value.reference, wake: wake),
            SleepingSpacesSweep.ofOldForms(writer, on: first, stores[0].value.reference, wake: wake),
        ])
        stores[0].value.context.documentsTaken = { first.post { for sweep in sweeps.value { sweep.start() } } }
        for store in stores {
            // The clock ends with the stores, and their caches.
            store.value.cache.sleeping = { time in first.post { alarmClock.value.note(time) } }
        }
        guard damage == nil else {
            subscription = nil
            return
        }
        let ownership = writer.ownership
        let owns: @Sendable (SpaceName) -> Bool = { ownership?.owns($0) ?? true }
        let work = try Self.spacesWithWork(in: writer.journal, placement, owns)
        let deleted = owns(.common) ? try stores[0].value.deletedSpaces(in: writer.journal) : []
        placed.visitAll { store, index in
            if index == 0 {
                for space in deleted { store.runDeletionHandlers(for: space) }
                store.startCommonEffects()
                store.migrateCommon()
                alarmClock.value.look()
                starter.value.begin(store.registry.catalog)
                for sweep in sweeps.value { sweep.start() }
            }
            store.resumeWork(in: work[index][...])
        }
        if let ownership {
            let numbers = PresenceNumbers()
            for store in stores { store.value.share(ownership, numbers) }
            ownership.serveRows(Self.rowService(placed))
            ownership.hear { heard in placed.passThrough(heard) }
        }
        guard isShared || ownership != nil else {
            subscription = nil
            return
        }
        subscription = writer.journal.followOthers { news in placed.visitAll { store, _ in store.follow(news) } }
        ownership?.watchOwned { isMeant, isOwned in
            placed.visitAll { store, index in
                store.noteOwned(isMeant, isOwned, placement, index)
                guard index == 0, isOwned else { return }
                alarmClock.value.look()
                starter.value.begin(store.registry.catalog)
                for sweep in sweeps.value { sweep.start(gained: true) }
            }
        }
        // Commits of `common` between the load above and this subscription are still to be read.
        placed.visitAll { store, _ in store.replica.catchUp() }
    }

    /// Loads `common` into the replicas. Returns the failure if it is damaged; then the stores refuse all use. A node of
    /// a cluster with a damaged copy does not start, because another node has a sound one.
    private static func loadCommon(
        from writer: any JournalWriter, into stores: [Confined<Store>]
    ) throws(JournalFailure) -> JournalFailure? {
        do throws(JournalFailure) {
            guard let stored = try writer.journal.load(.common) else { return nil }
            for store in stores {
                do throws(JSONError) {
                    try store.value.replica.replace(with: stored)
                } catch {
                    throw JournalFailure(.damaged, "what is kept of the space common cannot be read: \(error)")
                }
            }
            return nil
        } catch {
            guard error.kind == .damaged, writer.ownership == nil else { throw error }
            for store in stores { store.value.context.damage = error }
            return error
        }
    }

    /// Performs a call for another node. The answer arrives on any executor.
    package func perform(
        _ call: Call, in space: SpaceName, _ reply: @escaping @Sendable (Result<Answer, Refusal>) -> Void
    ) {
        placed.visit(space) { $0?.perform(call, in: space, reply) }
    }

    /// Returns the index of the store that holds a space.
    package func index(of space: SpaceName) -> Int { placement.index(of: space) }

    /// Returns true if there is a store of this index.
    package func hasStore(_ index: Int) -> Bool { stores.indices.contains(index) }

    /// Loads a space for the sake of time, and calls the closure on the first executor when its commits by time are made.
    private typealias Waking = (SpaceName, @escaping () -> Void) -> Void

    private static func waking(_ stores: PlacedStores) -> Waking {
        let first = stores.executors[0]
        return { space, done in
            let done = Confined(done)
            stores.visit(space) { $0?.wake(space) { first.post { done.value() } } }
        }
    }

    /// The clock that wakes the spaces of all stores.
    private static func alarmClock(
        of writer: any JournalWriter, _ stores: [Confined<Store>], _ executors: [any Executor],
        _ clock: @escaping @Sendable () -> Timestamp, _ pace: WakePace, _ lateness: AlarmLateness,
        _ wake: @escaping Waking
    ) -> Confined<AlarmClock> {
        let reference = stores[0].value.reference
        return Confined(
            AlarmClock(
                writer, on: executors[0], pace, lateness, now: clock, owns: { writer.ownership?.owns($0) ?? true },
                isOpen: { reference.store != nil }, wake: wake))
    }

    private static func scheduleStarter(
        of writer: any JournalWriter, _ stores: [Confined<Store>], _ executors: [any Executor],
        _ clock: @escaping @Sendable () -> Timestamp, _ pace: WakePace, _ wake: @escaping Waking
    ) -> Confined<ScheduleStarter> {
        let reference = stores[0].value.reference
        return Confined(
            ScheduleStarter(
                writer, on: executors[0], pace, now: clock, owns: { writer.ownership?.owns($0) ?? true },
                isOpen: { reference.store != nil }, wake: wake))
    }

    /// The seconds by which the earliest alarm of a space that is not loaded is late.
    package var alarmsLateSeconds: Double { lateness.seconds }

    /// The spaces with work, by store.
    static func spacesWithWork(
        in journal: any Journal, _ placement: SpacePlacement, _ isMeant: (SpaceName) -> Bool
    ) throws(JournalFailure) -> [[SpaceName]] {
        var spaces = Array(repeating: [SpaceName](), count: placement.storeCount)
        var last: SpaceName?
        while true {
            let page = try journal.spacesWithWork(after: last, limit: 1_000)
            for name in page where name != .common && isMeant(name) {
                spaces[placement.index(of: name)].append(name)
            }
            guard let next = page.last else { return spaces }
            last = next
        }
    }

    /// Returns a closure for one store that performs actions in any space. The answer arrives on the executor of that
    /// store, after the call has returned.
    private static func reach(
        from own: Int, _ stores: PlacedStores
    ) -> (Call, SpaceName, @escaping (Result<Answer, Refusal>) -> Void) -> Void {
        let home = stores.executors[own]
        @Sendable func perform(
            _ call: Call, _ space: SpaceName, _ reply: Confined<(Result<Answer, Refusal>) -> Void>
        ) {
            stores.visit(space) { store in
                guard let store else { return }
                store.perform(call, in: space) { result in
                    if case .failure(.elsewhere) = result {
                        // The space has moved to another store meanwhile.
                        if store.isElsewhere(space) { return perform(call, space, reply) }
                        if let ownership = store.context.ownership {
                            return ownership.perform(call, in: space) { result in home.post { reply.value(result) } }
                        }
                    }
                    if store.context.executor === home { return reply.value(result) }
                    home.post { reply.value(result) }
                }
            }
        }
        return { call, space, reply in perform(call, space, Confined(reply)) }
    }

    /// Sets all alarms anew after the clock has made a step. If it has gone back because the operator accepted that,
    /// the spaces go back with it.
    package func noteClockStep(isAccepted: Bool) {
        placed.visitAll { [alarmClock] store, index in
            store.noteClockStep(isAccepted: isAccepted)
            if index == 0 { alarmClock.value.look() }
        }
    }

    /// A store, by its index. Only on its executor.
    package subscript(index: Int) -> Store { stores[index].value }

    /// Applies a commit of `common` to all replicas, then calls `done` on the first executor.
    private static func replicate(
        _ record: CommitRecord, to replicas: [Confined<() -> Replica?>], on executors: [any Executor],
        _ placement: SpacePlacement, _ done: @escaping () -> Void
    ) {
        // The store of large spaces may compute for long. It takes the commit before every later request, and coming
        // documents as well: see `renew`.
        let missing = Confined(Countdown(executors.count - (placement.largeIndex == nil ? 0 : 1), done))
        let first = executors[0]
        for (index, (replica, executor)) in zip(replicas, executors).enumerated() {
            if index == placement.largeIndex {
                executor.post { apply(record, to: replica) {} }
            } else if executor === first {
                apply(record, to: replica) { missing.value.count() }
            } else {
                executor.post {
                    apply(record, to: replica) { first.post { missing.value.count() } }
                }
            }
        }
    }

    /// Makes the stores take documents that are coming, once all of them have read `common` in their form: one after the
    /// other would show other documents for as long as the next one reads.
    private static func renew(_ stores: PlacedStores) {
        let first = stores.executors[0]
        let missing = Confined(
            Countdown(stores.executors.count) { stores.visitAll { store, _ in store.replica.takeRenewed() } })
        stores.visitAll { store, _ in
            store.replica.renew { first.post { missing.value.count() } }
        }
    }

    private static func apply(
        _ record: CommitRecord, to replica: Confined<() -> Replica?>, _ done: @escaping () -> Void
    ) {
        guard let replica = replica.value() else { return }
        do {
            try replica.apply(record, done)
        } catch {
            preconditionFailure("a commit that this server made of common cannot be read by it: \(error)")
        }
    }

    /// A counter that runs its closure at the last of `count` calls.
    private final class Countdown {
        private var left: Int
        private let done: () -> Void

        init(_ count: Int, _ done: @escaping () -> Void) {
            left = count
            self.done = done
        }

        func count() {
            left -= 1
            if left == 0 { done() }
        }
    }
}
