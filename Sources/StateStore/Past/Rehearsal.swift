package import JSON
import Reactive

/// The last commits of a space, played under the present features and under others.
///
/// Both sides begin with the same state. The first takes the facts of the commits. The second performs the actions of the
/// features that differ, with the time of the commit, and takes the facts of all others.
package struct Rehearsal {
    /// A difference between the sides.
    package struct Difference: Sendable {
        /// The version of the space.
        package let version: Int
        /// The view that has another value, as `feature.view`; nil for an action.
        package let view: String?
        /// The action that is refused, as `feature/action`; nil for a view.
        package let action: String?
        /// The value, or null for an action.
        package let was: JSON
        /// The value or, for an action, the reason of the refusal.
        package let now: JSON
    }

    private static let pageSize = 200

    private let space: SpaceName
    private let journal: any Journal
    private let features: Set<String>
    /// The features whose actions the reader may learn of.
    private let shownFeatures: Set<String>
    private let registry: Registry
    private let old: RehearsedSpace
    private let new: RehearsedSpace
    private let views: [ViewKey]
    private var version: Int
    private var common: Int

    /// Loads the state of a space before its last commits. `features` are the names of those that differ.
    ///
    /// The differences are those that the reader may see: of views whose rules are true now, as the present features and
    /// the others state them, and of actions of features whose views the reader may read. Views that show private members
    /// are left out.
    package init(
        of space: SpaceName, last commits: Int, under registry: Registry, _ features: Set<String>, for reader: Reader,
        _ context: PastContext
    ) throws(PastRefusal) {
        self.space = space
        self.registry = registry
        journal = context.journal
        let newest = try journal.version(of: space, at: .newest)
        version = max(newest - commits, try journal.oldestVersion(of: space))
        let content = try PastContent(of: space, at: .version(version), journal)
        common = content.moment.common
        let present = context.registry
        old = try RehearsedSpace(space, content, present, journal.digestKey)
        new = try RehearsedSpace(space, content, registry, journal.digestKey)
        let known = Set(present.views.map(\.name))
        let all = registry.views.filter { view in
            features.contains(view.feature) && known.contains(view.name)
                && !view.parameters.contains(where: \.isRequired)
        }.map(\.name).filter { !registry.catalog.showsPrivate($0) && !present.catalog.showsPrivate($0) }
        guard present.hasRules || registry.hasRules else {
            (views, self.features, shownFeatures) = (all, features, features)
            return
        }
        let rights = reader.permissions.rights(in: space)
        let viewer = Viewer(reader.caller, in: space, isAdmin: rights.contains(.admin))
        let now = try PastContent(of: space, at: .newest, journal)
        let both = [
            try RehearsedSpace(space, now, present, journal.digestKey),
            try RehearsedSpace(space, now, registry, journal.digestKey),
        ]
        views = all.filter { view in both.allSatisfy { $0.holds(rulesOf: view, for: viewer) } }
        self.features = features
        shownFeatures = features.filter { name in
            both.allSatisfy { side in side.views(of: name).allSatisfy { side.holds(rulesOf: $0, for: viewer) } }
        }
    }

    /// Plays the commits up to the first version at which the sides differ, and returns the differences there.
    package mutating func run(while goesOn: () -> Bool) throws(PastRefusal) -> [Difference] {
        var differences = differences()
        while differences.isEmpty {
            let commits = try page(of: space, after: version)
            if commits.isEmpty { break }
            for commit in commits where differences.isEmpty {
                guard goesOn() else { throw .busy }
                try catchUp(commit.common)
                differences = try play(commit)
                version = commit.version
                if differences.isEmpty { differences = self.differences() }
            }
        }
        return differences
    }

    private func play(_ commit: CommitRecord) throws(PastRefusal) -> [Difference] {
        try old.take(commit)
        // Of several actions, those of the features that differ. The input of a commit whose row was erased is gone.
        let actions = PerformedAction.all(of: commit.action, commit.input).map { action in
            (action, names: action.name.split(separator: "/").map(String.init))
        }.filter { $0.names.count == 2 && features.contains($0.names[0]) }
        guard !actions.isEmpty, !commit.hasNoInput else {
            try new.take(commit)
            return []
        }
        if commit.action == PerformedAction.several { try new.take(commit, without: features) }
        guard
            let refusal = new.perform(
                commit, actions.map { ($0.0, registry.action(feature: $0.names[0], name: $0.names[1])) }),
            shownFeatures.contains(where: { refusal.action.hasPrefix("\($0)/") })
        else { return [] }
        return [
            Difference(
                version: commit.version, view: nil, action: refusal.action, was: .null, now: .string(refusal.reason))
        ]
    }

    private mutating func catchUp(_ limit: Int) throws(PastRefusal) {
        while space != .common, common < limit {
            let commits = try page(of: .common, after: common).filter { $0.version <= limit }
            guard let last = commits.last else { return }
            for commit in commits {
                try old.take(commit)
                try new.take(commit)
            }
            common = last.version
        }
    }

    private func page(of space: SpaceName, after version: Int) throws(PastRefusal) -> [CommitRecord] {
        let history = try journal.reading { () throws(JournalFailure) in
            try journal.read(space, after: version, limit: Self.pageSize)
        }
        switch history {
        case .gone(let oldest): throw .gone(space, oldest: oldest)
        case .commits(let records): return records
        }
    }

    private func differences() -> [Difference] {
        views.compactMap { view in
            let (was, now) = (old.value(of: view), new.value(of: view))
            return was == now ? nil : Difference(version: version, view: "\(view)", action: nil, was: was, now: now)
        }
    }
}

