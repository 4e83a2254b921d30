package import JSON
package import Reactive

/// The views of a space and of `common`, by name: for a feature that learns at run time what it derives from. Its
/// values are of the same commit as those of the views, as if the program had named them.
package final class SpaceViews {
    /// The features of the space, which retain this.
    private unowned let features: FeatureSet
    /// The views of `common`; nil for `common` itself.
    private let common: SpaceViews?
    private let time: () -> any Scheduler
    /// The views by name, while an observable derives from them. A view of a described feature may retain this.
    private var trees: [ViewKey: WeakTree] = [:]
    /// The number of views at which those that are gone are removed.
    private var treesLimit = 64

    private struct WeakTree {
        weak var tree: Observable<JSON>?
    }

    init(of features: FeatureSet, beside common: SpaceViews?, time: @escaping () -> any Scheduler) {
        self.features = features
        self.common = common
        self.time = time
    }

    /// Forgets the views, because features have other definitions.
    func renew() {
        trees = [:]
    }

    /// The memory of the space.
    package var memories: Memories { features.memories }

    /// Returns true if a view, or an instance of one, may change with a commit of `common`.
    package func dependsOnCommon(_ name: String) -> Bool { features.dependsOnCommon(ViewKey(name)) }

    /// The private places that a derivation from views and commits does not see, whatever the form of the views' names.
    package func hiddenPlaces(behind views: Set<String>, _ actions: Set<String>) -> Set<String> {
        features.catalog.hiddenPlaces(behind: Set(views.map { ViewKey($0) }), actions)
    }

    /// The identities of the rules of all that a derivation from views and commits reads, whatever the form of the views'
    /// names.
    package func guards(behind views: Set<String>, _ actions: Set<String>) -> Set<String> {
        features.catalog.guards(behind: Set(views.map { ViewKey($0) }), actions)
    }

    /// Returns true if all views of a derivation exist, and all features whose commits it reads.
    package func hasSources(_ views: Set<String>, _ actions: Set<String>) -> Bool {
        features.catalog.hasSources(Set(views.map { ViewKey($0) }), actions)
    }

    /// Returns true if clients can perform an action in the space, by its name as `feature/action`.
    package func hasAction(_ name: String) -> Bool { features.hasAction(name) }

    /// True if a view depends on the caller, or a feature has rules.
    package var hasRules: Bool { features.hasRules }

    /// Returns true if clients without the right `admin` learn only the heads of the commits of a feature, by its name.
    package func hidesCommits(of feature: String) -> Bool { features.hidesCommits(of: feature) }

    /// The answer of the rules of a view for a viewer, whatever the form of the view's name; nil if it has no rule.
    package func answer(ofRulesOf name: String, for viewer: Viewer) -> Observable<Bool>? {
        if let answer = common?.answer(ofRulesOf: name, for: viewer.inCommon) { return answer }
        guard let name = try? features.viewName(ViewKey(name)) else { return nil }
        return features.answer(ofRulesOf: name, for: viewer)
    }

    /// The answer of the rule of all views of a feature, by its name, for a viewer; nil if it has none.
    package func answer(ofRuleOfFeature name: String, for viewer: Viewer) -> Observable<Bool>? {
        features.catalog.place(ofFeature: name).flatMap { features.answer(ofRuleOf: $0, for: viewer) }
    }

    /// Returns true if an operator can remember values of a view: it derives from nothing that is in memory only, and
    /// changes with commits alone.
    package func isRememberable(_ name: String) -> Bool {
        let name = ViewKey(name)
        return features.isKept(name) && !features.catalog.readsTime(name)
    }

    /// The scheduler of the space's executor.
    package var scheduler: any Scheduler { time() }

    /// The view of a name, as `feature.view`, or an instance of one, in any form of its name; nil if there is none. The
    /// views that an `OpenViewModel` has beyond its stored ones are not found.
    package subscript(name: String) -> Observable<JSON>? { self[ViewKey(name)] }

    private subscript(name: ViewKey) -> Observable<JSON>? {
        if let tree = common?[name] ?? trees[name]?.tree { return tree }
        guard let name = try? features.viewName(name) else { return nil }
        if let tree = trees[name]?.tree { return tree }
        guard let tree = features.namedView(name)?.tree() else { return nil }
        if trees.count >= treesLimit {
            trees = trees.filter { $0.value.tree != nil }
            treesLimit = max(64, 2 * trees.count)
        }
        trees[name] = WeakTree(tree: tree)
        return tree
    }

    /// The fault of the parameters in a name, if they have one.
    package func fault(of name: String) -> ParameterFault? {
        do throws(ParameterFault) {
            _ = try features.viewName(ViewKey(name))
            return nil
        } catch {
            return error
        }
    }
}
