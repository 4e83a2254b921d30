package import JSON
import Reactive

/// All features, checked: their actions, views and variables, and the schemas of these.
package final class Registry: @unchecked Sendable {
    // Sendable because nothing changes after `init`: a view's form contains a closure over a metatype or a description.

    /// An action as it can be called.
    package struct ActionDescription: Sendable {
        /// The feature.
        package let feature: String
        /// The action.
        package let name: String
        /// The spaces that the action can be sent to.
        package let scope: Scope
        /// True if the action needs the right `define` in place of `act`.
        package let defines: Bool
        /// The schema of the input.
        package let input: JSON
        /// The schema of the value that the action answers; nil if it answers none.
        package let output: JSON?
    }

    /// A view as it can be read.
    package struct ViewDescription: Sendable {
        /// The feature.
        package let feature: String
        /// The spaces that have the feature.
        package let scope: Scope
        /// Its name, as `feature.view`.
        package let name: ViewKey
        /// The schema of its values.
        package let value: JSON
        /// The parameters, in the order of their declaration; empty for a view without.
        package let parameters: [ViewParameter]
        /// True if its values are lists, of which a request can ask for a window.
        package let isList: Bool
        /// True for the replica of the feature, which no client reads by its name.
        let isReplica: Bool
    }

    /// A piece of state as it is kept.
    package struct VariableDescription: Sendable {
        /// Its name, as `feature.variable`.
        package let name: String
        /// The schema of its values.
        package let value: JSON
        /// True if it changes by entry.
        package let changesByEntry: Bool
        /// True if code that was compiled for its type encodes its changes: the file that makes it imports StateStore.
        package let isWrittenByType: Bool
        /// The spaces that have its feature.
        package let scope: Scope
    }

    /// The blueprints of the features.
    package let catalog: FeatureCatalog

    /// The features in the order of registration: those in Swift, then described ones by name.
    let ordered: [FeatureBlueprint]
    /// The features in Swift, if this registry has described ones beside them.
    private let ofProgram: Registry?

    /// The actions that clients are offered, in the order of registration.
    package var actions: [ActionDescription] { ordered.flatMap(\.names.actions) }
    /// The views, in the order of registration.
    package var views: [ViewDescription] { ordered.flatMap(\.names.views) }
    /// The pieces of state, in the order of registration.
    package var variables: [VariableDescription] { ordered.flatMap(\.names.variables) }
    /// The deletion handlers of `common`.
    package var deletionHandlers: [ActionID] { program.ordered.flatMap(\.names.deletionHandlers) }

    /// Registers features, each after those whose state it reads. Faults are found here, before anything runs.
    ///
    /// Reflection happens here and nowhere else: it finds the parts of each feature in an exemplar, and the blueprint
    /// keeps their places.
    package init(_ features: [Feature]) throws(RegistrationFault) {
        var registered = RegisteredFeatures()
        var operators = RegisteredOperators()
        // No feature sees the views of others while it is registered.
        let none = FeatureSet(FeatureCatalog([]))
        for feature in features {
            guard Self.isName(feature.name) else {
                throw RegistrationFault("a feature cannot be called \"\(feature.name)\": \(Self.naming)")
            }
            if !feature.isOfServer, let fault = ReservedNames.fault(of: feature.name) {
                throw RegistrationFault(fault)
            }
            guard !registered.contains(feature.name) else {
                throw RegistrationFault("two features are called \(feature.name)")
            }
            let given = try registered.given(to: feature)
            let instances = given.map { [$0.instance] } ?? []
            let outline = try feature.definition.outline(of: feature, given: instances, none.views)
            let blueprint = FeatureBlueprint(
                feature, at: registered.nextPlace(in: feature.scope), given: given.map { [$0.place] } ?? [], outline)
            try operators.add(outline.operators, of: feature)
            registered.add(
                feature, blueprint,
                feature.definition.instance(
                    of: blueprint, given: instances, in: FeatureSurroundings(of: none), replacing: nil))
        }
        ordered = registered.blueprints
        catalog = FeatureCatalog(ordered)
        ofProgram = nil
        try operators.checkSources { action, scope in
            guard let id = id(feature: action.feature, name: action.action, isByEffect: true), id.scope == scope else {
                return nil
            }
            return description(of: id)?.input ?? .null
        }
    }

    /// A registry of the features of a program and of described ones.
    init(_ catalog: FeatureCatalog, described: [FeatureBlueprint], beside program: Registry) {
        self.catalog = catalog
        ordered = program.ordered + described
        ofProgram = program
    }

    /// The features in Swift alone.
    package var program: Registry { ofProgram ?? self }
    /// True if the views of a space depend on the name of the space.
    package var readsSpaceName: Bool { catalog.readsSpaceName }

    /// Returns true if a view can be read in a space: a view of `common` in every space, any other in every space but
    /// `common`. An instance of a view can be read where the view can. A view with required parameters can be read as an
    /// instance only.
    package func hasView(_ view: ViewKey, in space: SpaceName) -> Bool {
        // A name for one viewer is none that a client knows.
        guard view.kind == nil, let scope = readableScope(of: view) ?? openScope(of: view) else { return false }
        return scope == .common || space != .common
    }

    /// Returns true if no view and no replica has a name in a space, so that there is no value to hide.
    package func hasNothing(named view: ViewKey, in space: SpaceName) -> Bool {
        guard let (place, index) = catalog.viewPlace(view), catalog[place].names.allViews[index].isReplica else {
            return !hasView(view, in: space)
        }
        return place.scope != .common && space == .common
    }

    /// Returns true if the features ask something else of the reader of a permit than it says, so that nothing may be shown
    /// under it. Views that are gone have no value to hide.
    package func outdates(_ permit: ReadPermit) -> Bool {
        guard !permit.holds(by: self) else { return false }
        return !permit.holds(by: self, beside: permit.names.filter { hasNothing(named: $0, in: permit.space) })
    }

    /// The scope of a declared view that can be read by a name: its own, or that of an instance.
    private func readableScope(of view: ViewKey) -> Scope? {
        guard let (place, index) = declared(view) else { return nil }
        return !view.isInstance && catalog[place].viewForms[index].needsParameters ? nil : place.scope
    }

    /// The place of a view that a program or a document declares, or that an instance is of; nil for a replica.
    private func declared(_ view: ViewKey) -> (place: FeaturePlace, index: Int)? {
        guard let (place, index) = catalog.viewPlace(view), !catalog[place].names.allViews[index].isReplica
        else { return nil }
        return (place, index)
    }

    /// The view of a name that a program or a document declares; nil if there is none.
    package func view(named name: ViewKey) -> ViewDescription? {
        guard let (place, index) = declared(name), case let view = catalog[place].names.allViews[index],
            view.name == name
        else { return nil }
        return view
    }

    /// The action of a name that clients are offered; nil if there is none.
    private func description(of id: ActionID) -> ActionDescription? {
        catalog.blueprint(named: id.feature)?.names.actions.first { $0.name == id.action }
    }

    /// What clients know of a feature; nil if it has neither an action nor a view for them, or is not there.
    package func names(of feature: String) -> FeatureNames? {
        catalog.blueprint(named: feature).flatMap { $0.names.isEmpty ? nil : $0.names }
    }

    /// What clients know of the features with actions or views: those with actions first, each in the order of
    /// registration.
    package var features: [FeatureNames] {
        let all = ordered.map(\.names)
        return all.filter { !$0.actions.isEmpty } + all.filter { $0.actions.isEmpty && !$0.isEmpty }
    }

    /// Returns the view inside the server that has the replica of a feature, as steered streams watch it in a space; nil if
    /// the feature has none there.
    package func replica(of feature: String, in space: SpaceName) -> ViewKey? {
        guard let blueprint = catalog.blueprint(named: feature),
            blueprint.place.scope == .common || space != .common
        else { return nil }
        return blueprint.names.replica
    }

    /// Returns true if a view inside the server has the replica of a feature in a space.
    package func isReplica(_ view: ViewKey, in space: SpaceName) -> Bool {
        catalog.hasReplicas && replica(of: view.feature, in: space) == view
    }

    /// The scope of a view that only the state defines; nil if the program names it, or no open view model can have it.
    package func openScope(of view: ViewKey) -> Scope? {
        guard catalog.hasOpen, let place = catalog.place(ofFeature: view.feature), catalog[place].isOpen,
            declared(view) == nil
        else { return nil }
        return place.scope
    }

    /// Looks up an action; nil if clients are not offered one of these names.
    package func action(feature: String, name: String) -> ActionID? {
        id(feature: feature, name: name, isByEffect: false)
    }

    /// Looks up an action, an internal one only for an effect.
    package func id(feature: String, name: String, isByEffect: Bool) -> ActionID? {
        catalog.blueprint(named: feature)?.names.actionIDs[name].flatMap { $0.isForClients || isByEffect ? $0 : nil }
    }

    /// Returns the name of an action, as `feature/action`, by the property of a service; nil if no feature has the service.
    package func action<Service: StateService>(at path: PartialKeyPath<Service>) -> String? {
        MemoryLayout<Service>.offset(of: path).flatMap { action(at: $0, in: ObjectIdentifier(Service.self), of: nil) }
    }

    /// Returns the name of an action by the offset of its property in a service. Of several features with one service it
    /// is that of `feature`, otherwise of the first.
    package func action(at offset: Int, in service: ObjectIdentifier, of feature: String?) -> String? {
        let all = [Scope.space, .common].flatMap { catalog.blueprints(in: $0) }.filter { $0.layouts.service == service }
        guard let blueprint = all.first(where: { $0.name == feature }) ?? all.first,
            let action = blueprint.layouts.serviceProperties[offset]
        else { return nil }
        return "\(blueprint.name)/\(action)"
    }

    /// Returns the reason why an effect cannot perform an action, if there is none of its name or not in this space; nil if
    /// it can.
    package func misspelling(of feature: String, _ action: String, in space: SpaceName) -> String? {
        let text = "an effect performs \(feature)/\(action)"
        guard let names = catalog.blueprint(named: feature)?.names.actionIDs, !names.isEmpty else {
            return "\(text), but there is no feature \(feature)"
        }
        guard let id = names[action] else {
            return "\(text), which is no action: \(feature) has \(names.keys.sorted().joined(separator: ", "))"
        }
        guard (id.scope == .common) != (space == .common) else { return nil }
        return "\(text) in the space \(space), but it belongs to \(id.scope == .common ? "common" : "other spaces")"
    }

    /// The features of the program, in the order of their registration in each scope.
    package var namesOfProgram: [(name: String, scope: Scope)] {
        [Scope.space, .common].flatMap { scope in program.catalog.blueprints(in: scope).map { ($0.name, scope) } }
    }

    /// Returns true if the program itself has a feature.
    package func isOfProgram(_ name: String) -> Bool { program.catalog.blueprint(named: name) != nil }

    /// The names in facts of the variables that have others there.
    package var namesInFacts: [String: String] {
        var names: [String: String] = [:]
        for scope in [Scope.space, .common] {
            for variable in catalog.blueprints(in: scope).flatMap(\.variables) where variable.key != variable.name {
                names[variable.name] = variable.key
            }
        }
        return names
    }

    /// Returns true if there is a feature of a name.
    package func has(_ name: String) -> Bool {
        catalog.blueprint(named: name).map { !$0.isVacant } ?? false
    }

    /// The form of names, for messages.
    package static let naming = "a name is a letter, then letters and digits"

    /// Returns true if a text can be the name of a feature or of a part of one.
    package static func isName(_ name: String) -> Bool {
        guard let first = name.utf8.first, name.utf8.count <= 64 else { return false }
        func isLetter(_ byte: UInt8) -> Bool { (97...122).contains(byte) || (65...90).contains(byte) }
        return isLetter(first) && name.utf8.allSatisfy { isLetter($0) || (48...57).contains($0) }
    }
}

