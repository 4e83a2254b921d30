import Ground
import JSON
import Reactive
import StateStore

/// The keeper of the hooks that documents declare, on the loop of `common`: it stores one hook for each space, when the
/// document is put and when a space has its first commit that concerns it, and removes them with the document.
///
/// A commit is delivered if it has seen the version of `common` at which the hook was declared, so none is lost between
/// the document and the storing of the hook.
final class DocumentHookKeeper {
    private static let pageSize = 256
    /// The time after which it looks again if this process does not deliver.
    private static let retryDelay = Duration.seconds(5)

    private let surroundings: HookSurroundings
    private let center: HookCenter
    private let store: Store
    private var declared: [DocumentHook] = []
    /// The version of `common` at which each declared hook was first seen.
    private var since: [String: Int] = [:]
    /// The commits of `common` that wait to be made, one after the other.
    private var calls = Fifo<(key: String, call: Call)>()
    private var pending: Set<String> = []
    private var isBusy = false
    private var isRetrying = false
    private var subscription: JournalSubscription?

    /// A reference that other threads pass on.
    private final class WeakKeeper {
        weak var keeper: DocumentHookKeeper?
        init(_ keeper: DocumentHookKeeper) { self.keeper = keeper }
    }

    /// A space that may lack hooks.
    private struct HookedSpace: Sendable {
        let name: SpaceName
        let newest: Int
        let oldest: Int
    }

    init(_ surroundings: HookSurroundings, _ center: HookCenter, _ store: Store) {
        (self.surroundings, self.center, self.store) = (surroundings, center, store)
    }

    /// Follows the documents, at the start and when they have changed.
    func noteDocuments() {
        let documents = store.documents.documents
        let hooks = documents.sorted { $0.key < $1.key }.flatMap { DocumentHook.all(in: $0.value) }
        guard hooks != declared || !hooks.isEmpty && center.dispatcher != nil && subscription == nil else { return }
        declared = hooks
        let owned = Confined(WeakKeeper(self))
        // The effect that delivers begins after the first turn.
        surroundings.executor.post { owned.value.keeper?.reconcile() }
    }

    private func reconcile() {
        guard let dispatcher = center.dispatcher else {
            // Another node may own `common`, or the effect begins later.
            subscription = nil
            return retry()
        }
        for hook in declared where since[hook.id] == nil { since[hook.id] = store.commonVersion }
        for delivery in dispatcher.hooksOfDocuments {
            let (name, stored) = (delivery.name, delivery.hook)
            guard let hook = declared.first(where: { $0.id == name.id && $0.isIn(name.space) }) else {
                add("remove", name.key, HookKey(hook: name.key))
                continue
            }
            since[hook.id] = min(since[hook.id] ?? .max, stored.since ?? .max)
            guard !hook.isStored(as: stored) else { continue }
            add(
                "put", name.key,
                hook.input(
                    in: name.space, after: delivery.cursor.version, common: delivery.cursor.common,
                    since: stored.since ?? 0))
        }
        for id in since.keys where !declared.contains(where: { $0.id == id }) { since[id] = nil }
        guard !declared.isEmpty else { return subscription = nil }
        follow()
        look(after: nil)
    }

    /// Looks again later, if a document has hooks.
    private func retry() {
        guard !declared.isEmpty, !isRetrying else { return }
        isRetrying = true
        let scheduler = surroundings.executor.scheduler
        scheduler.set(
            Alarm(at: scheduler.now + Self.retryDelay) { [weak self] _ in
                guard let self else { return }
                isRetrying = false
                reconcile()
            })
    }

    // MARK: Spaces

    /// Follows the commits of all spaces.
    private func follow() {
        guard subscription == nil else { return }
        let owned = Confined(WeakKeeper(self))
        subscription = surroundings.journal.follow { [executor = surroundings.executor] records in
            let news = records.filter { !$0.facts.isEmpty && !$0.action.hasPrefix("\(HookSource.ownFeature)/") }
            if !news.isEmpty { executor.post { owned.value.keeper?.note(news) } }
        }
    }

    private func note(_ records: [CommitRecord]) {
        for record in records {
            for hook in declared where hook.isIn(record.space) && concerns(record, hook) {
                add(hook, in: record.space, after: record.version - 1, common: record.common)
            }
        }
    }

    private func concerns(_ record: CommitRecord, _ hook: DocumentHook) -> Bool {
        if case .view = hook.source { return true }
        return record.action == PerformedAction.several || hook.source.hasCommits(of: record.action)
    }

    /// Stores the hooks of the spaces that exist, a page at a time.
    private func look(after last: SpaceName?) {
        let owned = Confined(WeakKeeper(self))
        surroundings.journalWriter.read(
            for: surroundings.executor,
            { journal in
                do throws(JournalFailure) {
                    return try journal.spaces(after: last, limit: Self.pageSize).map { space throws(JournalFailure) in
                        var oldest = 0
                        if case .gone(let first) = try journal.read(space.name, after: 0, limit: 1) { oldest = first }
                        return HookedSpace(name: space.name, newest: space.version, oldest: oldest)
                    }
                } catch {
                    // The commits of the spaces still store their hooks.
                    return []
                }
            },
            then: { (spaces: [HookedSpace]) in
                guard let keeper = owned.value.keeper else { return }
                for space in spaces where space.newest > 0 {
                    for hook in keeper.declared where hook.isIn(space.name) {
                        var version = space.oldest
                        if case .view = hook.source { version = space.newest }
                        keeper.add(hook, in: space.name, after: version, common: keeper.since[hook.id] ?? 0)
                    }
                }
                if spaces.count == Self.pageSize { keeper.look(after: spaces.last?.name) }
            })
    }

    // MARK: Commits

    private func add(_ hook: DocumentHook, in space: SpaceName, after version: Int, common: Int) {
        let key = "\(space)/\(hook.id)"
        guard let name = HookName(hook.id, in: space), center.dispatcher?[name] == nil, !pending.contains(key) else {
            return
        }
        add("put", key, hook.input(in: space, after: version, common: common, since: since[hook.id] ?? 0))
    }

    private func add(_ action: String, _ key: String, _ input: some Record) {
        var writer = JSONWriter()
        input.write(to: &writer)
        pending.insert(key)
        calls.append((key, Call(feature: HookSource.ownFeature, action: action, input: writer.bytes).byEffect))
        performNext()
    }

    private func performNext() {
        guard !isBusy, let next = calls.popFirst() else { return }
        isBusy = true
        store.perform(next.call, in: .common) { [weak self] _ in
            guard let self else { return }
            // What is refused, because there are too many hooks, is tried again with the next commit of its space.
            pending.remove(next.key)
            isBusy = false
            performNext()
        }
    }
}
