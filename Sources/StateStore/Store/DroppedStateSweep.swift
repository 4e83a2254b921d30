internal import Ground
import Reactive

/// The search for dropped state in the spaces that sleep. It goes through the spaces in the order of their names, a page
/// a second, and loads those that have some. Afterwards `common` notes that there is none any more.
///
/// In a cluster each node loads the spaces that it owns. The owner of `common` searches again until it finds none.
final class DroppedStateSweep {
    private static let pageSize = 64
    private static let pause = Duration.seconds(1)
    /// The delay before a page is read again after a failure.
    private static let retryDelay = Duration.seconds(10)
    /// The delay before spaces of other owners are looked at again.
    private static let passDelay = Duration.seconds(30)

    private let writer: any JournalWriter
    private let executor: any Executor
    private let reference: StoreReference
    /// Loads a space, and calls the closure on the executor afterwards.
    private let wake: (SpaceName, @escaping () -> Void) -> Void
    /// The documents whose dropped state is searched; nil if no search is under way.
    private var documents: DeployedDocuments?
    /// The number of the present search. A later one ends it.
    private var search = 0
    private var alarm: Alarm?
    /// True if this process owns all spaces that were found.
    private var ownsAll = true

    init(
        _ writer: any JournalWriter, on executor: any Executor, _ reference: StoreReference,
        wake: @escaping (SpaceName, @escaping () -> Void) -> Void
    ) {
        (self.writer, self.executor, self.reference, self.wake) = (writer, executor, reference, wake)
    }

    /// Begins a search if the documents have dropped state, and another one if a search for others is under way, or if
    /// this process owns more spaces than when it began.
    func start(gained: Bool = false) {
        guard let store = reference.store, store.documents.hasDroppedState, gained || store.documents != documents
        else { return }
        documents = store.documents
        begin(in: Self.pause)
    }

    private func begin(in delay: Duration) {
        search += 1
        ownsAll = true
        look(after: nil, in: delay)
    }

    private func look(after name: SpaceName?, in delay: Duration) {
        alarm?.cancel()
        let scheduler = executor.scheduler
        let next = Alarm(at: scheduler.now + delay) { [weak self] _ in self?.read(after: name) }
        alarm = next
        scheduler.set(next)
    }

    /// The spaces of a page that have dropped state.
    private struct SweptPage: Sendable {
        let last: SpaceName?
        let found: [SpaceName]
    }

    private func read(after name: SpaceName?) {
        guard let documents, reference.store != nil else { return }
        let (owned, search) = (Confined(self), search)
        writer.read(
            for: executor,
            { journal -> Result<SweptPage, JournalFailure> in
                do throws(JournalFailure) {
                    let names = try journal.spaces(after: name, limit: Self.pageSize).map(\.name)
                    let found = zip(names, journal.load(all: names)).filter { _, loaded in
                        guard case .success(let stored?) = loaded else { return false }
                        return stored.facts.contains { !$0.isEmptyState && documents.isDropped($0.variable) }
                    }
                    return .success(SweptPage(last: names.last, found: found.map(\.0)))
                } catch {
                    return .failure(error)
                }
            },
            then: { page in owned.value.take(page, after: name, in: search) })
    }

    private func take(_ page: Result<SweptPage, JournalFailure>, after name: SpaceName?, in search: Int) {
        guard let store = reference.store, let documents, search == self.search else { return }
        guard case .success(let page) = page else { return look(after: name, in: Self.retryDelay) }
        guard let last = page.last else { return finish(documents, store) }
        let found = page.found.filter { store.context.owns($0) }
        if found.count < page.found.count { ownsAll = false }
        var left = found.count
        if left == 0 { return look(after: last, in: Self.pause) }
        for space in found {
            wake(space) { [self] in
                left -= 1
                if left == 0, search == self.search { look(after: last, in: Self.pause) }
            }
        }
    }

    private func finish(_ seen: DeployedDocuments, _ store: Store) {
        guard store.context.owns(.common) else { return documents = nil }
        guard ownsAll else { return begin(in: Self.passDelay) }
        documents = nil
        store.context.performUntilStored(seen.sweptCall, in: .common) { _ in }
    }
}
