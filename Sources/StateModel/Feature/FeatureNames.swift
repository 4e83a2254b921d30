/// What clients, effects and documents call the parts of one feature.
package struct FeatureNames: Sendable {
    /// The name of the feature.
    package let feature: String
    /// The spaces that have it.
    package let scope: Scope
    /// The actions that clients are offered, in the order of their declaration.
    package let actions: [Registry.ActionDescription]
    /// The views and the replica, in the order of their declaration.
    let allViews: [Registry.ViewDescription]
    /// The pieces of state, in the order of their declaration.
    package let variables: [Registry.VariableDescription]
    /// All actions by name, those of effects too.
    let actionIDs: [String: ActionID]
    /// The actions that follow the deletion of a space.
    let deletionHandlers: [ActionID]
    /// The view inside the server that has the replica of the feature; nil for none.
    let replica: ViewKey?

    /// The names of a feature at a place. `edition` is that of its blueprint.
    init(of feature: Feature, _ outline: FeatureOutline, at place: FeaturePlace, edition: Int) {
        let (name, scope) = (feature.name, place.scope)
        (self.feature, self.scope) = (name, scope)
        variables = outline.state.map { part in
            Registry.VariableDescription(
                name: "\(name).\(part.label)", value: part.schema, changesByEntry: part.type.changesByEntry,
                isWrittenByType: part.isWrittenByType, scope: scope)
        }
        actions = outline.actions.filter(\.isForClients).map { part in
            Registry.ActionDescription(
                feature: name, name: part.label, scope: scope, defines: feature.defines, input: part.input,
                output: part.output)
        }
        let ids = outline.actions.enumerated().map { index, part in
            ActionID(
                feature: name, action: part.label, scope: scope, featureIndex: place.index, actionIndex: index,
                isForClients: part.isForClients, defines: feature.defines, edition: edition)
        }
        actionIDs = Dictionary(ids.map { ($0.action, $0) }) { _, last in last }
        deletionHandlers = zip(outline.actions, ids).filter { $0.0.isDeletionHandler }.map { $0.1 }
        allViews = outline.views.map { part in
            Registry.ViewDescription(
                feature: name, scope: scope, name: part.form.name, value: part.value,
                parameters: part.form.parameters, isList: part.form.isList, isReplica: part.isReplica)
        }
        replica = allViews.first(where: \.isReplica)?.name
    }

    /// The views that clients know, in the order of their declaration.
    package var views: [Registry.ViewDescription] { allViews.filter { !$0.isReplica } }

    /// True if clients know neither an action nor a view of it.
    var isEmpty: Bool { actions.isEmpty && allViews.allSatisfy(\.isReplica) }

    /// Returns true if clients can perform an action of a name.
    func offers(_ action: String) -> Bool { actionIDs[action]?.isForClients ?? false }

    /// The names of the views and actions that clients know, without that of the feature.
    package var labels: [String] {
        views.map(\.name.label) + actions.map(\.name)
    }
}
