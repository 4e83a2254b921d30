import JSON
import Reactive

/// A feature in one space: its variables and, once they are needed, its actions and its views.
package class FeatureInstance {
    package final let blueprint: FeatureBlueprint
    /// The variables and tables, in the order of `blueprint.variables`.
    package final let variables: [any PersistentState]
    /// The indexes of the tracked variables and tables of which the journal knows nothing yet. The first fact of such a
    /// table is its whole.
    private final var unkept: Set<Int> = []
    /// The indexes of the tables of a described feature of which the journal has the whole.
    private final var wholes: Set<Int> = []
    /// The indexes of the tables in `unkept` that hold more than initial rows: the journal has entries, and no whole.
    private final var entered: Set<Int> = []
    /// The variables of the last commit, if it changed several.
    private final var lastChanged: [String] = []
    private final var actions: [ActionClosures] = []
    private final var madeViews: FeatureViews?

    init(_ blueprint: FeatureBlueprint, variables: [any PersistentState]) {
        self.blueprint = blueprint
        self.variables = variables
        for index in variables.indices where blueprint.variables[index].isTracked { unkept.insert(index) }
        guard blueprint.hasPrivateState || blueprint.guardsReads else { return }
        // A caller must not learn from the answer to a write whether it has guessed a private value, or one behind a rule.
        for index in variables.indices
        where blueprint.guardsReads || blueprint.variables[index].privateParts != .none {
            variables[index].countsEqualWrites = true
        }
    }

    package final var name: String { blueprint.name }

    // MARK: Parts that a subclass makes

    package func makeService() -> any StateService { preconditionFailure("a subclass makes the service") }
    func makeActions() -> [ActionClosures] { preconditionFailure("a subclass makes the actions") }
    func makeViews() -> FeatureViews { preconditionFailure("a subclass makes the views") }
    func makeEffects(_ outside: Outside) -> (any Effects)? { preconditionFailure("a subclass makes the effects") }

    /// Returns true if the journal has no fact of a tracked variable or table: it has its initial value.
    package final func isInitial(_ key: String) -> Bool {
        index(of: key).map { unkept.contains($0) && !entered.contains($0) } ?? false
    }

    /// Returns true if the journal has a fact of a whole table of a described feature.
    final func hasWhole(_ key: String) -> Bool { index(of: key).map(wholes.contains) ?? false }

    private final func index(of key: String) -> Int? { blueprint.variables.firstIndex { $0.key == key } }

    /// Notes which variables of an older instance the journal has facts of.
    final func noteKept(by old: FeatureInstance) {
        for (index, variable) in blueprint.variables.enumerated()
        where old.state(named: variable.key) === variables[index] {
            if !variable.type.changesByEntry {
                if !old.isInitial(variable.key) { unkept.remove(index) }
            } else if old.hasWhole(variable.key) {
                noteWhole(index)
            } else if unkept.contains(index) {
                entered.insert(index)
            }
        }
    }

    /// Adds the defaults of the definition to the restored state. `level` is that of the state. Precondition: nobody has
    /// used this instance.
    final func fillRestored(_ level: StateLevel) {
        for index in variables.indices { fillRestored(level, index, row: nil) }
    }
    /// Adds the defaults of the definition to a restored variable or table, or to the row of a key.
    func fillRestored(_ level: StateLevel, _ index: Int, row key: String?) {}
    /// Adds the defaults of the definition to the state.
    package func fill(_ level: StateLevel, in transaction: inout Transaction) {}
    /// Migrates the state from a level to that of the blueprint, but for tables that are migrated, by their indexes.
    /// `waiting` returns the rows of a table that the definition does not declare.
    package func migrate(
        from level: StateLevel, but migrated: Set<Int>, waiting: (String) -> [String: DescribedRow],
        in transaction: inout Transaction
    ) throws(MigrationFailure) {}
    /// Returns the large tables that a migration from a level changes. `renamed` are the names of those that the journal
    /// has under other names, and `waiting` returns the facts of a table that the definition does not declare.
    func largeTables(
        from level: StateLevel, renamed: Set<String>, waiting: (String) -> [Fact]
    ) -> [MigratingTable] { [] }
    /// Returns what the migration from a level makes of the stored rows of each table, without a change.
    package func rehearse(from level: StateLevel, stored: (String) -> [String: DescribedRow]) -> [MigratedTable] { [] }

    /// The variable or table of a name in facts; nil if there is none.
    final func state(named key: String) -> (any PersistentState)? {
        index(of: key).map { variables[$0] }
    }

    /// Drops the actions and the views, which are made again when they are next used.
    final func renew() {
        actions = []
        madeViews = nil
    }

    /// The rule of all its actions; nil for none.
    package func makeActRule() -> ActRule? { nil }

    /// The rule for edits by administrators; nil for none.
    package func makeEditRule() -> ActRule? { nil }

    /// Returns the fault of the key of a row; nil if it may be one.
    package func fault(ofKey key: String, _ index: Int) -> String? { nil }

    /// Returns the fault of the value of a variable, or of a row, without any part of it; nil if it may be stored.
    package func fault(of value: JSON, _ index: Int) -> String? { nil }

    /// Returns a checked row for a table with presence, with the defaults of its members.
    package func presenceRow(_ index: Int, _ key: String, _ row: JSON) throws(Rejection) -> JSON {
        do throws(JSONError) {
            return try blueprint.variables[index].type.checked(row, for: key)
        } catch {
            throw Rejection(.invalid, "\(error.reason)", at: JSONPointer(["with"] + error.pointer.tokens))
        }
    }

    /// The row of a key of a table with presence; nil if there is none.
    package func presentRow(_ index: Int, _ key: String) -> JSON? {
        do throws(JSONError) {
            guard let bytes = try variables[index].entry(key) else { return nil }
            return try JSON(parsing: bytes)
        } catch {
            // The row is there, also if it cannot be written.
            return .null
        }
    }

    /// The first adding of a row of a table with presence.
    package func presentAdding(_ index: Int, _ key: String) -> FirstAdding { .unknown }

    /// Writes a row of a table with presence, or removes it, in a transaction. `added` is the first adding of a row that
    /// is new.
    package func writePresence(
        _ index: Int, _ key: String, _ row: JSON?, added: FirstAdding, in transaction: inout Transaction
    ) throws(JSONError) {
        try variables[index].take(
            Fact(variable: blueprint.variables[index].key, entry: key, value: try row?.json()), in: &transaction)
    }

    // MARK: Effects

    /// True if it has work for its effects now.
    final var hasWork: Bool { blueprint.work.contains { !variables[$0].isEmptyState } }

    /// Its effects, made anew, by name.
    package final func effects(_ outside: Outside) -> [(name: String, effect: Effect)] {
        guard blueprint.hasEffects, let effects = makeEffects(outside) else { return [] }
        return Self.children(of: effects, as: Effect.self).map { ("\(name).\($0.0)", $0.1) }
    }

    // MARK: Actions

    /// Performs the action of an index, with an input in JSON. A refusal of the action's own rule gets its place.
    package final func act(
        _ index: Int, _ input: [UInt8]?, _ tree: InputTree?, _ commit: inout Commit
    ) throws(Rejection) {
        if blueprint.hasPredictions { commit.predictedAction = "\(name)/\(blueprint.layouts.actions.labels[index])" }
        defer { commit.predictedAction = nil }
        do throws(Rejection) {
            try perform(index, input, tree, &commit)
        } catch {
            // A described feature names the places of its rejections itself.
            let labels = blueprint.layouts.actions.labels
            guard index < labels.count, error.isByNamelessAction || error.cause == nil else { throw error }
            let action = "\(name)/\(labels[index])"
            if error.isByNamelessAction { throw .forbidden(by: action) }
            let isOfInput = error.kind == .invalid || error.kind == .malformed
            throw error.caused(by: RejectionCause(isOfInput ? .schema : .guard, at: action))
        }
    }

    @inline(__always)
    private final func perform(
        _ index: Int, _ input: [UInt8]?, _ tree: InputTree?, _ commit: inout Commit
    ) throws(Rejection) {
        if actions.isEmpty { actions = makeActions() }
        // Unmanaged, because reading an element of an array and calling it would count references. The closures live as
        // long as this instance.
        try Unmanaged.passUnretained(actions[index])._withUnsafeGuaranteedRef { action in
            do throws(Rejection) {
                if let tree, let runTree = action.runTree {
                    try runTree(tree.json, &commit)
                } else {
                    try action.run(input, &commit)
                }
                return Result<Void, Rejection>.success(())
            } catch {
                return .failure(error)
            }
        }.get()
    }

    /// Releases the closures of the actions, which the next action makes again. Precondition: no action is performed.
    final func trim() {
        actions = []
        lastChanged = []
    }

    /// The indexes that actions read, and those that every commit asks.
    package var actionIndexes: [any SlicedIndex] { [] }

    /// Throws if the open transaction leaves rows that an index refuses: two in one group of a unique index or, if
    /// `checksRows`, a written one for which an expression has no value.
    package func checkIndexes(checksRows: Bool = false) throws(Rejection) {}

    /// The facts of the open transaction, after `dropUnchanged`. Each commit asks for them, and so each holds what unique
    /// indexes promise.
    package final func facts() throws(Rejection) -> Facts {
        try checkIndexes()
        if blueprint.hasUnkept { return try factsOfKept() }
        var facts = Facts()
        do throws(JSONError) {
            for index in variables.indices where variables[index].isWritten {
                let isWhole = !unkept.isEmpty && unkept.contains(index)
                try variables[index].appendFacts(named: blueprint.variables[index].key, asWhole: isWhole, to: &facts)
                if blueprint.guardsReads { try appendEqualRemovals(index, asWhole: isWhole, to: &facts) }
            }
        } catch {
            throw Rejection(.invalid, "the result cannot be kept: \(error.reason)")
        }
        return facts
    }

    /// The facts of the open transaction, if it has written no table whose rows are in memory only.
    private final func factsOfKept() throws(Rejection) -> Facts {
        let changed = variables.indices.filter { variables[$0].isWritten }
        var facts = Facts()
        guard changed.contains(where: { blueprint.variables[$0].isKept }) else { return facts }
        guard unkeptChanges.isEmpty else {
            throw Rejection(
                .invalid, "an action writes what is kept or what is not, never both: use two actions")
        }
        do throws(JSONError) {
            for index in changed {
                let isWhole = unkept.contains(index)
                try variables[index].appendFacts(named: blueprint.variables[index].key, asWhole: isWhole, to: &facts)
                if blueprint.guardsReads { try appendEqualRemovals(index, asWhole: isWhole, to: &facts) }
            }
        } catch {
            throw Rejection(.invalid, "the result cannot be kept: \(error.reason)")
        }
        return facts
    }

    /// Appends the removals that change nothing: the answer must not tell whether there is a row behind a rule.
    private final func appendEqualRemovals(
        _ index: Int, asWhole isWhole: Bool, to facts: inout Facts
    ) throws(JSONError) {
        try variables[index].appendEqualRemovals(
            named: blueprint.variables[index].key, asWhole: isWhole, to: &facts)
    }

    /// The names of the tables in memory only that the open transaction has written.
    package final var unkeptChanges: [String] {
        var names: [String] = []
        for index in variables.indices where variables[index].isWritten && !blueprint.variables[index].isKept {
            if isChanged(index) { names.append(blueprint.variables[index].name) }
        }
        return names
    }

    /// Returns true if the open transaction changes a variable. One that cannot be encoded counts as changed.
    private func isChanged(_ index: Int) -> Bool {
        var facts = Facts()
        do throws(JSONError) {
            try variables[index].appendFacts(named: blueprint.variables[index].name, asWhole: false, to: &facts)
            if blueprint.guardsReads { try appendEqualRemovals(index, asWhole: false, to: &facts) }
        } catch {
            return true
        }
        return !facts.isEmpty
    }

    /// True if it has rows that are in memory only.
    final var hasUnkeptRows: Bool {
        variables.indices.contains { !blueprint.variables[$0].isKept && variables[$0].hasRows }
    }

    /// Takes the rows in memory only of another instance of this feature.
    final func adoptUnkept(of other: FeatureInstance, in transaction: inout Transaction) {
        for index in variables.indices where !blueprint.variables[index].isKept {
            guard let table = other.state(named: blueprint.variables[index].key) else { continue }
            variables[index].become(table, in: &transaction)
        }
    }

    /// The variables that facts are about, each once. Successive actions often change the same variables; then the same
    /// array is returned.
    package final func changed(by facts: Facts) -> [String] {
        if facts.count == 1 {
            let name = facts.variable(at: 0)
            for variable in blueprint.variables where variable.key == name { return variable.alone }
        }
        if lastChanged.count != facts.count || !facts.indices.allSatisfy({ facts.variable(at: $0) == lastChanged[$0] })
        {
            lastChanged = facts.variables
        }
        return lastChanged
    }

    // MARK: Facts

    /// The whole values of the variables that satisfy a condition.
    final func facts(where isWanted: (FeatureBlueprint.StateVariable) -> Bool) -> [Fact] {
        zip(blueprint.variables, variables).compactMap { variable, state in
            // A value that cannot be written was never kept.
            isWanted(variable) ? (try? state.whole()).map { Fact(variable: variable.key, value: $0) } : nil
        }.flatMap { fact in hasEntries(fact.variable) ? Self.entries(of: fact) : [fact] }
    }

    /// Returns true if the journal has entries of a table of a described feature, and no whole.
    private final func hasEntries(_ key: String) -> Bool {
        guard blueprint.isDescribed, let index = index(of: key) else { return false }
        return blueprint.variables[index].type.changesByEntry && !wholes.contains(index)
    }

    private static func entries(of fact: Fact) -> [Fact] {
        guard let value = fact.value, let rows = try? [String: DescribedRow](parsing: value) else { return [fact] }
        // What was read as JSON can be written.
        return rows.map { Fact(variable: fact.variable, entry: $0.key, value: (try? $0.value.json()) ?? []) }
    }

    /// Notes that facts are stored, or about to be.
    package final func noteKept(_ facts: Facts) {
        guard !unkept.isEmpty || blueprint.isDescribed else { return }
        for fact in facts where fact.entry == nil {
            if let index = index(of: fact.variable) { noteWhole(index) }
        }
    }

    /// Notes that the journal has the whole of a variable or table.
    private final func noteWhole(_ index: Int) {
        unkept.remove(index)
        guard blueprint.isDescribed, blueprint.variables[index].type.changesByEntry else { return }
        entered.remove(index)
        wholes.insert(index)
    }

    /// Returns true if a fact is an entry of a described table that shows its initial rows. They are not in the journal,
    /// which knew the table before it had initial rows.
    private final func endsInitialRows(_ fact: Fact, _ index: Int) -> Bool {
        guard fact.entry != nil, !unkept.isEmpty, blueprint.isDescribed else { return false }
        return unkept.contains(index) && entered.insert(index).inserted
    }

    private final func noRows(_ index: Int) -> Fact {
        Fact(variable: blueprint.variables[index].key, value: Array("{}".utf8))
    }

    /// Writes a fact about the variable of an index.
    final func take(_ fact: Fact, about index: Int, in transaction: inout Transaction) throws(JSONError) {
        if endsInitialRows(fact, index) { try variables[index].take(noRows(index), in: &transaction) }
        try variables[index].take(fact, in: &transaction)
        if fact.entry == nil { noteWhole(index) }
    }

    /// Takes a fact about the variable of an index, outside of any turn. Precondition: nobody has used this instance.
    final func restore(_ fact: Fact, about index: Int) throws(JSONError) {
        if endsInitialRows(fact, index) { try variables[index].restore(noRows(index)) }
        try variables[index].restore(fact)
        if fact.entry == nil { noteWhole(index) }
    }

    /// Copies the state of another instance of this feature.
    final func become(_ other: FeatureInstance, in transaction: inout Transaction) {
        for (own, others) in zip(variables, other.variables) where own !== others {
            own.become(others, in: &transaction)
        }
        guard blueprint === other.blueprint else { return }
        (unkept, wholes, entered) = (other.unkept, other.wholes, other.entered)
    }

    // MARK: Views

    final var views: FeatureViews {
        if let madeViews { return madeViews }
        guard blueprint.hasOperators else {
            let made = makeViews()
            madeViews = made
            return made
        }
        let operators = NamedOperators(of: name, dependsOnCommon: blueprint.dependsOnCommon)
        let made = NamedOperators.collect(into: operators) { makeViews() }
        made.operators = operators
        madeViews = made
        return made
    }

    /// The view of a name in this feature, if the view model stores it; nil if it has required parameters.
    final func view(_ label: String) -> (any View)? {
        blueprint.viewIndexes[label].flatMap { views.stored[$0].view }
    }

    /// Makes an instance of the view of an index.
    final func view(_ index: Int, of instance: ViewForm.Instance, _ key: DigestKey) -> (any View)? {
        // The form of the view has read the same parameters by the same code.
        try? views.stored[index].view(of: instance, named: blueprint.viewForms[index].name.description, key)
    }

    /// Makes an instance of the view of an index for a viewer.
    final func view(
        _ index: Int, of instance: ViewForm.Instance, for viewer: Viewer, _ key: DigestKey
    ) -> (any View)? {
        try? views.stored[index].view(
            of: instance, for: viewer, named: blueprint.viewForms[index].name.description, key)
    }

    /// Makes the answer of the rules of the view of an index for a viewer; nil if it has none.
    final func answer(_ index: Int, of parameters: JSON, for viewer: Viewer) -> Observable<Bool>? {
        let answers = [views.rule, views.stored[index].rule].compactMap { $0?.answer(for: viewer, parameters) }
        if answers.count < 2 { return answers.first }
        return combineLatest(answers).map { $0.allSatisfy(\.self) }
    }

    /// Makes the answer of the rule of all views for a viewer; nil if there is none.
    package func answer(ofFeature viewer: Viewer) -> Observable<Bool>? { views.rule?.answer(for: viewer, [:]) }

    /// Makes the answer of the rules of a view that the state defines.
    final func openAnswer(_ label: String, for viewer: Viewer) -> Observable<Bool>? {
        views.open?.answer(ofRulesOf: label, for: viewer)
    }

    /// The sources of a view that the state defines; nil if there is none.
    package final func openDerivation(_ label: String) -> ViewDerivation? { views.open?.derivation(of: label) }

    /// The view of a name in this feature that the state defines; nil if the view model stores a view of that name, or
    /// if the state never defines views. The error is the reason that the state does not define the view.
    final func openView(_ label: String) throws(MissingView) -> (any View)? {
        guard blueprint.isOpen, blueprint.viewIndexes[label] == nil else { return nil }
        return try views.open?.view(label)
    }

    /// The named operators of its view model, once `bindOperators` has given them a memory.
    final var operators: NamedOperators? { madeViews?.operators }

    /// Makes the view model, and gives its named operators what the space remembers.
    final func bindOperators(_ memories: Memories) {
        views.operators?.bind(memories)
    }

    /// The estimated bytes of its indexes.
    var indexBytes: Int { 0 }

    /// The definitions that remember, of its state or of a document.
    var rememberers: [any Rememberer] {
        (views.open as? any RememberingViewModel).map { [$0.rememberer] } ?? []
    }

    /// The stored properties of a value that are of a kind, by name.
    package static func children<Kind>(of value: Any, as kind: Kind.Type) -> [(String, Kind)] {
        Mirror(reflecting: value).children.compactMap { child in
            guard let label = child.label, let value = child.value as? Kind else { return nil }
            return (label, value)
        }
    }
}
