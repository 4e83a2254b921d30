internal import Ground
import Reactive

/// A search for old state in the spaces that sleep: state that was dropped, or that documents migrate. A walk goes through
/// the spaces in the order of their names, a page a second, and loads those that have some; a space that is loaded
/// removes or migrates it.
///
/// The search ends with a walk that has read every space and left none with old state. After any other walk, the search
/// walks again, with delays that double. In a cluster each node loads the spaces that it owns.
final class SleepingSpacesSweep {
    private static let pageSize = 64
    private static let pause = Duration.seconds(1)
    /// The delay before a page is listed again after a failure, and before the second walk.
    private static let retryDelay = Duration.seconds(10)
    /// The longest delay between two walks.
    private static let longestDelay = Duration.seconds(3_600)

    /// The old state that a search is for.
    struct Goal {
        /// The documents from which it follows. Other documents begin another search.
        let documents: DeployedDocuments
        /// Returns true if a space has old state.
        let finds: @Sendable (SpaceName, [Fact]) -> Bool
    }

    private let writer: any JournalWriter
    private let executor: any Executor
    private let reference: StoreReference
    /// The present goal; nil if no space can have old state.
    private let goal: (Store) -> Goal?
    /// Notes the end of a search. Returns false if another node notes it, so that this one walks again.
    private let end: (DeployedDocuments, Store) -> Bool
    /// Loads a space, and calls the closure on the executor afterwards.
    private let wake: (SpaceName, @escaping () -> Void) -> Void
    /// The documents of the last search.
    private var documents: DeployedDocuments?
    /// The goal of the search that is under way; nil for none.
    private var present: Goal?
    /// The number of the present walk. A later one ends it.
    private var walk = 0
    private var alarm: Alarm?
    /// True if the walk has read every space so far, and left none with old state.
    private var isWhole = true
    /// The delay before the next walk.
    private var delay = SleepingSpacesSweep.retryDelay

    private init(
        _ writer: any JournalWriter, on executor: any Executor, _ reference: StoreReference,
        wake: @escaping (SpaceName, @escaping () -> Void) -> Void, goal: @escaping (Store) -> Goal?,
        end: @escaping (DeployedDocuments, Store) -> Bool
    ) {
        (self.writer, self.executor, self.reference, self.wake) = (writer, executor, reference, wake)
        (self.goal, self.end) = (goal, end)
    }

    /// The search for dropped state. At its end `common` notes that there is none any more; its owner does so.
    static func ofDroppedState(
        _ writer: any JournalWriter, on executor: any Executor, _ reference: StoreReference,
        wake: @escaping (SpaceName, @escaping () -> Void) -> Void
    ) -> SleepingSpacesSweep {
        SleepingSpacesSweep(writer, on: executor, reference, wake: wake) { store in
            let documents = store.documents
            guard documents.hasDroppedState else { return nil }
            return Goal(documents: documents) { _, facts in
                facts.contains { !$0.isEmptyState && documents.isDropped($0.variable) }
            }
        } end: { documents, store in
            guard store.context.owns(.common) else { return false }
            store.context.performUntilStored(documents.sweptCall, in: .common) { _ in }
            return true
        }
    }

    /// The search for state that documents migrate. A space whose state cannot be migrated is not loaded again.
    static func ofOldForms(
        _ writer: any JournalWriter, on executor: any Executor, _ reference: StoreReference,
        wake: @escaping (SpaceName, @escaping () -> Void) -> Void
    ) -> SleepingSpacesSweep {
        SleepingSpacesSweep(writer, on: executor, reference, wake: wake) { store in
            let (documents, registry, library) = (store.documents, store.registry, store.library)
            let names = registry.migratingFeatures
            guard !names.isEmpty else { return nil }
            return Goal(documents: documents) { space, facts in
                names.contains { name in
                    registry.isOutdated(name, facts, in: space) == true
                        && library?.hasProblem(of: name, in: space) != true
                }
            }
        } end: { _, _ in
            true
        }
    }

    /// Begins a search if spaces may have old state, in place of one for other documents, or of one that began when this
    /// process owned fewer spaces.
    func start(gained: Bool = false) {
        guard let store = reference.store, let goal = goal(store), gained || goal.documents != documents else { return }
        documents = goal.documents
        present = goal
        delay = Self.retryDelay
        begin(in: Self.pause)
    }

    private func begin(in delay: Duration) {
        walk += 1
        isWhole = true
        look(after: nil, in: delay)
    }

    private func look(after name: SpaceName?, in delay: Duration) {
        alarm?.cancel()
        let scheduler = executor.scheduler
        let next = Alarm(at: scheduler.now + delay) { [weak self] _ in self?.read(after: name, wakes: true) }
        alarm = next
        scheduler.set(next)
    }

    /// A page of spaces.
    private struct SweptPage: Sendable {
        let last: SpaceName?
        /// The spaces that have old state.
        let found: [SpaceName]
        /// True if all of its spaces could be read.
        let isRead: Bool
    }

    /// Reads a page, and loads its spaces that have old state; without `wakes`, looks whether the loads have ended it.
    private func read(after name: SpaceName?, wakes: Bool) {
        guard let present, let store = reference.store else { return }
        // Another process may have ended the search.
        guard goal(store) != nil else { return self.present = nil }
        let (owned, walk, finds) = (Confined(self), walk, present.finds)
        writer.read(
            for: executor,
            { journal -> Result<SweptPage, JournalFailure> in
                do throws(JournalFailure) {
                    return .success(try Self.page(after: name, in: journal, finds))
                } catch {
                    return .failure(error)
                }
            },
            then: { page in owned.value.take(page, after: name, wakes: wakes, in: walk) })
    }

    private static func page(
        after name: SpaceName?, in journal: any Journal, _ finds: (SpaceName, [Fact]) -> Bool
    ) throws(JournalFailure) -> SweptPage {
        let names = try journal.spaces(after: name, limit: pageSize).map(\.name)
        var (found, isRead) = ([SpaceName](), true)
        for (space, loaded) in zip(names, journal.load(all: names)) {
            switch loaded {
            case .failure: isRead = false
            case .success(let stored):
                if finds(space, stored?.facts ?? []) { found.append(space) }
            }
        }
        return SweptPage(last: names.last, found: found, isRead: isRead)
    }

    private func take(
        _ page: Result<SweptPage, JournalFailure>, after name: SpaceName?, wakes: Bool, in walk: Int
    ) {
        guard let store = reference.store, let present, walk == self.walk else { return }
        guard case .success(let page) = page else { return look(after: name, in: Self.retryDelay) }
        guard let last = page.last else { return finish(present.documents, store) }
        if !page.isRead { isWhole = false }
        let own = wakes ? page.found.filter { store.context.owns($0) } : []
        guard !own.isEmpty else {
            if !page.found.isEmpty { isWhole = false }
            return look(after: last, in: Self.pause)
        }
        var left = own.count
        for space in own {
            wake(space) { [self] in
                left -= 1
                if left == 0, walk == self.walk { read(after: name, wakes: false) }
            }
        }
    }

    private func finish(_ seen: DeployedDocuments, _ store: Store) {
        guard isWhole, end(seen, store) else {
            begin(in: delay)
            return delay = min(delay * 2, Self.longestDelay)
        }
        present = nil
    }
}
