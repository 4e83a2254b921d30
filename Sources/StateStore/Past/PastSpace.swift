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
    /// The time of the last commit, as views read it.
    private let clock = SpaceClock()
    /// The key of the digests of lists.
    private let key: DigestKey
    private let common: FeatureSet
    private let library: DocumentLibrary
    /// True if the features are those of the present documents.
    private let definesByPresent: Bool
    private var documents: DeployedDocuments
    /// The same version with the documents that were recorded with it, if later ones show it that never showed it then.
    /// Its rules and its private parts hold too.
    let recorded: PastSpace?
    /// The features of the space; nil for `common` itself.
    private let own: FeatureSet?
    /// The known answers of `isRedefined`, with the features of now and the number of redefinitions that they belong to.
    private var redefined: (present: Registry?, redefinitions: Int, places: [FeaturePlace: Bool]) = (nil, 0, [:])

    /// Loads the state of a point, for the views of a permit. With `definesByPresent`, the views are those of the present
    /// documents.
    package convenience init(
        for permit: ReadPermit, at point: PastPoint, definesByPresent: Bool = false, _ context: PastContext
    ) throws(PastRefusal) {
        try self.init(
            permit.space, at: point, making: permit.sources, definesByPresent: definesByPresent, context)
    }

    /// Loads the state of a point, and makes the features of some views.
    convenience init(
        _ space: SpaceName, at point: PastPoint, making views: [ViewKey], definesByPresent: Bool = false,
        _ context: PastContext
    ) throws(PastRefusal) {
        let journal = context.journal
        let content = try PastContent(of: space, at: point, journal)
        var recorded: PastSpace?
        if point != .newest, context.library.hasDocuments {
            let common =
                definesByPresent ? try journal.version(of: .common, at: .newest) : content.moment.common
            if let earlier = try content.recorded(before: common, in: space, journal) {
                recorded = try PastSpace(space, earlier, for: views, context.library, journal.digestKey)
            }
        }
        try self.init(
            space, content, for: views, context.library, journal.digestKey, definesByPresent: definesByPresent,
            recorded: recorded)
    }

    /// Makes the features from stored content.
    init(
        _ space: SpaceName, _ content: PastContent, for views: [ViewKey], _ library: DocumentLibrary, _ key: DigestKey,
        definesByPresent: Bool = false, recorded: PastSpace? = nil
    ) throws(PastRefusal) {
        self.library = library
        self.recorded = recorded
        self.definesByPresent = definesByPresent
        // The features as they were then.
        let documents = DeployedDocuments(of: content.common.facts)
        self.documents = documents
        let registry =
            definesByPresent
            ? library.latest(hiding: recorded?.documents)
            : library.deployment(of: documents, isPast: true, hiding: recorded?.documents).registry
        self.space = space
        self.key = key
        moment = content.moment
        time = content.time
        let scheduler = VirtualScheduler()
        if let time { clock.set(time) }
        common = FeatureSet(registry.catalog, of: .common, key: key, time: { scheduler }, clock: clock)
        try Self.restore(content.common, of: .common, in: common, views)
        if let stored = content.own {
            let features = FeatureSet(
                registry.catalog, of: space, beside: common, key: key, time: { scheduler }, clock: clock)
            try Self.restore(stored, of: space, in: features, views)
            own = features
        } else {
            own = nil
        }
        common.migrateOutdated(in: graph)
        own?.migrateOutdated(in: graph)
    }

    private static func restore(
        _ stored: StoredSpace, of space: SpaceName, in features: FeatureSet, _ views: [ViewKey]
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

    /// Returns the values of the views of a permit, under the names that clients know. With `leavingOut`, views that were not there, have no past or may not be read are left out; else the first
    /// of them is the refusal.
    package func frames(
        of permit: ReadPermit, leavingOut: Bool = false, _ context: PastContext
    ) throws(PastRefusal) -> ViewFrames {
        let forbidden = Set(try forbidden(permit, context))
        var frames: ViewFrames = []
        for (index, source) in permit.sources.enumerated() {
            if forbidden.contains(index) {
                if leavingOut { continue }
                throw .forbidden(view: "\(permit.names[index])")
            }
            do throws(PastRefusal) {
                frames.append((source, try frame(source)))
            } catch {
                switch error {
                case .noView where leavingOut, .notKept where leavingOut: continue
                default: throw error
                }
            }
        }
        return permit.shown(frames)
    }

    /// The value of a view of a permit.
    package struct PastValue {
        /// The name of the view, as clients know it.
        package let view: ViewKey
        /// The value; nil for a view that was not there, and for one that the reader may not read.
        package let frame: Frame?
        /// True if the rules of then do not let the reader read it.
        package let isForbidden: Bool
    }

    /// Returns the value of each view of a permit, in the order of its names. Without `leavingOut` the first view that the
    /// reader may not read is the refusal.
    package func values(
        of permit: ReadPermit, leavingOut: Bool, _ context: PastContext
    ) throws(PastRefusal) -> [PastValue] {
        let forbidden = try forbidden(permit, context)
        if !leavingOut, let first = forbidden.first { throw .forbidden(view: "\(permit.names[first])") }
        var values: [PastValue] = []
        for (index, name) in permit.names.enumerated() {
            if forbidden.contains(index) {
                values.append(PastValue(view: name, frame: nil, isForbidden: true))
                continue
            }
            do throws(PastRefusal) {
                values.append(PastValue(view: name, frame: try frame(permit.sources[index]), isForbidden: false))
            } catch {
                guard case .noView = error else { throw error }
                values.append(PastValue(view: name, frame: nil, isForbidden: false))
            }
        }
        return values
    }

    private func forbidden(_ permit: ReadPermit, _ context: PastContext) throws(PastRefusal) -> [Int] {
        var rules = PastRules(permit, context)
        return try rules.forbidden(in: self)
    }

    private func frame(_ name: ViewKey) throws(PastRefusal) -> Frame {
        let found: (any View)?
        do throws(MissingView) {
            found = try view(name)
        } catch {
            throw .noView("\(name)", why: error)
        }
        guard let found else { throw .noView("\(name.known)", why: nil) }
        try check(found, name)
        return Frame(value: isWithheld(name) ? .success(Frame.null) : value(of: found), since: moment)
    }

    /// Throws if a view derives from what is in memory only.
    func check(_ view: any View, _ name: ViewKey) throws(PastRefusal) {
        guard let own, own.hasUnkept else { return }
        guard own.isKept(name), !UnkeptSources.areBehind(view, in: graph) else {
            throw .notKept(view: "\(name.known)")
        }
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
    func view(_ name: ViewKey) throws(MissingView) -> (any View)? {
        if let view = try view(name, in: common) { return view }
        guard let own else { return nil }
        return try view(name, in: own)
    }

    private func view(_ name: ViewKey, in features: FeatureSet) throws(MissingView) -> (any View)? {
        if let view = features.namedView(name) { return view }
        return try features.openView(name)
    }

    /// Returns true if a view, or a source of it, shows private members, as its definition then or the present one says.
    package func showsPrivate(_ view: ViewKey) -> Bool {
        let (past, present) = ((own ?? common).catalog, library.latest.catalog)
        return sources(of: view).contains { past.showsPrivate($0) || present.showsPrivate($0) }
    }

    /// Returns true if a view names members that became private later, and does not name them any more.
    func isWithheld(_ view: ViewKey) -> Bool {
        guard !definesByPresent || recorded != nil else { return false }
        let (past, present) = ((own ?? common).catalog, library.latest.catalog)
        let then = recorded.map { ($0.own ?? $0.common).catalog } ?? past
        // A member that was private with the version of the space is not shown by a later view that names it.
        return sources(of: view).contains {
            past.showsPrivate($0) && (!present.showsPrivate($0) || !then.showsPrivate($0))
        }
    }

    /// The views that a view derives from as the state defines it; the view itself if the state does not.
    private func sources(of view: ViewKey) -> [ViewKey] {
        derivation(of: view)?.views.map { ViewKey($0) } ?? [view]
    }

    // MARK: Rules

    /// Returns the sources of a view that the state defines; nil for another view.
    func derivation(of view: ViewKey) -> ViewDerivation? {
        for features in [common, own].compactMap(\.self) {
            if let index = features.openIndex(ofView: view) { return features[index].openDerivation(view.openLabel) }
        }
        return nil
    }

    /// Returns true if the document of a view's feature, or of one that it is given, has been replaced or removed since.
    func isRedefined(_ view: ViewKey) -> Bool {
        guard !definesByPresent else { return false }
        let catalog = (own ?? common).catalog
        guard let place = catalog.place(ofFeature: view.feature) else { return true }
        // Documents can be large, and the answer changes with the documents of now or of then alone.
        let latest = library.latest
        if redefined.present !== latest || redefined.redefinitions != redefinitions {
            redefined = (latest, redefinitions, [:])
        }
        if let known = redefined.places[place] { return known }
        let present = library.latestDocuments
        var (waiting, seen) = ([place], Set([place]))
        var isRedefined = false
        while let place = waiting.popLast() {
            let blueprint = catalog.blueprints(in: place.scope)[place.index]
            if documents.documents[blueprint.name] != present[blueprint.name] { isRedefined = true }
            for next in blueprint.given where seen.insert(next).inserted { waiting.append(next) }
        }
        redefined.places[place] = isRedefined
        return isRedefined
    }

    /// True if a view depended on the caller, or a feature had rules.
    var hasRules: Bool { (own ?? common).catalog.hasRules || recorded?.hasRules ?? false }

    /// The features behind a view whose documents are not those of an earlier state: its own, and those that it is given.
    private func changed(behind view: ViewKey, since earlier: PastSpace) -> [String] {
        let catalog = (own ?? common).catalog
        let present = definesByPresent ? library.latestDocuments : documents.documents
        guard let place = catalog.place(ofFeature: view.feature) else { return [] }
        var (waiting, seen, names) = ([place], Set([place]), [String]())
        while let place = waiting.popLast() {
            let blueprint = catalog.blueprints(in: place.scope)[place.index]
            if earlier.documents.documents[blueprint.name] != present[blueprint.name] { names.append(blueprint.name) }
            for next in blueprint.given where seen.insert(next).inserted { waiting.append(next) }
        }
        return names
    }

    /// Returns true if the rules that were recorded with the version let a viewer see it through a later view. A later view
    /// can show all that any view of its feature hid, so all rules of a feature whose document has changed hold.
    func holdsRecorded(rulesOf view: ViewKey, for viewer: Viewer) -> Bool {
        guard let recorded, recorded.hasRules else { return true }
        return changed(behind: view, since: recorded).allSatisfy { recorded.holds(allRulesOf: $0, for: viewer) }
    }

    /// Returns true if all rules of the views of a feature are true for a viewer. That of a view which needs parameters is
    /// not.
    private func holds(allRulesOf feature: String, for viewer: Viewer) -> Bool {
        let catalog = (own ?? common).catalog
        guard let place = catalog.place(ofFeature: feature) else { return true }
        let blueprint = catalog.blueprints(in: place.scope)[place.index]
        guard blueprint.guardsReads else { return true }
        return blueprint.viewForms.allSatisfy { form in
            guard catalog.access(ofView: form.name)?.rule != nil else { return true }
            return !form.needsParameters && holds(rulesOf: form.name, for: viewer)
        }
    }

    /// Returns true if the commits of a feature were hidden from clients without the right `admin`.
    func hidesCommits(of feature: String) -> Bool { (own ?? common).catalog.hidesCommits(of: feature) }

    /// Returns true if a view has no rule, or its rules are true for a viewer.
    func holds(rulesOf view: ViewKey, for viewer: Viewer) -> Bool {
        let name = canonical(view)
        let (features, viewer) =
            common.viewPlace(name) != nil || own == nil ? (common, viewer.inCommon) : (own ?? common, viewer)
        guard let answer = features.answer(ofRulesOf: name, for: viewer) else { return true }
        var holds = false
        answer.watch(in: graph) { holds = $0 }.cancel()
        return holds
    }

    /// Returns the one form of a view's name.
    private func canonical(_ view: ViewKey) -> ViewKey { (try? (own ?? common).viewName(view)) ?? view }

    // MARK: Commits

    /// Applies the next commit of the space or of `common`.
    func apply(_ record: CommitRecord) throws(PastRefusal) {
        let isCommon = record.space == .common
        let features = isCommon ? common : own
        do throws(JSONError) {
            try graph.commit { transaction throws(JSONError) in
                for fact in record.facts { try features?.take(fact, in: &transaction) }
                clock.move(to: record.at, in: &transaction)
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
