/// The names of the actions and views of a registry.
struct RegistryNames {
    /// The scopes of the views that can be read by their own names,
    var viewScopes: [String: Scope] = [:]
    /// and of all that the program names.
    var allViewScopes: [String: Scope] = [:]
    /// The features that have views beyond those they name.
    var openScopes: [String: Scope] = [:]
    /// The views inside the server that have the replicas of features, which no client reads by their names.
    var replicas: [String: (view: String, scope: Scope)] = [:]
    /// The actions, by feature and name.
    var actionIDs: [String: [String: ActionID]] = [:]
    /// The deletion handlers of `common`.
    var deletionHandlers: [ActionID] = []
    /// The actions that clients are offered, in the order of registration.
    var actions: [Registry.ActionDescription] = []
    /// The views, in the order of registration.
    var views: [Registry.ViewDescription] = []
    /// The pieces of state, in the order of registration.
    var variables: [Registry.VariableDescription] = []

    /// Adds a feature at a place.
    mutating func add(
        _ blueprint: FeatureBlueprint, _ outline: FeatureOutline, at place: FeaturePlace
    ) throws(RegistrationFault) {
        let (name, scope) = (blueprint.name, place.scope)
        for (variable, part) in zip(blueprint.variables, outline.state) {
            variables.append(
                Registry.VariableDescription(
                    name: variable.name, value: part.schema, changesByEntry: part.type.changesByEntry,
                    isWrittenByType: part.isWrittenByType, scope: scope))
        }
        for (index, part) in outline.actions.enumerated() {
            if part.isForClients {
                actions.append(
                    Registry.ActionDescription(
                        feature: name, name: part.label, scope: scope, defines: blueprint.defines, input: part.input,
                        output: part.output))
            }
            let id = ActionID(
                feature: name, action: part.label, scope: scope, featureIndex: place.index, actionIndex: index,
                isForClients: part.isForClients, defines: blueprint.defines, edition: blueprint.edition)
            actionIDs[name, default: [:]][part.label] = id
            guard part.isDeletionHandler else { continue }
            guard scope == .common else {
                throw RegistrationFault(
                    "\(name)'s \(part.label) is a SpaceDeletionHandler, which is for features in common: what is in a space goes with it"
                )
            }
            deletionHandlers.append(id)
        }
        if blueprint.isOpen { openScopes[name] = scope }
        for part in outline.views {
            if part.isReplica {
                replicas[name] = (part.form.name, scope)
                continue
            }
            if !part.form.needsParameters { viewScopes[part.form.name] = scope }
            allViewScopes[part.form.name] = scope
            views.append(
                Registry.ViewDescription(
                    feature: name, scope: scope, name: part.form.name, value: part.value,
                    parameters: part.form.parameters, isList: part.form.isList))
        }
    }
}
