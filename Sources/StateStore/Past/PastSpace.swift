import JSON
import Reactive

/// The views of a space as of a moment of its past, made from the facts that the journal keeps.
///
/// It belongs to no store, and one thread uses it.
package final class PastSpace {
    package let space: SpaceName
    /// The versions that the views show.
    package private(set) var moment: Moment
    /// The time of the later commit of the two versions; nil before the first commit.
    package private(set) var time: Timestamp?
    /// The number of times that the features have changed since the beginning.
    private(set) var redefinitions = 0
    let graph = Graph()
    /// The key of the digests of lists.
    private let key: DigestKey
    private let common: FeatureSet
    private let library: DocumentLibrary
    private var documents: DeployedDocuments
    /// The features of the space; nil for `common` itself.
    private let own: FeatureSet?

    /// Loads the state of a point, for some views. With `definesByPresent`, the views are those of the present
    /// documents.
    package convenience init(
        _ space: SpaceName, at point: PastPoint, for views: [String], definesByPresent: Bool = false,
        _ context: PastContext
    ) throws(PastRefusal) {
        let journal = context.journal
        let content = try PastContent(of: space, at: point, journal)
        try self.init(
            space, content, for: views, context.library, journal.digestKey, definesByPresent: definesByPresent)
    }

    /// Makes the features from stored content.
    init(
        _ space: SpaceName, _ content: PastContent, for views: [String], _ library: DocumentLibrary, _ key: DigestKey,
        definesByPresent: Bool = false
    ) throws(PastRefusal) {
        self.library = library
        // The features as they were then.
        let documents = DeployedDocuments(of: content.common.facts)
        self.documents = documents
        let registry =
            definesByPresent ? library.latest : library.deployment(of: documents, isPast: true).registry
        self.space = space
        self.key = key
        moment = content.moment
        time = content.time
        let scheduler = VirtualScheduler()
        common = FeatureSet(registry.catalog, of: .common, key: key, time: { scheduler })
        try Self.restore(content.common, of: .common, in: common, views)
        if let stored = content.own {
            let features = FeatureSet(registry.catalog, of: space, beside: common, key: key, time: { scheduler })
            try Self.restore(stored, of: space, in: features, views)
            own = features
        } else {
            own = nil
        }
        common.migrateOutdated(in: graph)
        own?.migrateOutdated(in: graph)
    }

    private static func restore(
        _ stored: StoredSpace, of space: SpaceName, in features: FeatureSet, _ views: [String]
    ) throws(PastRefusal) {
        var wanted: [Int] = []
        for index in views.compactMap({ features.index(ofView: $0) }) where !wanted.contains(index) {
            wanted.append(index)
        }
        do throws(JSONError) {
            try features.restore(stored.facts, making: wanted)
        } catch {
            throw .unreadable(
                JournalFailure(
                    .damaged, "version \(stored.version) of the space \(space) cannot be read by this program: \(error)"
                ))
        }
    }

    // MARK: Views

    /// Returns the values of views.
    package func frames(_ views: [String]) throws(PastRefusal) -> ViewFrames {
        var frames: ViewFrames = []
        for name in views {
            let found: (any View)?
            do throws(MissingView) {
                found = try view(name)
            } catch {
                throw .noView(name, why: error)
            }
            guard let found else { throw .noView(ClaimedName.view(of: name), why: nil) }
            try check(found, name)
            frames.append((name, Frame(value: value(of: found), since: moment)))
        }
        return frames
    }

    /// Returns the views that were there and have a past, among some.
    package func kept(_ views: [String]) -> [String] {
        views.filter { name in
            guard let view = (try? view(name)) ?? nil else { return false }
            return (try? check(view, name)) != nil
        }
    }

    /// Throws if a view derives from what is in memory only.
    func check(_ view: any View, _ name: String) throws(PastRefusal) {
        guard let own, own.hasUnkept else { return }
        let name = ClaimedName.view(of: name)
        guard own.isKept(name), !UnkeptSources.areBehind(view, in: graph) else { throw .notKept(view: name) }
    }

    private func value(of view: any View) -> Result<ViewValue, ViewFailure> {
        var value = Result<ViewValue, ViewFailure>.success(Frame.null)
        watch(view) { value = $0 }.cancel()
        return value
    }

    /// Delivers the value of a view, and each later one.
    func watch(_ view: any View, _ receive: @escaping (Result<ViewValue, ViewFailure>) -> Void) -> Subscription {
        view.watch(in: graph, key) { value, _ in receive(value) }
    }

    /// Returns a view of the space or of `common`; nil if neither has it. The error is the reason that the state does
    /// not define it.
    func view(_ name: String) throws(MissingView) -> (any View)? {
        if let view = try view(name, in: common) { return view }
        guard let own else { return nil }
        return try view(name, in: own)
    }

    private func view(_ name: String, in features: FeatureSet) throws(MissingView) -> (any View)? {
        if let view = features.namedView(name) { return view }
        return try features.openView(name)
    }

    /// Returns true if a view shows private members, as its definition then or the present one says.
    func showsPrivate(_ view: String) -> Bool {
        (own ?? common).catalog.showsPrivate(view) || library.latest.catalog.showsPrivate(view)
    }

    // MARK: Commits

    /// Applies the next commit of the space or of `common`.
    func apply(_ record: CommitRecord) throws(PastRefusal) {
        let isCommon = record.space == .common
        let features = isCommon ? common : own
        do throws(JSONError) {
            try graph.commit { transaction throws(JSONError) in
                for fact in record.facts { try features?.take(fact, in: &transaction) }
            }
        } catch {
            throw .unreadable(
                JournalFailure(
                    .damaged,
                    "version \(record.version) of the space \(record.space) cannot be read by this program: \(error)"))
        }
        if isCommon, (try? documents.take(record.facts)) == true {
            let catalog = library.deployment(of: documents, isPast: true).registry.catalog
            for features in [common, own].compactMap(\.self) {
                let made = features.adopt(catalog)
                graph.commit { transaction in
                    for feature in made { feature.fill(features.level(of: feature.blueprint), in: &transaction) }
                }
                features.migrateOutdated(in: graph)
            }
            redefinitions += 1
        }
        features?.showMemory(in: graph)
        moment = Moment(
            version: isCommon && own != nil ? moment.version : record.version,
            common: isCommon ? record.version : moment.common)
        time = record.at
    }
}
