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

    let features: [Feature]
    private var viewScopes: [String: Scope] = [:]
    /// The features that have views beyond those they name.
    private var openScopes: [String: Scope] = [:]
    /// The actionIDs of the actions, by feature and name.
    private var actionIDs: [String: [String: ActionID]] = [:]
    /// The pieces of state that are work for effects, by feature.
    private var work: [String: Set<String>] = [:]
    /// The deletion handlers of `common`.
    private(set) var deletionHandlers: [ActionID] = []
    /// The actions that clients are offered, in the order of registration.
    public private(set) var actions: [ActionDescription] = []
    /// The views, in the order of registration.
    public private(set) var views: [ViewDescription] = []
    /// The pieces of state, in the order of registration.
    public private(set) var variables: [VariableDescription] = []

    /// Registers features, each after those whose state it is given. What is wrong is found here, before anything runs.
    public init(_ features: [Feature]) throws(RegistrationFault) {
        self.features = features
        var states = Feature.States()
        // What is in common is made apart from what is in the spaces, and must not need it.
        var common = Feature.States()
        var names: Set<String> = []
        for feature in features {
            guard Self.isName(feature.name) else {
                throw RegistrationFault("a feature cannot be called \"\(feature.name)\": \(Self.naming)")
            }
            guard names.insert(feature.name).inserted else {
                throw RegistrationFault("two features are called \(feature.name)")
            }
            if feature.scope == .common { _ = try feature.make(&common) }
            try take(try feature.make(&states), of: feature)
        }
    }

    private mutating func take(_ parts: Feature.Parts, of feature: Feature) throws(RegistrationFault) {
        let name = feature.name
        let service = parts.makeService()
        let viewModel = parts.makeViewModel()
        if let stranger = FeatureInstance.strangers(in: parts.state, to: (any PersistentState).self).first {
            throw RegistrationFault(
                "\(name)'s state stores \(stranger), which is no Variable or Table of values that are JSON and described; nothing else is kept"
            )
        }
        let stored = FeatureInstance.children(of: parts.state, as: (any PersistentState).self)
        let actions = FeatureInstance.children(of: service, as: (any AnyAction).self)
        let views = FeatureInstance.children(of: viewModel, as: (any View).self)
        // An open view model also stores what it finds its other views by.
        if !(viewModel is any OpenViewModel),
            let stranger = FeatureInstance.strangers(in: viewModel, to: (any View).self).first
        {
            throw RegistrationFault(
                "\(name)'s view model stores \(stranger), which is no Observable of values that are JSON and described")
        }
        for label in (stored.map(\.0) + actions.map(\.0) + views.map(\.0)) where !Self.isName(label) {
            throw RegistrationFault(
                "\(name) cannot have a variable, an action or a view called \"\(label)\": \(Self.naming)")
        }
        variables += stored.map { label, stored in
            let type = type(of: stored)
            return VariableDescription(
                name: "\(name).\(label)", value: type.valueSchema, changesByEntry: type.changesByEntry,
                isWrittenByType: stored.isWrittenByType,
                scope: feature.scope)
        }
        work[name] = try Self.work(of: parts, stored, in: feature)
        let offered = actions.filter { type(of: $0.1).isForClients }
        self.actions += offered.map { label, action in
            ActionDescription(feature: name, name: label, scope: feature.scope, input: type(of: action).inputSchema)
        }
        let featureIndex = features.prefix { $0.name != name }.count { $0.scope == feature.scope }
        for (index, (label, action)) in actions.enumerated() {
            let id = ActionID(
                feature: name, action: label, scope: feature.scope, featureIndex: featureIndex, actionIndex: index,
                isForClients: type(of: action).isForClients)
            actionIDs[name, default: [:]][label] = id
            guard action is SpaceDeletionHandler else { continue }
            guard feature.scope == .common else {
                throw RegistrationFault(
                    "\(name)'s \(label) is a SpaceDeletionHandler, which is for features in common: what is in a space goes with it"
                )
            }
            deletionHandlers.append(id)
        }
        if viewModel is any OpenViewModel { openScopes[name] = feature.scope }
        for (label, _) in views { viewScopes["\(name).\(label)"] = feature.scope }
        self.views += views.map { label, view in
            ViewDescription(
                feature: name, scope: feature.scope, name: "\(name).\(label)", value: type(of: view).valueSchema)
        }
    }

    /// The names of the pieces of state that are work for the effects of a feature.
    private static func work(
        of parts: Feature.Parts, _ stored: [(String, any PersistentState)], in feature: Feature
    ) throws(RegistrationFault) -> Set<String> {
        guard let effects = parts.makeEffects(Outside(of: feature.name)) else { return [] }
        let all = FeatureInstance.children(of: effects, as: Effect.self)
        guard !all.isEmpty else {
            throw RegistrationFault("\(feature.name) has effects that store no Effect, so that nothing would be done")
        }
        var names: Set<String> = []
        for (label, effect) in all {
            guard let (name, _) = stored.first(where: { $0.1 === effect.work }) else {
                throw RegistrationFault(
                    "\(feature.name)'s effect \(label) works for something that its own state does not store")
            }
            names.insert("\(feature.name).\(name)")
        }
        return names
    }

    /// The features of a home, made new. They were made once when they were registered, so nothing is wrong with them.
    func instances(
        in scope: Scope, with states: inout Feature.States, time: @escaping () -> any Scheduler = { VirtualScheduler() }
    ) -> [FeatureInstance] {
        // The states of a space come with the views of what it was made beside.
        let views = SpaceViews(beside: scope == .space ? states.views : nil, time: time)
        states.views = views
        let instances = features.compactMap { feature -> FeatureInstance? in
            guard feature.scope == scope, let parts = try? feature.make(&states) else { return nil }
            return FeatureInstance(feature, parts, work: work[feature.name] ?? [])
        }
        views.take(instances)
        return instances
    }

    /// Returns true if a view can be read in a space: a view of `common` in every space, any other in every space but
    /// `common`.
    public func hasView(_ view: String, in space: SpaceName) -> Bool {
        guard let scope = viewScopes[view] ?? openScope(of: view) else { return false }
        return scope == .common || space != .common
    }

    /// The scope of a view that only the state defines; nil if the program names it, or no open view model can have it.
    func openScope(of view: String) -> Scope? {
        guard !openScopes.isEmpty, viewScopes[view] == nil, let dot = view.firstIndex(of: ".") else { return nil }
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

    private static let naming = "a name is a letter, then letters and digits"

    private static func isName(_ name: String) -> Bool {
        guard let first = name.utf8.first, name.utf8.count <= 64 else { return false }
        func isLetter(_ byte: UInt8) -> Bool { (97...122).contains(byte) || (65...90).contains(byte) }
        return isLetter(first) && name.utf8.allSatisfy { isLetter($0) || (48...57).contains($0) }
    }
}
