import JSON

/// The facts about a registered feature that hold in every space: the names and places of its variables, actions and
/// views. Reflection finds them once, at registration.
package final class FeatureBlueprint: @unchecked Sendable {
    // Sendable because nothing changes after `init`. The layouts contain closures over metatypes only.

    /// A variable or a table of the state.
    package struct StateVariable {
        /// The name in the feature.
        package let label: String
        /// The name, as `feature.variable`.
        package let name: String
        /// The name in facts. It differs from `name` if an earlier feature of the same name has left state.
        package let key: String
        /// The name alone in an array: the answer to most actions.
        let alone: [String]
        /// The type, which checks facts.
        package let type: any PersistentState.Type
        /// True if an instance notes whether the journal has a fact of it: a table that begins with rows, and a variable of
        /// a described feature.
        let isTracked: Bool
        /// True if it is work for effects while it is not empty.
        let isWork: Bool
        /// False for a table whose rows are in memory only.
        package let isKept: Bool
        /// The presence of clients in the table; nil for none.
        let presence: PresenceOutline?
        /// The private parts of its value.
        package let privateParts: PrivateParts
        /// The places of the private parts in a commit, as `CommitRecord.withheld` has them.
        let withheld: [String]
    }

    package let name: String
    /// The place among the features of its scope.
    let place: FeaturePlace
    /// The names of its parts.
    let names: FeatureNames
    /// True for a feature in Swift whose clients hold a replica, and so know the identifiers that its actions make.
    let hasPredictions: Bool
    /// The features whose state it reads.
    package let given: [FeaturePlace]
    let definition: any FeatureDefinition
    package let variables: [StateVariable]
    let layouts: FeatureLayouts
    /// The indexes of the views by their names in the feature.
    let viewIndexes: [String: Int]
    /// The parameters that each view takes, in the order of the views.
    package let viewForms: [ViewForm]
    /// The claims on which each view depends, in the order of the views; empty if no view depends on the caller.
    let viewAccess: [ViewAccess?]
    /// The claims that the rule of all its views reads, which is also that of features that are given its state; nil
    /// without one.
    let readRule: ClaimSet?
    /// The places of the rules of each view, in the order of the views.
    let viewRules: [[String]]
    /// True if the feature or a part of it has a rule.
    let hasRules: Bool
    /// True if a view of it has a rule.
    package let guardsReads: Bool
    /// True if clients without the right `admin` learn only the heads of its commits.
    let hidesCommits: Bool
    /// True if its actions need the right `define` in place of `act`.
    let defines: Bool
    /// The schemas of the inputs of the actions, by name.
    package let inputs: [String: JSON]
    /// The functions that give inputs the present names of their members, by the name of the action.
    package let inputRenames: [String: @Sendable (JSON) -> JSON]
    /// The places of the private parts of the inputs in a commit, by the name of the action.
    package let withheldInputs: [String: [String]]
    /// True if a part of the state is private. A write to such a variable or table counts as a change.
    let hasPrivateState: Bool
    /// True if a part of the state or of an input is private.
    let hasPrivate: Bool
    /// True if the rows of a table are in memory only.
    package let hasUnkept: Bool
    /// False for the views that derive from such a table, in the order of the views.
    let keptViews: [Bool]
    /// True for the views that read the time, in the order of the views.
    let timedViews: [Bool]
    /// For each view, true if it is computed from the changes of rows.
    let maintainedViews: [Bool]
    /// True for the views whose values show private members, in the order of the views.
    let privateViews: [Bool]
    /// The private places that are null in what each view reads, in the order of the views.
    let hiddenPlaces: [Set<String>]
    /// The rules behind each view, in the order of the views.
    let guards: [ViewGuards]
    /// The identity of the rule of all views; nil without one.
    let readGuard: String?
    /// True if the state defines further views.
    let isOpen: Bool
    /// True if the state can have definitions that remember, or a view remembers.
    package let canRemember: Bool
    /// True if a description has views that remember, or schedules.
    var remembersByDescription: Bool { !memories.isEmpty }
    /// The variables that hold what its description remembers, by name.
    let memories: [String: String]
    /// True if the view model has named operators.
    let hasOperators: Bool
    /// True if a commit of `common` can change its views.
    let dependsOnCommon: Bool
    /// The indexes of the variables that are work for effects.
    let work: [Int]
    /// True if there is work before the first commit.
    let beginsWithWork: Bool
    /// The end of the names of its variables in facts.
    package let keySuffix: String
    /// True if a view depends on the name of its space.
    let readsSpaceName: Bool
    /// The edition of the last document that migrates the state; 0 for none.
    package let level: Int
    /// True if commits of the feature can have facts beyond those of its variables.
    package let addsFacts: Bool
    /// The number of the description that the feature is made from, unique in the process; 0 for a feature in Swift.
    package let edition: Int
    /// True if a document describes it.
    package var isDescribed: Bool { edition > 0 }

    init(
        _ feature: Feature, at place: FeaturePlace, given: [FeaturePlace], _ outline: FeatureOutline,
        edition: Int = 0, keySuffix: String = ""
    ) {
        name = feature.name
        self.place = place
        names = FeatureNames(of: feature, outline, at: place, edition: edition)
        self.given = given
        self.edition = edition
        self.keySuffix = keySuffix
        definition = feature.definition
        defines = feature.defines
        layouts = outline.layouts
        hasPredictions = outline.views.contains(where: \.isReplica) && !outline.layouts.actions.labels.isEmpty
        variables = outline.state.map { part in
            let name = "\(feature.name).\(part.label)"
            return StateVariable(
                label: part.label, name: name, key: name + keySuffix, alone: [name], type: part.type,
                isTracked: part.isTracked, isWork: part.isWork, isKept: part.isKept,
                presence: part.presence, privateParts: PrivateParts(part.privatePlaces),
                withheld: part.privatePlaces.map { JSONPointer(["changed", name] + $0).description })
        }
        let privateInputs = outline.actions.filter { !$0.privatePlaces.isEmpty }.map { action in
            (action.label, action.privatePlaces.map { JSONPointer(["input"] + $0).description })
        }
        withheldInputs = Dictionary(privateInputs, uniquingKeysWith: { first, _ in first })
        hasPrivateState = variables.contains { !$0.withheld.isEmpty }
        hasPrivate = hasPrivateState || !privateInputs.isEmpty
        viewIndexes = Dictionary(
            zip(outline.views.map(\.label), outline.views.indices), uniquingKeysWith: { first, _ in first })
        viewForms = outline.views.map(\.form)
        viewAccess = outline.views.contains { $0.access != nil } ? outline.views.map(\.access) : []
        viewRules = outline.views.map(\.rules)
        let renames = outline.actions.compactMap { action in action.rename.map { (action.label, $0) } }
        inputRenames = Dictionary(renames, uniquingKeysWith: { first, _ in first })
        inputs = Dictionary(outline.actions.map { ($0.label, $0.input) }, uniquingKeysWith: { first, _ in first })
        hasUnkept = outline.state.contains { !$0.isKept }
        keptViews = outline.views.map(\.isKept)
        maintainedViews = outline.views.map(\.isMaintained)
        timedViews = outline.views.map(\.readsTime)
        privateViews = outline.views.map(\.showsPrivate)
        readRule = outline.readRule
        guardsReads = outline.readRule != nil || outline.views.contains { $0.access?.rule != nil }
        hasRules = outline.hasActRule || guardsReads
        hidesCommits = hasRules || feature.hidesCommits
        hiddenPlaces = outline.views.map(\.hiddenPlaces)
        guards = outline.views.map(\.guards)
        readGuard = outline.readGuard
        isOpen = outline.isOpen
        canRemember = outline.canRemember
        memories = Dictionary(
            outline.memories.map { ($0, "~\(feature.name).\($0)\(keySuffix)") }, uniquingKeysWith: { first, _ in first }
        )
        hasOperators = !outline.operators.isEmpty
        dependsOnCommon = given.contains { $0.scope == .common } || feature.definition.derivesFromViews
        work = outline.state.indices.filter { outline.state[$0].isWork }
        beginsWithWork = outline.beginsWithWork
        readsSpaceName = outline.readsSpaceName
        level = outline.level
        addsFacts = outline.canRemember || outline.level > 0
    }

    /// True if the place has no feature now.
    package var isVacant: Bool { definition is VacantDefinition }

    /// True if the feature has effects.
    package var hasEffects: Bool { !work.isEmpty }
}

