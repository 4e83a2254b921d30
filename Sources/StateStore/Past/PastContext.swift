internal import Ground

/// The thread of the past: the journal that it reads, and the histories that it may go on with. Only for use on that
/// thread.
package final class PastContext {
    /// The maximum number of histories in memory.
    static let historiesLimit = 8
    /// The features of the present.
    package var registry: Registry { library.latest }
    let library: DocumentLibrary
    package let journal: any Journal
    /// The histories that were read last, newest last.
    private var histories: [(key: HistoryKey, history: PastHistory)] = []

    /// Takes features that are to end on this thread.
    private let end: @Sendable (Confined<FeatureSet>) -> Void

    /// The number of histories that were made from a loaded state.
    private(set) var loadCount = 0

    /// The view of a history, and the lives in which it was read.
    private struct HistoryKey: Equatable {
        let space: SpaceName
        let view: ViewKey
        let life: Life
        let commonLife: Life
        let erasures: Int
    }

    init(
        _ library: DocumentLibrary, _ journal: any Journal,
        end: @escaping @Sendable (Confined<FeatureSet>) -> Void = { _ in }
    ) {
        (self.library, self.journal, self.end) = (library, journal, end)
    }

    /// Returns features of this thread for a space.
    func lending(_ features: FeatureSet) -> PastFeatures { PastFeatures(features, end: end) }

    /// Returns true if the rules of now let the reader of a permit read all of its views.
    package func allows(_ permit: ReadPermit) throws(PastRefusal) -> Bool {
        var rules = PastRules(permit, self)
        return try rules.allowNow(in: try PastSpace(for: permit, at: .newest, definesByPresent: true, self))
    }

    /// Returns the documents of a point of `common`, and its version.
    package func documents(at point: PastPoint) throws(PastRefusal) -> (documents: DeployedDocuments, version: Int) {
        let content = try PastContent(of: .common, at: point, journal)
        return (DeployedDocuments(of: content.common.facts), content.common.version)
    }

    /// Returns the next rows of the history of a permit's view after a start. A history that has just reached the start
    /// goes on; no state is loaded for it. Precondition: the permit is for one view.
    ///
    /// With `followsRules` the page ends with the first commit after which a rule, of then or of now, does not allow the
    /// view to its reader: for readers that no store asks.
    package func history(
        of permit: ReadPermit, _ start: HistoryStart, _ limits: HistoryLimits, followsRules: Bool = false
    ) throws(PastRefusal) -> HistoryPage {
        let (space, view) = (permit.space, permit.sources[0])
        let lives = journal.lives
        let key = HistoryKey(
            space: space, view: view, life: lives.earliestLife(of: space), commonLife: lives.earliestLife(of: .common),
            erasures: journal.erasureCount)
        let known = histories.firstIndex {
            $0.key == key && start == .after(.moment($0.history.moment))
        }
        let history: PastHistory
        if let known {
            history = histories.remove(at: known).history
        } else {
            loadCount += 1
            history = try PastHistory(of: view, in: space, start, library, journal)
        }
        let page = try history.next(limits, for: permit, followsRules: followsRules, self)
        if history.isBroken { return page }
        if histories.count == Self.historiesLimit { histories.removeFirst() }
        histories.append((key, history))
        return page
    }
}
