import Ground
import Reactive

/// The rows in memory only of the spaces that this node owns, for the nodes that follow them.
///
/// Only spaces that another node has asked for take any memory here. A process that follows a space is told once of the
/// next change; it asks for the changes, and by that waits for the one after.
final class RowPublisher {
    /// The number of bytes after which a page of rows ends.
    private static let pageBytes = 262_144
    /// The time between looks for spaces that nobody asks for.
    private static let sweepTime = Duration.seconds(60)

    private unowned let store: Store
    private let ownership: any SpaceOwnership
    private var spaces: [SpaceName: PublishedRows] = [:]
    private var isSweeping = false
    /// The number of rows that were listed for transfers.
    private(set) var listedCount = 0
    /// The processes that live, and those that lived at the last look.
    private var living: Set<String> = []
    private var formerlyLiving: Set<String> = []

    init(of store: Store, _ ownership: any SpaceOwnership) {
        self.store = store
        self.ownership = ownership
    }

    // MARK: Answers

    /// Answers with the rows of a space, or with nil if another node may own it.
    func answer(_ request: RowsRequest, _ reply: @escaping (RowsAnswer?) -> Void) {
        let name = request.space
        guard ownership.claim(of: name)?.isSure == true else { return reply(nil) }
        // A space that is not loaded has no rows.
        guard store.cache.peek(name) != nil else { return reply(answer(request, nil)) }
        store.use(name) { [self] space in
            space.whenHere { [self] failure in
                guard failure == nil, let claim = space.sureClaim else { return reply(nil) }
                space.takeOver(claim)
                // Rows show only what is durable.
                space.whenDurable { [self] isDurable in reply(isDurable ? answer(request, space) : nil) }
            }
        }
    }

    private func answer(_ request: RowsRequest, _ space: Space?) -> RowsAnswer {
        let version = space?.state.version ?? 0
        if spaces[request.space] == nil {
            guard request.follower != nil || space?.hasUnkeptRows == true else {
                return RowsAnswer(.none, at: version, isWhole: true, [])
            }
            spaces[request.space] = PublishedRows(epoch: newEpoch())
            sweepLater()
        }
        spaces[request.space]?.wasUsed = true
        if let follower = request.follower { spaces[request.space]?.follow(follower) }
        let published = spaces[request.space]
        let number = published?.number ?? .none
        if request.after == nil, let known = request.known, let changes = published?.changes(after: known) {
            return RowsAnswer(number, at: version, isWhole: false, changes)
        }
        let after = request.known?.epoch == number.epoch ? request.after : nil
        let page = space.map { self.page(of: $0, after: after, since: after == nil ? nil : request.known?.number) }
        let (facts, hasMore) = page ?? ([], false)
        let first = after == nil ? number : request.known ?? number
        return RowsAnswer(first, at: version, isWhole: after == nil, facts, hasMore: hasMore)
    }

    /// Reads a page of the rows of a space for a transfer that began at a number of changes, or begins for nil. The first
    /// page lists the places of all rows, so a transfer costs what it moves.
    private func page(
        of space: Space, after place: RowsRequest.Place?, since number: Int?
    ) -> (facts: [Fact], hasMore: Bool) {
        let listing = spaces[space.name]?.listing(since: number) {
            let listing = space.features.listUnkeptRows()
            listedCount += listing.count
            return listing
        }
        guard let listing else { return ([], false) }
        let page = space.features.unkeptRows(of: listing, after: place, upTo: Self.pageBytes)
        if !page.hasMore { spaces[space.name]?.forgetListing() }
        return page
    }

    private func newEpoch() -> UInt64 {
        var randomness = store.context.randomness()
        return max(1, randomness.next())
    }

    // MARK: Changes

    /// Notes changes of the rows of a space, or any change for nil.
    func note(_ facts: [Fact]?, of name: SpaceName) {
        guard spaces[name] != nil else { return }
        guard let facts else { return renew(name) }
        for process in spaces[name]?.note(facts) ?? [] { ownership.tell(process, .rows, of: name) }
    }

    /// Begins another epoch of the rows of a space.
    private func renew(_ name: SpaceName) {
        let followers = spaces[name]?.takeFollowers() ?? []
        spaces[name] = PublishedRows(epoch: newEpoch())
        for process in followers { ownership.tell(process, .rows, of: name) }
    }

    /// Ends the epoch of a space that another store serves from now on. Who follows it asks there.
    func moveAway(_ name: SpaceName) {
        guard var published = spaces.removeValue(forKey: name) else { return }
        for process in published.takeFollowers() { ownership.tell(process, .rows, of: name) }
    }

    /// Begins another epoch of all spaces, because their tables are others now.
    func renewAll() {
        for name in spaces.keys.sorted() { renew(name) }
    }

    /// Forgets the spaces that another node owns now.
    func forget(where isMeant: (SpaceName) -> Bool) {
        spaces = spaces.filter { !isMeant($0.key) }
    }

    func noteLiving(_ processes: Set<String>) {
        living = processes
    }

    /// Forgets, after a while, the spaces that nobody asks for, and the processes that are gone.
    private func sweepLater() {
        guard !isSweeping else { return }
        isSweeping = true
        let scheduler = store.context.executor.scheduler
        scheduler.set(Alarm(at: scheduler.now + Self.sweepTime) { [weak self] _ in self?.sweep() })
    }

    private func sweep() {
        isSweeping = false
        let known = living.union(formerlyLiving)
        formerlyLiving = living
        for name in spaces.keys.sorted() {
            spaces[name]?.drop { !known.contains($0) }
            if let rows = spaces[name], rows.followers.isEmpty, !rows.wasUsed { spaces[name] = nil }
            if spaces[name]?.wasUsed == false { spaces[name]?.forgetListing() }
            spaces[name]?.wasUsed = false
        }
        if !spaces.isEmpty { sweepLater() }
    }
}
