package import JSON

/// A feature, in Swift or described, as a document that is given it sees it.
package final class FeatureSummary: Sendable {
    /// A variable or a table.
    package struct StatePart: Sendable {
        /// The name in the feature.
        package let label: String
        /// True for a table.
        package let isTable: Bool
        /// The JSON Schema of the value, or of each row.
        package let schema: JSON
        /// The private parts of the value, or of each row.
        package let privateParts: PrivateParts
    }

    /// A view.
    package struct ViewPart: Sendable {
        /// The name in the feature.
        package let label: String
        /// The JSON Schema of its values.
        package let schema: JSON
        /// The names of its parameters, and those that each request must have.
        package let parameters: (all: [String], required: [String])
        /// True if it depends on the claims of its reader.
        package let isPersonal: Bool
        /// The claims that its rules read; nil without a rule.
        package let rule: ClaimSet?
        /// False if it derives from what is in memory only.
        package let isKept: Bool
        /// True if it reads the time.
        package let readsTime: Bool
        /// True if it shows private members, as far as a document says.
        package let showsPrivate: Bool
        /// The private places of state that are null in what it reads.
        package let hiddenPlaces: Set<String>
    }

    /// The name.
    package let name: String
    /// The spaces that hold its state.
    package let scope: Scope
    /// The variables and tables.
    package let state: [StatePart]
    /// The views.
    package let views: [ViewPart]
    /// The names of the actions.
    package let actions: [String]
    /// The claims that the rule of all views reads; nil without one.
    package let readRule: ClaimSet?
    /// True if the feature, an action or a view of it has rules.
    package let hasRules: Bool
    /// The description of a described feature; nil for one in Swift.
    package let description: (any FeatureDescription)?

    fileprivate init(
        _ name: String, in scope: Scope, _ state: [StatePart], _ views: [ViewPart], actions: [String],
        readRule: ClaimSet?, hasRules: Bool, _ description: (any FeatureDescription)? = nil
    ) {
        (self.name, self.scope, self.state, self.views) = (name, scope, state, views)
        (self.actions, self.readRule, self.hasRules) = (actions, readRule, hasRules)
        self.description = description
    }

    /// A described feature.
    package convenience init(of description: any FeatureDescription) {
        self.init(
            description.name, in: description.scope,
            description.state.map {
                StatePart(
                    label: $0.label, isTable: $0.form.isTable, schema: $0.schema,
                    privateParts: PrivateParts($0.privatePlaces))
            },
            description.views.map { ViewPart($0) }, actions: description.actions.map(\.label),
            readRule: description.readRule,
            hasRules: description.readRule != nil || description.actions.contains(where: \.hasRule)
                || description.views.contains { $0.rule != nil },
            description)
    }
}

extension FeatureSummary.ViewPart {
    /// A view of a described feature.
    fileprivate init(_ view: ViewOutline) {
        var all: [String] = []
        if case .object(let properties)? = view.parameters?["properties"] { all = properties.map(\.key) }
        var required: [String] = []
        if case .array(let names)? = view.parameters?["required"] {
            required = names.compactMap { if case .string(let name) = $0 { name } else { nil } }
        }
        self.init(
            label: view.label, schema: view.value, parameters: (all, required), isPersonal: view.claims != nil,
            rule: view.rule, isKept: view.isKept, readsTime: view.readsTime, showsPrivate: view.showsPrivate,
            hiddenPlaces: view.hiddenPlaces)
    }
}

extension Registry {
    /// The features of the program by name, as documents see them, without those that only the server sees.
    package var summaries: [String: FeatureSummary] {
        var summaries: [String: FeatureSummary] = [:]
        for blueprint in program.ordered where !ReservedNames.internalFeatures.contains(blueprint.name) {
            summaries[blueprint.name] = summary(of: blueprint)
        }
        return summaries
    }

    private func summary(of blueprint: FeatureBlueprint) -> FeatureSummary {
        let names = blueprint.names
        let state = zip(blueprint.variables, names.variables).map { part, variable in
            let isTable = variable.changesByEntry
            return FeatureSummary.StatePart(
                label: part.label, isTable: isTable,
                schema: isTable ? variable.value["additionalProperties"] ?? [:] : variable.value,
                privateParts: isTable ? part.privateParts[nil] : part.privateParts)
        }
        let views = names.views.map { view in
            let access = program.catalog.access(ofView: view.name)
            return FeatureSummary.ViewPart(
                label: view.name.label, schema: view.value,
                parameters: (view.parameters.map(\.name), view.parameters.filter(\.isRequired).map(\.name)),
                isPersonal: access?.view != nil, rule: access?.rule, isKept: program.catalog.isKept(view.name),
                readsTime: false, showsPrivate: false, hiddenPlaces: [])
        }
        return FeatureSummary(
            blueprint.name, in: blueprint.place.scope, state, views, actions: names.actions.map(\.name),
            readRule: blueprint.readRule, hasRules: blueprint.hasRules)
    }
}
