/// All stores of a server, one a home. Each space belongs to one of them; `common` belongs to the first, and all have a replica of it.
public final class Stores: Sendable {
    private let stores: [Owned<Store>]
    private let homes: [any Home]
    private let following: Following?

    /// Stores in front of a keeper, one on each home. Where others write the same journal (`isShared`), they follow what those do. Effects reach the
    /// outside through `fetcher`, and are at work from now on wherever they were left with work; `warn` is told, on any home, when one fails. What is
    /// kept of `common`, and which spaces have work, is read here, so this may block.
    public init(
        _ registry: Registry, homes: [any Home], keeper: any Keeper, fetcher: any Fetcher = NoFetcher(), isShared: Bool = false,
        seed: UInt64,
        clock: @escaping @Sendable () -> Timestamp, warn: @escaping @Sendable (String) -> Void = { _ in }
    ) throws(JournalFailure) {
        precondition(!homes.isEmpty, "stores need a home")
        var seeds = Randomness(seed: seed)
        let stores = homes.map {
            Owned(Store(registry, keeper: keeper, home: $0, fetcher: fetcher, seed: seeds.next(), clock: clock, warn: warn))
        }
        self.stores = stores
        self.homes = homes
        if let kept = try keeper.journal.load(.common) {
            for store in stores {
                do {
                    try store.value.replica.become(kept)
                } catch {
                    throw JournalFailure(.damaged, "what is kept of the space common cannot be read: \(error)")
                }
            }
        }
        let replicas = stores.map { store in Owned({ [door = store.value.door] in door.store?.replica }) }
        stores[0].value.haveCommon { record, done in Self.spread(record, to: replicas, on: homes, done) }
        for (index, store) in stores.enumerated() { store.value.reach = Self.reach(from: index, stores, homes) }
        let left = try Self.spacesWithWork(in: keeper.journal, among: stores.count)
        let forgotten = try stores[0].value.forgottenSpaces(in: keeper.journal)
        for (index, store) in stores.enumerated() {
            let door = Owned(store.value.door)
            homes[index].post {
                if index == 0 {
                    for space in forgotten { door.value.store?.bidFarewell(to: space) }
                    door.value.store?.beginCommonEffects()
                }
                door.value.store?.attend(to: left[index][...])
            }
        }
        guard isShared else {
            following = nil
            return
        }
        following = keeper.journal.follow { records in
            for (store, home) in zip(stores, homes) { home.post { store.value.follow(records) } }
        }
        // What was kept of common after it was read above and before it is followed has yet to be read.
        for (replica, home) in zip(replicas, homes) { home.post { replica.value()?.catchUp() } }
    }

    /// The number of the store that a space belongs to.
    public func index(of space: SpaceName) -> Int {
        Self.index(of: space, among: stores.count)
    }

    private static func index(of space: SpaceName, among count: Int) -> Int {
        count == 1 || space == .common ? 0 : Int(space.digest % UInt64(count))
    }

    /// The spaces that were left with work, by store.
    private static func spacesWithWork(in journal: any Journal, among count: Int) throws(JournalFailure) -> [[SpaceName]] {
        var left = Array(repeating: [SpaceName](), count: count)
        var last: SpaceName?
        while true {
            let page = try journal.spacesWithWork(after: last, limit: 1_000)
            for name in page where name != .common { left[index(of: name, among: count)].append(name) }
            guard let next = page.last else { return left }
            last = next
        }
    }

    /// How the store of a number has actions performed in any space. The answer comes at its own home, and not within the call.
    private static func reach(
        from own: Int, _ stores: [Owned<Store>], _ homes: [any Home]
    ) -> (Call, SpaceName, @escaping (Result<Answer, Refusal>) -> Void) -> Void {
        let doors = stores.map { Owned($0.value.door) }
        return { call, space, reply in
            let reply = Owned(reply)
            let index = index(of: space, among: doors.count)
            homes[index].post {
                doors[index].value.store?.perform(call, in: space) { result in
                    if index == own { reply.value(result) } else { homes[own].post { reply.value(result) } }
                }
            }
        }
    }

    /// A store. Only on its home.
    public subscript(index: Int) -> Store { stores[index].value }

    /// Has all replicas take a commit of `common`, and says on its home, the first, when they have.
    private static func spread(
        _ record: CommitRecord, to replicas: [Owned<() -> Replica?>], on homes: [any Home], _ done: @escaping () -> Void
    ) {
        let missing = Owned(Countdown(homes.count, done))
        let first = homes[0]
        for (replica, home) in zip(replicas, homes) {
            if home === first {
                take(record, replica) { missing.value.count() }
            } else {
                home.post {
                    take(record, replica) { first.post { missing.value.count() } }
                }
            }
        }
    }

    private static func take(_ record: CommitRecord, _ replica: Owned<() -> Replica?>, _ done: @escaping () -> Void) {
        guard let replica = replica.value() else { return }
        do {
            try replica.take(record, done)
        } catch {
            preconditionFailure("a commit that this server made of common cannot be read by it: \(error)")
        }
    }

    /// Counts down, and says when nothing is left.
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
