/// All stores of a server, one a home. Each space belongs to one of them; `common` belongs to the first, and all have a replica of it.
public final class Stores: Sendable {
    private let stores: [Owned<Store>]
    private let homes: [any Home]
    private let following: Following?

    /// Stores in front of a keeper, one on each home. Where others write the same journal (`isShared`), they follow what those do. What is kept of
    /// `common` is read here, so this may block.
    public init(
        _ registry: Registry, homes: [any Home], keeper: any Keeper, isShared: Bool = false, seed: UInt64,
        clock: @escaping @Sendable () -> Timestamp
    ) throws(JournalFailure) {
        precondition(!homes.isEmpty, "stores need a home")
        var seeds = Randomness(seed: seed)
        let stores = homes.map { Owned(Store(registry, keeper: keeper, home: $0, seed: seeds.next(), clock: clock)) }
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
        guard stores.count > 1, space != .common else { return 0 }
        return Int(space.digest % UInt64(stores.count))
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