/// A space with the features of a registry that belongs to no store.
private final class RehearsedSpace {
    private let graph = Graph()
    private let key: DigestKey
    private let registry: Registry
    private let common: FeatureSet
    private let own: FeatureSet
    private let clock = SpaceClock()

    init(_ space: SpaceName, _ content: PastContent, _ registry: Registry, _ key: DigestKey) throws(PastRefusal) {
        self.key = key
        self.registry = registry
        if let time = content.time { clock.set(time) }
        common = FeatureSet(registry.catalog, of: .common, key: key, clock: clock)
        own =
            space == .common
            ? common : FeatureSet(registry.catalog, of: space, beside: common, key: key, clock: clock)
        do throws(JSONError) {
            try common.restore(content.common.facts)
            if let facts = content.own?.facts { try own.restore(facts) }
        } catch {
            throw .unreadable(JournalFailure(.damaged, "the space \(space) cannot be read: \(error)"))
        }
        common.migrateOutdated(in: graph)
        if own !== common { own.migrateOutdated(in: graph) }
    }

    /// Takes the facts of a commit, but for those of the named features.
    func take(_ commit: CommitRecord, without others: Set<String> = []) throws(PastRefusal) {
        let features = commit.space == .common ? common : own
        do throws(JSONError) {
            try graph.commit { transaction throws(JSONError) in
                for fact in commit.facts
                where others.isEmpty || !others.contains(String(fact.variable.prefix { $0 != "." })) {
                    try features.take(fact, in: &transaction)
                }
                clock.move(to: commit.at, in: &transaction)
            }
        } catch {
            throw .unreadable(JournalFailure(.damaged, "version \(commit.version) cannot be read: \(error)"))
        }
    }

    /// Performs actions of a commit again. Returns the first that is refused, with the reason; nil if all were performed.
    func perform(
        _ commit: CommitRecord, _ actions: [(action: PerformedAction, id: ActionID?)]
    ) -> (action: String, reason: String)? {
        if let gone = actions.first(where: { $0.id == nil }) { return (gone.action.name, "there is no such action") }
        // A feature is made outside of a turn.
        for case let id? in actions.map(\.id) { _ = own[id.featureIndex] }
        var name = ""
        do throws(Rejection) {
            var draft = graph.draft()
            clock.move(to: commit.at, in: &draft)
            var open = Commit(
                draft, now: commit.at, version: commit.version, caller: Caller(commit.by),
                random: Randomness(seed: UInt64(truncatingIfNeeded: commit.version)))
            for case (let action, let id?) in actions {
                name = action.name
                try own[id.featureIndex].act(id.actionIndex, action.input, nil, &open)
            }
            graph.publish()
            return nil
        } catch {
            graph.discard()
            return (name, error.description)
        }
    }

    /// The names of the views of a feature that can be read without parameters.
    func views(of feature: String) -> [ViewKey] {
        registry.views.filter { $0.feature == feature && !$0.parameters.contains(where: \.isRequired) }.map(\.name)
    }

    /// Returns true if a view has no rule, or its rules are true for a viewer.
    func holds(rulesOf view: ViewKey, for viewer: Viewer) -> Bool {
        let (features, viewer) = common.viewPlace(view) == nil ? (own, viewer) : (common, viewer.inCommon)
        guard let answer = features.answer(ofRulesOf: view, for: viewer) else { return true }
        var holds = false
        answer.watch(in: graph) { holds = $0 }.cancel()
        return holds
    }

    func value(of name: ViewKey) -> JSON {
        guard let view = common.view(name) ?? own.view(name) else { return .null }
        var value = JSON.null
        view.watch(in: graph, key) { _, tree in value = (try? tree()) ?? .null }.cancel()
        return value
    }
}
