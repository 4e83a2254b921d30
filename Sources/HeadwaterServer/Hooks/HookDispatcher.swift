import Ground
import Platform
import Reactive
import StateStore

/// The deliveries of all hooks, on the executor of `common`. Without hooks it does nothing and hears of nothing.
final class HookDispatcher {
    /// The maximum number of hooks that read or deliver at once,
    private static let sendingLimit = 32
    /// and of those that use the thread of the past, which others use too.
    private static let computingLimit = 4

    let surroundings: HookSurroundings
    let outside: Outside
    let sending = HookPlaces(sendingLimit)
    private let computing = HookPlaces(computingLimit)
    private let state: HooksState
    private var deliveries: [String: WeakDelivery] = [:]
    /// The keys of the hooks of each space, and of those over views.
    private var keys: [SpaceName: Set<String>] = [:]
    private var viewKeys: Set<String> = []
    /// The moments that hooks reached before they were put again, or their effect was begun again.
    private var moments: [String: ReachedMoment] = [:]
    private let watched = Lock(Watched())
    private var subscription: JournalSubscription?

    private final class WeakDelivery {
        weak var delivery: HookDelivery?

        init(_ delivery: HookDelivery? = nil) {
            self.delivery = delivery
        }
    }

    /// The moment that a hook has reached, and the number under which it was put. A hook of the same name that was put
    /// after this one was removed has another number, and begins by itself.
    private struct ReachedMoment {
        let number: Int
        let moment: Moment
    }

    /// The commits that concern hooks.
    private struct Watched: Sendable {
        var spaces: Set<SpaceName> = []
        /// True if there are hooks over views: a commit of `common` can change them.
        var hasViews = false
    }

    /// A reference that the journal's thread passes on.
    private final class WeakDispatcher {
        weak var dispatcher: HookDispatcher?
        init(_ dispatcher: HookDispatcher) { self.dispatcher = dispatcher }
    }

    init(_ surroundings: HookSurroundings, _ state: HooksState, _ outside: Outside) {
        self.surroundings = surroundings
        self.state = state
        self.outside = outside
    }

    /// The deliveries of one hook, for as long as it exists.
    func deliveries(of key: String, _ rows: Observable<StoredHook>) -> Observable<Int> {
        guard let name = HookName(key: key) else { return .never() }
        let previous = WeakDelivery()
        return rows.flatMapLatest { [self] hook in
            if let last = previous.delivery {
                moments[key] = ReachedMoment(number: hook.number, moment: last.cursor)
            }
            let delivery = HookDelivery(name, hook, self)
            previous.delivery = delivery
            deliveries[key] = WeakDelivery(delivery)
            keys[name.space, default: []].insert(key)
            if case .view = hook.source { viewKeys.insert(key) } else { viewKeys.remove(key) }
            watch(name.space)
            return delivery.rounds
        }
    }

    func remove(_ delivery: HookDelivery) {
        let key = delivery.name.key
        if moments.count >= 2 * HooksService.limit { moments = [:] }
        // The hook may have been put again meanwhile.
        if delivery.hook.number >= moments[key]?.number ?? 0 {
            let reached = reached(by: key, number: delivery.hook.number) ?? delivery.cursor
            moments[key] = ReachedMoment(number: delivery.hook.number, moment: max(delivery.cursor, reached))
        }
        // A weak reference to an object that ends is nil.
        guard let known = deliveries[key], known.delivery == nil else { return }
        deliveries[key] = nil
        viewKeys.remove(key)
        let space = delivery.name.space
        keys[space]?.remove(key)
        if keys[space]?.isEmpty ?? false { keys[space] = nil }
        watch(space)
    }

    // MARK: Looking

    /// Returns a hook; nil if there is none.
    subscript(name: HookName) -> HookDelivery? { deliveries[name.key]?.delivery }

    /// Returns the hooks of a space in the order of their ids.
    func hooks(of space: SpaceName) -> [HookDelivery] {
        (keys[space] ?? []).sorted().compactMap { deliveries[$0]?.delivery }
    }