/// The features that were registered so far.
struct RegisteredFeatures {
    private struct RegisteredFeature {
        let feature: Feature
        let place: FeaturePlace
        let blueprint: FeatureBlueprint
        let instance: FeatureInstance
    }

    private var entries: [RegisteredFeature] = []

    /// The blueprints, in the order of registration.
    var blueprints: [FeatureBlueprint] { entries.map(\.blueprint) }

    func contains(_ name: String) -> Bool { entries.contains { $0.feature.name == name } }

    /// The place of the next feature of a scope.
    func nextPlace(in scope: Scope) -> FeaturePlace {
        FeaturePlace(scope: scope, index: entries.count { $0.feature.scope == scope })
    }

    mutating func add(_ feature: Feature, _ blueprint: FeatureBlueprint, _ instance: FeatureInstance) {
        entries.append(
            RegisteredFeature(
                feature: feature, place: nextPlace(in: feature.scope), blueprint: blueprint, instance: instance))
    }

    /// The feature whose state a feature reads; nil if it reads none.
    func given(
        to feature: Feature
    ) throws(RegistrationFault) -> (place: FeaturePlace, instance: FeatureInstance)? {
        guard let type = feature.given else { return nil }
        let visible = entries.filter {
            $0.feature.state?.id == type.id && (feature.scope == .space || $0.feature.scope == .common)
        }
        guard let first = visible.first else {
            throw RegistrationFault(
                "\(feature.name) is given \(type.name), which belongs to no feature that is registered before it, or to none that it can see: "
                    + "a feature in common sees only what is in common")
        }
        guard visible.count == 1 else {
            throw RegistrationFault(
                "\(feature.name) is given \(type.name), which belongs to several features: give each a type of its own")
        }
        return (first.place, first.instance)
    }
}

