import Ground
import Reactive

/// The rows in memory only of spaces that other nodes own and that are read or watched here.
final class RowFollower {
    /// The time that a subscriber waits for the first rows.
    static let patience = Duration.seconds(1)
    /// The time for which rows are kept that nobody watches.
    private static let keepTime = Duration.seconds(5)
    /// The time between looks for a version that has not come with a commit.
    private static let lookTime = Duration.milliseconds(100)

    private unowned let store: Store
    private let ownership: any SpaceOwnership
    private var spaces: [SpaceName: FollowedRows] = [:]
    private var isSweeping = false

    init(of store: Store, _ ownership: any SpaceOwnership) {
        self.store = store
        self.ownership = ownership
    }

    private var scheduler: any Scheduler { store.context.executor.scheduler }

    // MARK: Reading

    /// Calls `done` with true once the space shows all rows that its owner had at this call, or with false after
    /// `patience`. With `isWanted`, changes come too as long as the space has subscribers.
    func pull(_ name: SpaceName, isWanted: Bool, within patience: Duration, _ done: @escaping (Bool) -> Void) {
        if ownership.claim(of: name)?.isSure == true { return done(true) }
        let wait = TimedWait(until: scheduler.now + patience, on: scheduler, done)
        enter(name)
        spaces[name]?.wait(wait)
        if isWanted { spaces[name]?.isWanted = true }
        ask(name)
    }

    /// Follows a space that has subscribers.
    func follow(_ name: SpaceName) {
        enter(name)
        spaces[name]?.isWanted = true
        spaces[name]?.isDue = true
        ask(name)
    }

    /// True if the space shows rows of its owner, perhaps not the newest.
    func hasRows(of name: SpaceName) -> Bool { spaces[name]?.shown != nil }

    /// Returns true if a request waits for rows of a space.
    func isAwaited(_ name: SpaceName) -> Bool { spaces[name].map { $0.hasWaits || $0.isAsking } ?? false }

    /// Forgets an idle space that another store serves from now on.
    func drop(_ name: SpaceName) {
        spaces[name] = nil
    }

    private func enter(_ name: SpaceName) {
        let now = scheduler.now
        if spaces[name] == nil { spaces[name] = FollowedRows(at: now) }
        spaces[name]?.lastUse = now
        sweepLater()
    }

    /// True if a space has subscribers, or will have some that wait for its first rows or its content.
    private func isWatched(_ name: SpaceName) -> Bool {
        guard let rows = spaces[name], rows.isWanted else { return false }
        return store.cache.peek(name)?.isWatched == true || scheduler.now < rows.lastUse + Self.keepTime
    }

    // MARK: Requests

    private func ask(_ name: SpaceName) {
        guard let rows = spaces[name], !rows.isAsking, rows.needsRequest else { return }
        if let claim = ownership.claim(of: name) {
            guard claim.isSure else { return retry(name) }
            return become(ownerOf: name)
        }
        spaces[name]?.begin()
        send(name)
    }

    private func become(ownerOf name: SpaceName) {
        let waits = spaces[name]?.end(true) ?? []
        spaces[name] = nil
        for wait in waits { wait.end(true) }
    }

    private func send(_ name: SpaceName) {
        guard let rows = spaces[name] else { return }
        let token = rows.token
        // A subscriber that waits for the first rows counts as well.
        let follower = rows.isWanted ? ownership.process : nil
        let (executor, owned) = (store.context.executor, Confined(store.reference))
        ownership.ask(rows.request(for: name, follower: follower)) { answer in
            executor.post { owned.value.store?.sharing?.follower.take(answer, of: name, token) }
        }
    }

    private func take(_ answer: RowsAnswer?, of name: SpaceName, _ token: Int) {
        guard let rows = spaces[name], rows.token == token, rows.isAsking else { return }
        guard let answer else {
            spaces[name]?.fail()
            return retry(name)
        }
        switch spaces[name]?.take(answer) {
        case .ask: send(name)
        case .show: show(name)
        case nil: break
        }
    }

    private func retry(_ name: SpaceName) {
        guard let rows = spaces[name], rows.hasWaits || isWatched(name) else { return }
        let delay = RetryDelays.forOwners[rows.failures]
        spaces[name]?.isDue = true
        scheduler.set(Alarm(at: scheduler.now + delay) { [weak self] _ in self?.ask(name) })
    }

    // MARK: Showing

    /// Shows the rows that have come, once the space has their version. So no row shows before the commits that its
    /// change has seen.
    private func show(_ name: SpaceName) {
        guard let rows = spaces[name]?.early else { return }
        let isEmpty = rows.facts.isEmpty && (!rows.isWhole || store.cache.peek(name)?.hasUnkeptRows != true)
        if isEmpty { return conclude(name, rows.number) }
        let token = spaces[name]?.token
        store.use(name) { [weak self] space in
            space.whenHere { failure in
                guard let self, self.spaces[name]?.token == token, let rows = self.spaces[name]?.early else { return }
                if failure != nil {
                    self.spaces[name]?.fail()
                    return self.retry(name)
                }
                guard self.ownership.claim(of: name) == nil else { return }
                guard space.state.durable >= rows.version else { return self.showLater(name) }
                space.takeRows(rows.facts, isWhole: rows.isWhole)
                self.conclude(name, rows.number)
            }
        }
    }

    private func showLater(_ name: SpaceName) {
        scheduler.set(Alarm(at: scheduler.now + Self.lookTime) { [weak self] _ in self?.noteVersion(of: name) })
    }

    private func conclude(_ name: SpaceName, _ number: RowsNumber) {
        for wait in spaces[name]?.shows(number) ?? [] { wait.end(true) }
        ask(name)
    }

    // MARK: Changes

    /// Rows of a space have changed at its owner.
    func noteChanged(_ name: SpaceName) {
        guard spaces[name] != nil else { return }
        guard isWatched(name) else {
            spaces[name]?.isWanted = false
            return
        }
        spaces[name]?.isDue = true
        ask(name)
    }

    /// The space shows another version.
    func noteVersion(of name: SpaceName) {
        if spaces[name]?.early != nil { show(name) }
    }

    /// The space has lost the rows that it showed.
    func forget(_ name: SpaceName) {
        guard spaces[name] != nil else { return }
        spaces[name]?.forget()
        if isWatched(name) || spaces[name]?.hasWaits == true { ask(name) }
    }

    /// The tables of the spaces are others now.
    func forgetAll() {
        for name in spaces.keys.sorted() { forget(name) }
    }

    /// Spaces have another owner, or this node may have missed what the owner has told it.
    func noteOwner(_ isMeant: (SpaceName) -> Bool) {
        for name in spaces.keys.sorted() where isMeant(name) {
            spaces[name]?.restart()
            if spaces[name]?.hasWaits == true || isWatched(name) {
                spaces[name]?.isDue = true
                ask(name)
            } else {
                release(name)
            }
        }
    }

    private func release(_ name: SpaceName) {
        spaces[name] = nil
        if ownership.claim(of: name) == nil { store.cache.peek(name)?.clearRows() }
    }

    /// Releases the rows that nobody has watched or read for a while.
    private func sweepLater() {
        guard !isSweeping else { return }
        isSweeping = true
        scheduler.set(Alarm(at: scheduler.now + Self.keepTime) { [weak self] _ in self?.sweep() })
    }

    private func sweep() {
        isSweeping = false
        let now = scheduler.now
        for (name, rows) in spaces where !rows.hasWaits && !isWatched(name) && now >= rows.lastUse + Self.keepTime {
            release(name)
        }
        if !spaces.isEmpty { sweepLater() }
    }
}
