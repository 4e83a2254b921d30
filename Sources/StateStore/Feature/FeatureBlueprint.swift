/// The facts about a registered feature that hold in every space: the names and places of its variables, actions and
/// views. Reflection finds them once, at registration.
final class FeatureBlueprint: @unchecked Sendable {
    // Sendable because nothing changes after `init`. The layouts contain closures over metatypes only.

    /// A variable or a table of the state.
    struct StateVariable {
        /// The name, as `feature.variable`.
        let name: String
        /// The name alone in an array: the answer to most actions.
        let alone: [String]
        /// The type, which checks facts.
        let type: any PersistentState.Type
        /// True for a table that begins with rows.
        let beginsWithRows: Bool
        /// True if it is work for effects while it is not empty.
        let isWork: Bool
    }

    let name: String
    /// The feature whose state it reads; nil if it reads none.
    let given: FeaturePlace?
    let definition: any FeatureDefinition
    let variables: [StateVariable]
    let layouts: FeatureLayouts
    /// The indexes of the views by their names in the feature.
    let viewIndexes: [String: Int]
    /// The parameters that each view takes, in the order of the views.
    let viewForms: [ViewForm]
    /// True if the state defines further views.
    let isOpen: Bool
    /// True if the state can have definitions that remember.
    let canRemember: Bool
    /// True if the view model has named operators.
    let hasOperators: Bool
    /// True if a commit of `common` can change its views.
    let dependsOnCommon: Bool
    /// The names of the actions that clients can perform.
    let actions: Set<String>
    /// The indexes of the variables that are work for effects.
    let work: [Int]
    /// True if there is work before the first commit.
    let beginsWithWork: Bool

    init(
        _ feature: Feature, given: FeaturePlace?, _ exemplar: FeatureExemplar, _ layouts: FeatureLayouts,
        viewForms: [ViewForm], work: Set<String>, hasOperators: Bool = false
    ) {
        name = feature.name
        self.given = given
        definition = feature.definition
        self.layouts = layouts
        let stored = FeatureInstance.children(of: exemplar.state, as: (any PersistentState).self)
        variables = stored.map { label, stored in
            let name = "\(feature.name).\(label)"
            return StateVariable(
                name: name, alone: [name], type: type(of: stored), beginsWithRows: stored.hasRows,
                isWork: work.contains(label))
        }
        viewIndexes = Dictionary(
            zip(layouts.views.labels, layouts.views.labels.indices), uniquingKeysWith: { first, _ in first })
        self.viewForms = viewForms
        isOpen = exemplar.viewModel is any OpenViewModel
        canRemember = exemplar.viewModel is any RememberingViewModel
        self.hasOperators = hasOperators
        dependsOnCommon = given?.scope == .common || feature.definition.derivesFromViews
        actions = Set(
            FeatureInstance.children(of: exemplar.service, as: (any AnyAction).self)
                .filter { type(of: $0.1).isForClients }.map(\.0))
        self.work = stored.indices.filter { work.contains(stored[$0].0) }
        beginsWithWork = stored.contains { work.contains($0.0) && !$0.1.isEmptyState }
    }

    /// The index of the view that an instance is of; nil if the name is not that of an instance.
    func viewIndex(ofInstance label: String) -> Int? {
        label.utf8.firstIndex(of: UInt8(ascii: "?")).flatMap { viewIndexes[String(label[..<$0])] }
    }

    /// True if the feature has effects.
    var hasEffects: Bool { !work.isEmpty }
}

/// The place of a feature: the index among the features of its scope.
struct FeaturePlace: Hashable, Sendable {
    let scope: Scope
    let index: Int
}

/// The places of the parts of a feature in its state, its service and its view model.
struct FeatureLayouts {
    let state: PropertyLayout<any PersistentState>
    let actions: PropertyLayout<ActionClosures>
    let views: PropertyLayout<any StoredView>

    /// Finds the places by reflection.
    init(_ exemplar: FeatureExemplar) {
        state = exemplar.stateLayout
        actions = PropertyLayout(ofService: exemplar.service)
        views = PropertyLayout(ofViewModel: exemplar.viewModel)
    }
}