// The names of views and of their instances.

extension Registry {
    /// The names of the parameters that requests for a view can have, of its windows too.
    package func parameterNames(of view: ViewKey) -> [String] { catalog.form(ofView: view)?.names ?? [] }

    /// The names of the parameters of a view itself, without those of its windows.
    package func ownParameterNames(of view: ViewKey) -> [String] {
        catalog.form(ofView: view)?.parameters.map(\.name) ?? []
    }

    /// Returns true if a view has required parameters.
    package func needsParameters(_ view: ViewKey) -> Bool { catalog.form(ofView: view)?.needsParameters ?? false }

    /// Returns the name of the instance of a view for the parameters of a request. A view that does not exist keeps its
    /// name.
    package func instanceName(
        of view: ViewKey, _ arguments: [(name: String, value: String)], _ key: DigestKey
    ) throws(ParameterFault) -> ViewKey {
        guard let form = catalog.form(ofView: view) else { return view }
        return try form.instance(of: arguments, key).name
    }

    /// Returns the one form of a view's name, which a client may have written in another: with the parameters in another
    /// order, with defaults, or encoded otherwise. A view that does not exist keeps its name.
    package func viewName(_ written: ViewKey, _ key: DigestKey) throws(ParameterFault) -> ViewKey {
        try catalog.viewName(written, key)
    }

    /// Returns true if a name is the one form of a view's name or of an instance's.
    package func isWellNamed(_ view: ViewKey, _ key: DigestKey) -> Bool {
        !view.isInstance || openScope(of: view) != nil || catalog.instance(view, key) != nil
    }
}