    /// The hooks that documents declare, in the order of their keys.
    var hooksOfDocuments: [HookDelivery] {
        deliveries.keys.sorted().compactMap { deliveries[$0]?.delivery }.filter { $0.hook.document != nil }
    }

    /// Returns the kept place of a hook.
    func place(of key: String, number: Int) -> StoredHookPlace? {
        state.places.rows[key].flatMap { $0.number == number ? $0 : nil }
    }

    /// Returns the moment that a hook has reached in this process; nil if it is not known.
    func reached(by key: String, number: Int) -> Moment? {
        moments[key].flatMap { $0.number == number ? $0.moment : nil }
    }

    /// The shortest time between two commits of a hook's cursor. All hooks together make at most about 50 a second.
    var keepingInterval: Duration { .seconds(max(1, deliveries.count / 50)) }

    // MARK: News

    /// Follows the journal if there are hooks. The hooks of `space` have changed.
    private func watch(_ space: SpaceName) {
        let (isWatched, hasViews) = (keys[space] != nil, !viewKeys.isEmpty)
        watched.with { watched in
            if isWatched { watched.spaces.insert(space) } else { watched.spaces.remove(space) }
            watched.hasViews = hasViews
        }
        if keys.isEmpty { return subscription = nil }
        guard subscription == nil else { return }
        let owned = Confined(WeakDispatcher(self))
        subscription = surroundings.journal.follow { [watched, executor = surroundings.executor] records in
            let news = watched.with { known in
                var news: Set<SpaceName> = []
                for record in records where !record.facts.isEmpty && Self.concerns(record, known) {
                    news.insert(record.space)
                }
                return news
            }
            if !news.isEmpty { executor.post { owned.value.dispatcher?.note(news) } }
        }
    }

    private static func concerns(_ record: CommitRecord, _ watched: Watched) -> Bool {
        if watched.spaces.contains(record.space) { return true }
        return watched.hasViews && record.space == .common && !record.action.hasPrefix("\(HookSource.ownFeature)/")
    }

    private func note(_ spaces: Set<SpaceName>) {
        var woken = spaces.contains(.common) ? viewKeys : []
        for space in spaces { woken.formUnion(keys[space] ?? []) }
        for key in woken.sorted() { deliveries[key]?.delivery?.noteNews() }
    }

    // MARK: Reading

    /// Reads the next page of a hook, as its owner reads it.
    func page(of hook: StoredHook, in space: SpaceName, for owner: Reader, after moment: Moment) -> Observable<HookPage>
    {
        let executor = surroundings.executor
        guard case .view(let view) = hook.source else {
            guard let permit = try? CommitPermit.issue(in: space, to: owner) else {
                return .failed(PastRefusal.forbidden(view: ""))
            }
            return outside.result { [surroundings] receive in
                let receive = Confined(receive)
                surroundings.journalWriter.read(
                    for: executor,
                    { [registry = surroundings.past.registry] journal in
                        do throws(HookPageFault) {
                            return Result<HookPage, HookPageFault>.success(
                                try HookPage(
                                    of: hook.source, since: hook.since ?? 0, permit, after: moment, registry, journal))
                        } catch {
                            return .failure(error)
                        }
                    }, then: { result in receive.value(result.mapError { $0 }) })
                return {}
            }
        }
        return outside.result { [computing] receive in computing.take { receive(.success($0)) } }
            .flatMap { [self] place in
                outside.result { [surroundings] receive in
                    surroundings.past.run(for: executor, by: .hook(of: owner.caller.subject ?? "", space)) {
                        context throws(PastRefusal) in
                        try HookPage(ofView: ViewKey(view), in: space, for: owner, after: moment, context)
                    } then: { result in
                        withExtendedLifetime(place) { receive(result.mapError { $0 }) }
                    }
                    return {}
                }
            }
    }
}
