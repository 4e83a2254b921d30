package import JSON

/// A feature, in Swift or described, as a document that is given it sees it.
package struct FeatureSummary: Sendable {
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
}

extension FeatureSummary {
    /// A described feature.
    package init(of description: any FeatureDescription) {
        self.init(
            name: description.name, scope: description.scope,
            state: description.state.map {
                StatePart(
                    label: $0.label, isTable: $0.form.isTable, schema: $0.schema,
                    privateParts: PrivateParts($0.privatePlaces))
            },
            views: description.views.map { ViewPart($0) },
            actions: description.actions.map(\.label), readRule: description.readRule,
            hasRules: description.readRule != nil || description.actions.contains(where: \.hasRule)
                || description.views.contains { $0.rule != nil },
            description: description)
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
    /// The features of the program, as documents see them, without those that only the server sees.
    package var summaries: [FeatureSummary] {
        [Scope.space, .common].flatMap { scope in
            program.catalog.blueprints(in: scope).filter {
                !ReservedNames.internalFeatures.contains($0.name)
            }.map { blueprint in
                let prefix = blueprint.name + "."
                let parts = Dictionary(
                    blueprint.variables.map { ($0.name, $0.privateParts) }, uniquingKeysWith: { first, _ in first })
                return FeatureSummary(
                    name: blueprint.name, scope: scope,
                    state: program.variables.filter { $0.name.hasPrefix(prefix) }.map { variable in
                        FeatureSummary.StatePart(
                            label: String(variable.name.dropFirst(prefix.count)), isTable: variable.changesByEntry,
                            schema: variable.changesByEntry
                                ? variable.value["additionalProperties"] ?? [:] : variable.value,
                            privateParts: parts[variable.name].map { variable.changesByEntry ? $0[nil] : $0 } ?? .none)
                    },
                    views: program.views.filter { $0.feature == blueprint.name }.map { view in
                        let access = program.catalog.access(ofView: view.name)
                        return FeatureSummary.ViewPart(
                            label: String(view.name.dropFirst(prefix.count)), schema: view.value,
                            parameters: (
                                view.parameters.map(\.name), view.parameters.filter(\.isRequired).map(\.name)
                            ), isPersonal: access?.view != nil, rule: access?.rule,
                            isKept: program.catalog.isKept(view.name), readsTime: false, showsPrivate: false,
                            hiddenPlaces: [])
                    },
                    actions: program.actions.filter { $0.feature == blueprint.name }.map(\.name),
                    readRule: blueprint.readRule, hasRules: blueprint.hasRules, description: nil)
            }
        }
    }
}
