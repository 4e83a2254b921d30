public import JSON
import Reactive

/// All features, checked: their actions, views and variables, and the schemas of these.
public struct Registry: Sendable {
    /// An action as it can be called.
    public struct ActionDescription: Sendable {
        /// The feature.
        public let feature: String
        /// The action.
        public let name: String
        /// The spaces that the action can be sent to.
        public let scope: Scope
        /// The schema of the input.
        public let input: JSON
        /// The schema of the value that the action answers; nil if it answers none.
        public let output: JSON?
    }

    /// A view as it can be read.
    public struct ViewDescription: Sendable {
        /// The feature.
        public let feature: String
        /// The spaces that have the feature.
        public let scope: Scope
        /// Its name, as `feature.view`.
        public let name: String
        /// The schema of its values.
        public let value: JSON
        /// The parameters, in the order of their declaration; empty for a view without.
        public let parameters: [ViewParameter]
        /// True if its values are lists, of which a request can ask for a window.
        public let isList: Bool
    }

    /// A piece of state as it is kept.
    public struct VariableDescription: Sendable {
        /// Its name, as `feature.variable`.
        public let name: String
        /// The schema of its values.
        public let value: JSON
        /// True if it changes by entry.
        public let changesByEntry: Bool
        /// True if code that was compiled for its type encodes its changes: the file that makes it imports StateStore.
        package let isWrittenByType: Bool
        /// The spaces that have its feature.
        public let scope: Scope
    }

    /// The blueprints of the features.
    private(set) var catalog = FeatureCatalog([])
    /// The scopes of the views that can be read by their own names,
    private var viewScopes: [String: Scope] = [:]
    /// and of all that the program names.
    private var allViewScopes: [String: Scope] = [:]
    /// The features that have views beyond those they name.
    private var openScopes: [String: Scope] = [:]
    /// The actions, by feature and name.
    private var actionIDs: [String: [String: ActionID]] = [:]
    /// The deletion handlers of `common`.
    private(set) var deletionHandlers: [ActionID] = []
    /// The actions that clients are offered, in the order of registration.
    public private(set) var actions: [ActionDescription] = []
    /// The views, in the order of registration.
    public private(set) var views: [ViewDescription] = []
    /// The pieces of state, in the order of registration.
    public private(set) var variables: [VariableDescription] = []

    /// Registers features, each after those whose state it reads. Faults are found here, before anything runs.
    ///
    /// Reflection happens here and nowhere else: it finds the parts of each feature in an exemplar, and the blueprint
    /// keeps their places.
    public init(_ features: [Feature]) throws(RegistrationFault) {
        var registered = RegisteredFeatures()
        var operators = RegisteredOperators()
        // No feature sees the views of others while it is registered.
        let none = FeatureSet(catalog)
        for feature in features {
            guard Self.isName(feature.name) else {
                throw RegistrationFault("a feature cannot be called \"\(feature.name)\": \(Self.naming)")
            }
            guard !registered.contains(feature.name) else {
                throw RegistrationFault("two features are called \(feature.name)")
            }
            let given = try registered.given(to: feature)
            let named = NamedOperators(of: feature.name, dependsOnCommon: true)
            let exemplar = NamedOperators.collect(into: named) {
                feature.definition.exemplar(of: feature.name, given: given?.instance, none.views)
            }
            let layouts = FeatureLayouts(exemplar)
            try Self.check(layouts, of: feature, exemplar)
            try operators.add(named, exemplar, of: feature)
            let blueprint = FeatureBlueprint(
                feature, given: given?.place, exemplar, layouts, viewForms: try Self.forms(of: exemplar, in: feature),
                work: try Self.work(of: exemplar, in: feature), hasOperators: !named.operators.isEmpty)
            try add(blueprint, feature, exemplar, at: registered.nextPlace(in: feature.scope))
            registered.add(
                feature, blueprint,
                feature.definition.instance(of: blueprint, given: given?.instance, none.views))
        }
        catalog = FeatureCatalog(registered.blueprints)
        try operators.checkSources { action, scope in
            guard let id = id(feature: action.feature, name: action.action, isByEffect: true), id.scope == scope else {
                return nil
            }
            return actions.first { $0.feature == id.feature && $0.name == id.action }?.input ?? .null
        }
    }

    /// Checks that a feature stores only what it may, under names that it may use.
    private static func check(
        _ layouts: FeatureLayouts, of feature: Feature, _ exemplar: FeatureExemplar
    ) throws(RegistrationFault) {
        let name = feature.name
        if let stranger = layouts.state.strangers.first {
            throw RegistrationFault(
                "\(name)'s state stores \(stranger), which is no Variable or Table of values that are JSON and described; nothing else is kept"
            )
        }
        // An open view model also stores what it finds its other views by.
        if !(exemplar.viewModel is any OpenViewModel), let stranger = layouts.views.strangers.first {
            throw RegistrationFault(
                "\(name)'s view model stores \(stranger), which is no Observable of values that are JSON and described")
        }
        for label in layouts.state.labels + layouts.actions.labels + layouts.views.labels where !isName(label) {
            throw RegistrationFault(
                "\(name) cannot have a variable, an action or a view called \"\(label)\": \(naming)")
        }
    }