/// The place of a feature: the index among the features of its scope. A described feature keeps its place as long as the
/// process runs, also while it is not there.
package struct FeaturePlace: Hashable, Sendable {
    package let scope: Scope
    package let index: Int
}

/// The places of the parts of a feature in its state, its service and its view model.
struct FeatureLayouts {
    let state: PropertyLayout<any PersistentState>
    let indexes: PropertyLayout<any StateIndexing>
    let actions: PropertyLayout<ActionClosures>
    let views: PropertyLayout<any StoredView>
    let readRule: PropertyLayout<ReadRule>
    let actRule: PropertyLayout<ActRule>
    /// The type of the service; nil for a feature that stores no parts.
    let service: ObjectIdentifier?
    /// The names of the properties of the service by their offsets.
    let serviceProperties: [Int: String]

    /// Finds the places by reflection.
    init(_ exemplar: FeatureExemplar) {
        state = exemplar.stateLayout
        indexes = exemplar.indexLayout
        actions = PropertyLayout(ofService: exemplar.service)
        views = PropertyLayout(ofViewModel: exemplar.viewModel)
        readRule = PropertyLayout(ofRuleIn: exemplar.viewModel)
        actRule = PropertyLayout(ofRuleIn: exemplar.service)
        service = ObjectIdentifier(type(of: exemplar.service))
        serviceProperties = Self.properties(of: exemplar.service)
    }

    private static func properties(of service: some StateService) -> [Int: String] {
        let properties = StoredProperty.all(of: service) ?? []
        return Dictionary(properties.map { ($0.offset, $0.name) }) { _, last in last }
    }

    /// The places of a feature that stores no parts.
    init() {
        state = PropertyLayout(ofState: ())
        indexes = PropertyLayout(of: ()) { _ in nil }
        actions = PropertyLayout(of: ()) { _ in nil }
        views = PropertyLayout(of: ()) { _ in nil }
        readRule = PropertyLayout(of: ()) { _ in nil }
        actRule = PropertyLayout(of: ()) { _ in nil }
        service = nil
        serviceProperties = [:]
    }
}

extension FeatureBlueprint {
    /// Returns the input of a call that was made for an earlier definition, with the present names of its members.
    package func renamedInput(of call: Call) -> [UInt8]? {
        guard let rename = inputRenames[call.action], let input = call.input, let json = try? JSON(parsing: input)
        else {
            return call.input
        }
        return (try? rename(json).json()) ?? input
    }
}
