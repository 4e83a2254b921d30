import JSON

/// The parts of a feature as its code declares them, whatever form it has.
struct FeatureOutline {
    /// A variable or a table.
    struct StatePart {
        let label: String
        /// The type, which checks facts.
        let type: any PersistentState.Type
        /// The schema of its values.
        let schema: JSON
        /// True if an instance notes whether the journal has a fact of it.
        var isTracked = false
        /// True if specialized code encodes its changes.
        var isWrittenByType = true
        /// True if it is work for effects while it is not empty.
        var isWork = false
        /// False for a table whose rows are in memory only.
        var isKept = true
        /// The presence of clients in the table; nil for none.
        var presence: PresenceOutline?
        /// The places of the private parts of the value; those of a table begin with `*` for the key.
        var privatePlaces: [[String]] = []
    }

    /// An action.
    struct ActionPart {
        let label: String
        let input: JSON
        let output: JSON?
        var isForClients = true
        /// True for a `SpaceDeletionHandler`.
        var isDeletionHandler = false
        /// The places of the private parts of the input.
        var privatePlaces: [[String]] = []
        /// Returns an input with the present names of its members; nil if no member had another name.
        var rename: (@Sendable (JSON) -> JSON)?
    }

    /// A view.
    struct ViewPart {
        let label: String
        let value: JSON
        let form: ViewForm
        /// The claims on which it depends; nil if it is the same for all callers.
        var access: ViewAccess?
        /// The places of its rules, for the log.
        var rules: [String] = []
        /// False if it derives from a table whose rows are in memory only.
        var isKept = true
        /// True if it reads the time.
        var readsTime = false
        /// True if its definition says that it is computed from the changes of rows.
        var isMaintained = false
        /// True if its history withholds its values, because they show private members.
        var showsPrivate = false
        /// The private places that are null in what the view reads.
        var hiddenPlaces: Set<String> = []
        /// The rules behind the view.
        var guards = ViewGuards()
        /// True for the replica of the feature, which no client reads by its name.
        var isReplica = false
    }

    var state: [StatePart] = []
    var actions: [ActionPart] = []
    var views: [ViewPart] = []
    /// The places of the parts of a feature in Swift.
    var layouts = FeatureLayouts()
    /// True if the state defines further views.
    var isOpen = false
    /// True if the state can have definitions that remember, or a view remembers.
    var canRemember = false
    /// The names of what the description of the feature remembers.
    var memories: [String] = []
    /// The named operators of the view model.
    var operators = OperatorsOutline()
    /// True if there is work before the first commit.
    var beginsWithWork = false
    /// True if the feature or one of its actions has a rule.
    var hasActRule = false
    /// The claims that the rule of all views reads; nil without one.
    var readRule: ClaimSet?
    /// The identity of the rule of all views; nil without one.
    var readGuard: String?
    /// True if a view depends on the name of its space.
    var readsSpaceName = false
    /// The edition of the last document that migrates the state; 0 for none.
    var level = 0
}

