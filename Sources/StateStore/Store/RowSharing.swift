import Ground

/// The rows in memory only that the nodes of a cluster share, for the spaces of one store.
final class RowSharing {
    let publisher: RowPublisher
    let follower: RowFollower
    let holder: PresenceHolder

    /// `numbers` are those of the messages of all stores of this process.
    init(of store: Store, _ ownership: any SpaceOwnership, _ numbers: PresenceNumbers) {
        publisher = RowPublisher(of: store, ownership)
        follower = RowFollower(of: store, ownership)
        holder = PresenceHolder(of: store, ownership, numbers)
    }

    /// Returns true if a client of a space waits for its rows or its row, so that the space must not move yet.
    func isAwaited(_ name: SpaceName) -> Bool { follower.isAwaited(name) || holder.holds(name) }

    /// Lets go of an idle space that another store of this process serves from now on.
    func moveAway(_ name: SpaceName) {
        follower.drop(name)
        publisher.moveAway(name)
    }

    /// Takes a change of the owner of spaces.
    func noteOwner(_ isMeant: (SpaceName) -> Bool, _ isOwned: Bool) {
        if !isOwned { publisher.forget(where: isMeant) }
        follower.noteOwner(isMeant)
        holder.noteOwner(isMeant)
    }

    /// Takes changes of the rows of a space, or any change for nil.
    func note(_ facts: [Fact]?, of name: SpaceName) {
        publisher.note(facts, of: name)
        if facts == nil { follower.forget(name) }
    }
}

extension Store {
    /// Shares rows in memory only with the other nodes of a cluster.
    func share(_ ownership: any SpaceOwnership, _ numbers: PresenceNumbers) {
        sharing = RowSharing(of: self, ownership, numbers)
        context.unkeptChanged = { [reference] name, facts in reference.store?.sharing?.note(facts, of: name) }
    }

    /// Takes a change of the owner of spaces.
    func noteOwnerOfRows(_ isMeant: (SpaceName) -> Bool, _ isOwned: Bool) {
        guard let sharing else { return }
        sharing.noteOwner(isMeant, isOwned)
        if !isOwned { followWatched(isMeant) }
    }

    /// Takes a change of the features.
    func noteTablesOfRows() {
        guard let sharing else { return }
        sharing.publisher.renewAll()
        sharing.follower.forgetAll()
        followWatched { _ in true }
    }

    /// Follows the spaces of other owners that have subscribers.
    private func followWatched(_ isMeant: (SpaceName) -> Bool) {
        guard let sharing, registry.catalog.hasUnkept else { return }
        for space in cache.loaded where space.isWatched && isMeant(space.name) && !context.owns(space.name) {
            sharing.follower.follow(space.name)
        }
    }

    /// Takes the processes that live.
    func noteLiving(_ processes: Set<String>) {
        sharing?.publisher.noteLiving(processes)
        context.living = processes
        for space in cache.loaded where context.owns(space.name) { space.noteLiving(processes) }
    }

    /// Takes news of another node about a space.
    func take(_ news: NodeNews, of name: SpaceName) {
        switch news {
        case .rows: sharing?.follower.noteChanged(name)
        case .presence: sharing?.holder.announce(name)
        }
    }

    /// True if this node may show the rows in memory only of a space, though perhaps not the newest, without a question to
    /// its owner.
    package func hasRows(of name: SpaceName) -> Bool {
        context.owns(name) || sharing?.follower.hasRows(of: name) ?? true
    }

    /// Calls `done` with true once this node shows all rows in memory only that the owner of a space had at this call, or
    /// with false after `patience`.
    package func pullRows(of name: SpaceName, within patience: Duration, _ done: @escaping (Bool) -> Void) {
        guard let sharing, name != .common, !context.isElsewhere(name) else { return done(true) }
        sharing.follower.pull(name, isWanted: false, within: patience, done)
    }
}

extension Stores {
    /// The services of some stores for other nodes.
    static func rowService(_ stores: PlacedStores) -> RowService {
        RowService(
            rows: { request, reply in
                stores.visit(request.space) { store in
                    guard let sharing = store?.sharing else { return reply(nil) }
                    sharing.publisher.answer(request) { reply($0) }
                }
            },
            presence: { message, space, reply in
                stores.visit(space) { store in
                    guard let store else { return reply(nil) }
                    store.use(space) { $0.receive(message) { reply($0) } }
                }
            },
            told: { news, space in stores.visit(space) { $0?.take(news, of: space) } },
            living: { processes in stores.visitAll { store, _ in store.noteLiving(processes) } })
    }
}
