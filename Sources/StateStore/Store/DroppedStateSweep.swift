internal import Ground
import Reactive

/// The search for dropped state in the spaces that sleep. A walk goes through the spaces in the order of their names, a
/// page a second, and loads those that have some.
///
/// After a walk that has read every space and left none with dropped state, `common` notes that there is none any more.
/// After any other walk, the search walks again, with delays that double. In a cluster each node loads the spaces that it
/// owns, and the owner of `common` notes the end.
final class DroppedStateSweep {
    private static let pageSize = 64
    private static let pause = Duration.seconds(1)
    /// The delay before a page is listed again after a failure, and before the second walk.
    private static let retryDelay = Duration.seconds(10)
    /// The longest delay between two walks.
    private static let longestDelay = Duration.seconds(3_600)

    private let writer: any JournalWriter
    private let executor: any Executor
    private let reference: StoreReference
    /// Loads a space, and calls the closure on the executor afterwards.
    private let wake: (SpaceName, @escaping () -> Void) -> Void
    /// The documents whose dropped state is searched; nil if no search is under way.
    private var documents: DeployedDocuments?
    /// The number of the present walk. A later one ends it.
    private var walk = 0
    private var alarm: Alarm?
    /// True if the walk has read every space so far, and left none with dropped state.
    private var isWhole = true
    /// The delay before the next walk.
    private var delay = DroppedStateSweep.retryDelay

    init(
        _ writer: any JournalWriter, on executor: any Executor, _ reference: StoreReference,
        wake: @escaping (SpaceName, @escaping () -> Void) -> Void
    ) {
        (self.writer, self.executor, self.reference, self.wake) = (writer, executor, reference, wake)
    }

    /// Begins a search if the documents have dropped state, in place of one for other documents, or of one that began when
    /// this process owned fewer spaces.
    func start(gained: Bool = false) {
        guard let store = reference.store, store.documents.hasDroppedState, gained || store.documents != documents
        else { return }
        documents = store.documents
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
        /// The spaces that have dropped state.
        let found: [SpaceName]
        /// True if all of its spaces could be read.
        let isRead: Bool
    }

    /// Reads a page, and loads its spaces that have dropped state; without `wakes`, looks whether the loads have removed
    /// it.
    private func read(after name: SpaceName?, wakes: Bool) {
        guard let documents, let store = reference.store else { return }
        // Another process may have ended the search.
        guard store.documents.hasDroppedState else { return self.documents = nil }
        let (owned, walk) = (Confined(self), walk)
        writer.read(
            for: executor,
            { journal -> Result<SweptPage, JournalFailure> in
                do throws(JournalFailure) {
                    return .success(try Self.page(after: name, in: journal, documents))
                } catch {
                    return .failure(error)
                }
            },
            then: { page in owned.value.take(page, after: name, wakes: wakes, in: walk) })
    }

    private static func page(
        after name: SpaceName?, in journal: any Journal, _ documents: DeployedDocuments
    ) throws(JournalFailure) -> SweptPage {
        let names = try journal.spaces(after: name, limit: pageSize).map(\.name)
        var (found, isRead) = ([SpaceName](), true)
        for (space, loaded) in zip(names, journal.load(all: names)) {
            switch loaded {
            case .failure: isRead = false
            case .success(let stored):
                let facts = stored?.facts ?? []
                if facts.contains(where: { !$0.isEmptyState && documents.isDropped($0.variable) }) {
                    found.append(space)
                }
            }
        }
        return SweptPage(last: names.last, found: found, isRead: isRead)
    }

    private func take(
        _ page: Result<SweptPage, JournalFailure>, after name: SpaceName?, wakes: Bool, in walk: Int
    ) {
        guard let store = reference.store, let documents, walk == self.walk else { return }
        guard case .success(let page) = page else { return look(after: name, in: Self.retryDelay) }
        guard let last = page.last else { return finish(documents, store) }
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
        guard isWhole, store.context.owns(.common) else {
            begin(in: delay)
            return delay = min(delay * 2, Self.longestDelay)
        }
        documents = nil
        store.context.performUntilStored(seen.sweptCall, in: .common) { _ in }
    }
}