extension FeatureOutline {
    /// Finds the parts of a feature in Swift by reflection.
    init(
        _ exemplar: FeatureExemplar, _ operators: NamedOperators, of feature: Feature
    ) throws(RegistrationFault) {
        layouts = FeatureLayouts(exemplar)
        try Self.check(layouts, of: feature, exemplar)
        try Self.checkShapes(of: feature, exemplar)
        try RegisteredOperators.check(operators, exemplar, in: feature)
        self.operators = OperatorsOutline(of: operators)
        let stored = FeatureInstance.children(of: exemplar.state, as: (any PersistentState).self)
        let work = try Self.work(of: exemplar, in: feature)
        state = stored.map { label, stored in
            let type = type(of: stored)
            return StatePart(
                label: label, type: type, schema: PrivateParts.shown(type.valueSchema), isTracked: stored.hasRows,
                isWrittenByType: stored.isWrittenByType, isWork: work.contains(label), isKept: stored.isKept,
                privatePlaces: PrivateParts.places(in: type.valueSchema))
        }
        for (label, presence) in FeatureInstance.children(of: exemplar.service, as: Presence.self) {
            guard let index = stored.firstIndex(where: { $0.1 === presence.table }), !state[index].isKept else {
                throw RegistrationFault(
                    "\(feature.name)'s presence \(label) is in a table that its state does not store, or that is kept")
            }
            state[index].presence = presence.outline
        }
        if let part = state.first(where: { !$0.isKept }) {
            guard feature.scope == .space else {
                throw RegistrationFault(
                    "\(feature.name)'s table \(part.label) is not kept, which is for features in each space")
            }
            guard !state.contains(where: { !$0.isKept && $0.isWork }) else {
                throw RegistrationFault(
                    "\(feature.name)'s table \(part.label) is not kept, so it cannot be work for effects")
            }
        }
        actions = FeatureInstance.children(of: exemplar.service, as: (any AnyAction).self).map { label, action in
            let type = type(of: action)
            return ActionPart(
                label: label, input: PrivateParts.shown(type.inputSchema),
                output: type.outputSchema.map { PrivateParts.shown($0) }, isForClients: type.isForClients,
                isDeletionHandler: action is SpaceDeletionHandler,
                privatePlaces: PrivateParts.places(in: type.inputSchema))
        }
        if feature.scope == .space, let part = actions.first(where: \.isDeletionHandler) {
            throw RegistrationFault(
                "\(feature.name)'s \(part.label) is a SpaceDeletionHandler, which is for features in common: what is in a space goes with it"
            )
        }
        hasActRule =
            !layouts.actRule.labels.isEmpty
            || FeatureInstance.children(of: exemplar.service, as: (any AnyAction).self).contains { $0.1.hasRule }
        let common = FeatureInstance.children(of: exemplar.viewModel, as: ReadRule.self).first?.1.claims
        readRule = common
        readGuard = common.map { _ in feature.name }
        let rules = common == nil ? [] : [feature.name]
        views = try FeatureInstance.children(of: exemplar.viewModel, as: (any TypedView).self).map {
            label, view throws(RegistrationFault) in
            let type = type(of: view)
            let places = rules + (view.rule == nil ? [] : ["\(feature.name).\(label)"])
            // A rule in Swift has no text. Its name stands for it.
            var guards = ViewGuards()
            guards.own = Set(places)
            return ViewPart(
                label: label, value: PrivateParts.shown(type.valueSchema),
                form: try ViewForm.make("\(feature.name).\(label)", type),
                access: ViewAccess(view: view.claims, rule: view.rule?.claims, ofFeature: common), rules: places,
                isKept: view.exemplar().map { !UnkeptSources.areBehind($0) } ?? true, guards: guards)
        }
        if let state = exemplar.state as? any ReplicatedState {
            var part = try state.replicaOutline(of: feature.name, ruledBy: common)
            part.rules = rules
            part.guards.own = Set(rules)
            views.append(part)
        }
        isOpen = exemplar.viewModel is any OpenViewModel
        canRemember = exemplar.viewModel is any RememberingViewModel
        beginsWithWork = stored.contains { work.contains($0.0) && !$0.1.isEmptyState }
    }

    /// Checks the shapes of all records of a feature.
    private static func checkShapes(of feature: Feature, _ exemplar: FeatureExemplar) throws(RegistrationFault) {
        var schemas = FeatureInstance.children(of: exemplar.state, as: (any PersistentState).self)
            .map { type(of: $0.1).valueSchema }
        for (_, action) in FeatureInstance.children(of: exemplar.service, as: (any AnyAction).self) {
            schemas.append(type(of: action).inputSchema)
            if let output = type(of: action).outputSchema { schemas.append(output) }
        }
        for (_, view) in FeatureInstance.children(of: exemplar.viewModel, as: (any TypedView).self) {
            schemas.append(type(of: view).valueSchema)
            if let parameters = type(of: view).parameters { schemas.append(parameters.schema) }
        }
        for schema in schemas {
            if let fault = ShapeFault.first(in: schema) { throw RegistrationFault("\(feature.name): \(fault)") }
        }
    }

    /// Checks that a feature stores only what it may, under names that it may use.
    private static func check(
        _ layouts: FeatureLayouts, of feature: Feature, _ exemplar: FeatureExemplar
    ) throws(RegistrationFault) {
        let name = feature.name
        if let stranger = layouts.state.strangers.first(where: { !layouts.indexes.labels.contains($0) }) {
            throw RegistrationFault(
                "\(name)'s state stores \(stranger), which is no Variable or Table of values that are JSON and described; nothing else is kept"
            )
        }
        // An open view model also stores what it finds its other views by.
        let rules = FeatureInstance.children(of: exemplar.viewModel, as: ReadRule.self).map(\.0)
        if !(exemplar.viewModel is any OpenViewModel),
            let stranger = layouts.views.strangers.first(where: { !rules.contains($0) })
        {
            throw RegistrationFault(
                "\(name)'s view model stores \(stranger), which is no Observable of values that are JSON and described")
        }
        guard rules.count <= 1, layouts.actRule.labels.count <= 1 else {
            throw RegistrationFault("\(name) stores several rules of the same kind: combine them into one")
        }
        for label in layouts.state.labels + layouts.actions.labels + layouts.views.labels
        where !Registry.isName(label) {
            throw RegistrationFault(
                "\(name) cannot have a variable, an action or a view called \"\(label)\": \(Registry.naming)")
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
}
