import JSON
import Reactive

// The views of the features of a space, by name.

extension FeatureSet {
    /// The index of the feature that a view belongs to; nil if these features do not have it.
    package func index(ofView name: String) -> Int? {
        catalog.feature(ofView: name).flatMap { $0.place.scope == scope ? $0.place.index : nil }
    }

    /// The place of a feature, by its name; nil if there is none.
    func place(ofFeature name: String) -> FeaturePlace? { catalog.feature(ofView: "\(name).")?.place }

    /// Returns the one form of a view's name.
    package func viewName(_ written: String) throws(ParameterFault) -> String { try catalog.viewName(written, key) }

    /// The view of a name, as `feature.view`, or the instance of one, if a view model stores it.
    package func namedView(_ name: String) -> (any View)? {
        if catalog.hasRules, let claimed = ClaimedName(name) { return view(of: claimed) }
        guard let (place, label) = catalog.feature(ofView: name), place.scope == scope else { return nil }
        if !unmigrated.isEmpty, let reason = unmigrated[place.index] {
            return Observable<JSON>.failed(UnmigratedState(description: reason))
        }
        let blueprint = catalog.blueprints(in: scope)[place.index]
        guard blueprint.viewIndexes[label] == nil else { return self[place.index].view(label) }
        guard let index = blueprint.viewIndex(ofInstance: label), let instance = catalog.instance(name, key) else {
            return nil
        }
        return self[place.index].view(index, of: instance, key)
    }

    /// The place and the index of a view of these features, or of the one that an instance is of.
    package func viewPlace(_ name: String) -> (feature: FeaturePlace, index: Int)? {
        catalog.viewPlace(name).flatMap { $0.feature.scope == scope ? $0 : nil }
    }

    /// The instance of a view's name, with all defaults if the name has no parameters.
    func wholeInstance(_ name: String) -> ViewForm.Instance? { catalog.wholeInstance(name, key) }

    /// The index of the open feature that a view's name begins with, and the rest of the name.
    package func openPlace(ofView name: String) -> (index: Int, label: String)? {
        guard let (place, label) = catalog.feature(ofView: name), place.scope == scope,
            catalog.blueprints(in: scope)[place.index].isOpen
        else { return nil }
        return (place.index, label)
    }

    /// True if a view depends on the caller, or a feature has rules.
    var hasRules: Bool { catalog.hasRules }

    /// Returns true if a feature, by its name, has rules.
    func hidesCommits(of feature: String) -> Bool { catalog.hidesCommits(of: feature) }

    /// The view of a name, as `feature.view`, also one that the state defines.
    package func view(_ name: String) -> (any View)? {
        // A caller that needs the reason asks `openView` before.
        namedView(name) ?? (try? openView(name))
    }

    /// The view of a name that the state defines. The error is the reason that there is none.
    package func openView(_ name: String) throws(MissingView) -> (any View)? {
        guard let (index, label) = openPlace(ofView: name) else { return nil }
        return try self[index].openView(label)
    }
}