    private mutating func add(
        _ blueprint: FeatureBlueprint, _ feature: Feature, _ exemplar: FeatureExemplar, at place: FeaturePlace
    ) throws(RegistrationFault) {
        let (name, scope) = (feature.name, feature.scope)
        for (variable, stored) in zip(
            blueprint.variables, FeatureInstance.children(of: exemplar.state, as: (any PersistentState).self))
        {
            variables.append(
                VariableDescription(
                    name: variable.name, value: variable.type.valueSchema, changesByEntry: variable.type.changesByEntry,
                    isWrittenByType: stored.1.isWrittenByType, scope: scope))
        }
        for (index, (label, action)) in FeatureInstance.children(of: exemplar.service, as: (any AnyAction).self)
            .enumerated()
        {
            let type = type(of: action)
            if type.isForClients {
                actions.append(
                    ActionDescription(
                        feature: name, name: label, scope: scope, input: type.inputSchema, output: type.outputSchema))
            }
            let id = ActionID(
                feature: name, action: label, scope: scope, featureIndex: place.index, actionIndex: index,
                isForClients: type.isForClients)
            actionIDs[name, default: [:]][label] = id
            guard action is SpaceDeletionHandler else { continue }
            guard scope == .common else {
                throw RegistrationFault(
                    "\(name)'s \(label) is a SpaceDeletionHandler, which is for features in common: what is in a space goes with it"
                )
            }
            deletionHandlers.append(id)
        }
        if blueprint.isOpen { openScopes[name] = scope }
        let stored = FeatureInstance.children(of: exemplar.viewModel, as: (any StoredView).self)
        for ((_, view), form) in zip(stored, blueprint.viewForms) {
            if !form.needsParameters { viewScopes[form.name] = scope }
            allViewScopes[form.name] = scope
            views.append(
                ViewDescription(
                    feature: name, scope: scope, name: form.name, value: type(of: view).valueSchema,
                    parameters: form.parameters, isList: form.isList))
        }
    }

    /// The forms of the views of a feature.
    private static func forms(
        of exemplar: FeatureExemplar, in feature: Feature
    ) throws(RegistrationFault) -> [ViewForm] {
        try FeatureInstance.children(of: exemplar.viewModel, as: (any StoredView).self).map {
            label, view throws(RegistrationFault) in
            try ViewForm.make("\(feature.name).\(label)", type(of: view))
        }
    }

    /// The names of the variables that are work for the effects of a feature.
    private static func work(
        of exemplar: FeatureExemplar, in feature: Feature
    ) throws(RegistrationFault) -> Set<String> {
        guard let effects = exemplar.effects else { return [] }
        let all = FeatureInstance.children(of: effects, as: Effect.self)
        guard !all.isEmpty else {
            throw RegistrationFault("\(feature.name) has effects that store no Effect, so that nothing would be done")
        }
        let stored = FeatureInstance.children(of: exemplar.state, as: (any PersistentState).self)
        var names: Set<String> = []
        for (label, effect) in all {
            guard let (name, _) = stored.first(where: { $0.1 === effect.work }) else {
                throw RegistrationFault(
                    "\(feature.name)'s effect \(label) works for something that its own state does not store")
            }
            names.insert(name)
        }
        return names
    }

    /// Returns true if a view can be read in a space: a view of `common` in every space, any other in every space but
    /// `common`. An instance of a view can be read where the view can. A view with required parameters can be read as an
    /// instance only.
    public func hasView(_ view: String, in space: SpaceName) -> Bool {
        guard let scope = viewScopes[view] ?? instanceScope(of: view) ?? openScope(of: view) else { return false }
        return scope == .common || space != .common
    }

    private func instanceScope(of view: String) -> Scope? {
        view.utf8.firstIndex(of: UInt8(ascii: "?")).flatMap { allViewScopes[String(view[..<$0])] }
    }

    /// The scope of a view that only the state defines; nil if the program names it, or no open view model can have it.
    func openScope(of view: String) -> Scope? {
        guard !openScopes.isEmpty, allViewScopes[view] == nil, instanceScope(of: view) == nil,
            let dot = view.utf8.firstIndex(of: UInt8(ascii: "."))
        else { return nil }
        return openScopes[String(view[..<dot])]
    }

    /// Looks up an action; nil if clients are not offered one of these names.
    public func action(feature: String, name: String) -> ActionID? {
        id(feature: feature, name: name, isByEffect: false)
    }

    /// Looks up an action, an internal one only for an effect.
    func id(feature: String, name: String, isByEffect: Bool) -> ActionID? {
        actionIDs[feature]?[name].flatMap { $0.isForClients || isByEffect ? $0 : nil }
    }

    static let naming = "a name is a letter, then letters and digits"

    static func isName(_ name: String) -> Bool {
        guard let first = name.utf8.first, name.utf8.count <= 64 else { return false }
        func isLetter(_ byte: UInt8) -> Bool { (97...122).contains(byte) || (65...90).contains(byte) }
        return isLetter(first) && name.utf8.allSatisfy { isLetter($0) || (48...57).contains($0) }
    }
}
