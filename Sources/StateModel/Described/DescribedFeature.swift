import JSON
import Reactive

/// The definition of a feature that data describes.
final class DescribedDefinition: FeatureDefinition {
    let description: any FeatureDescription
    /// The migrations of its state, oldest first.
    let migrations: [StateMigration]

    init(_ description: any FeatureDescription, _ migrations: [StateMigration] = []) {
        self.description = description
        self.migrations = migrations
    }

    var sources: [StateMove] {
        migrations.flatMap { migration -> [StateMove] in
            guard let description = migration.description else { return [] }
            return description.state.compactMap { part in
                guard let source = part.source, migration.labels.contains(part.label) else { return nil }
                return StateMove(edition: migration.edition, from: source.table, to: part.label)
            }
        }
    }

    func outline(
        of feature: Feature, given: [FeatureInstance], _ views: SpaceViews
    ) throws(RegistrationFault) -> FeatureOutline {
        let name = feature.name
        let labels =
            description.state.map(\.label) + description.actions.map(\.label)
            + description.views.filter { !$0.isReplica }.map(\.label)
        for label in labels where !Registry.isName(label) {
            throw RegistrationFault(
                "\(name) cannot have a variable, an action or a view called \"\(label)\": \(Registry.naming)")
        }
        var outline = FeatureOutline()
        outline.state = description.state.map { state in
            let schema: JSON =
                state.form.isTable ? ["type": "object", "additionalProperties": state.schema] : state.schema
            let type: any PersistentState.Type =
                state.form.isTable ? Table<String, DescribedRow>.self : Variable<JSON>.self
            return FeatureOutline.StatePart(
                label: state.label, type: type, schema: schema,
                isTracked: !state.form.isTable || !state.initialRows.isEmpty,
                isKept: state.isKept, presence: state.presence,
                privatePlaces: state.privatePlaces.map { state.form.isTable ? [PrivateParts.any] + $0 : $0 })
        }
        outline.actions = description.actions.map {
            FeatureOutline.ActionPart(
                label: $0.label, input: $0.input, output: $0.output, privatePlaces: $0.privatePlaces, rename: $0.rename)
        }
        outline.hasActRule = description.actions.contains(where: \.hasRule)
        outline.views = try description.views.map { view throws(RegistrationFault) in
            FeatureOutline.ViewPart(
                label: view.label, value: view.value, form: try ViewForm.make("\(name).\(view.label)", view),
                access: ViewAccess(view: view.claims, rule: view.rule), rules: view.rules, isKept: view.isKept,
                readsTime: view.readsTime, isMaintained: view.isMaintained,
                showsPrivate: view.showsPrivate, hiddenPlaces: view.hiddenPlaces, guards: view.guards,
                isReplica: view.isReplica)
        }
        outline.readRule = description.readRule
        outline.readGuard = description.readGuard
        outline.canRemember = !description.memories.isEmpty
        outline.memories = description.memories
        outline.readsSpaceName = description.readsSpaceName
        outline.level = migrations.last?.edition ?? 0
        return outline
    }

    func latestAlarm(after time: Timestamp) -> Timestamp? { description.latestAlarm(after: time) }

    var moves: [StateMove] {
        migrations.flatMap { migration in
            migration.moves.map { StateMove(edition: migration.edition, from: $0.from, to: $0.to) }
        }
    }

    func instance(
        of blueprint: FeatureBlueprint, given: [FeatureInstance], in space: FeatureSurroundings,
        replacing old: FeatureInstance?
    ) -> FeatureInstance {
        let states = zip(description.state, blueprint.variables).map { state, variable -> DescribedState in
            // State without facts begins with the initial value of this definition.
            let kept = old.flatMap { $0.isInitial(variable.key) ? nil : $0.state(named: variable.key) }
            switch state.form {
            case .variable(let initial): return .variable(kept as? Variable<JSON> ?? Variable(initial))
            case .table:
                guard !state.initialRows.isEmpty else {
                    if let table = kept as? Table<String, DescribedRow> { return .table(table) }
                    return .table(state.isKept ? Table() : Table(kept: false))
                }
                // The journal knows no row of an empty table, unless it has a fact of the whole.
                if let table = kept as? Table<String, DescribedRow>,
                    table.hasRows || old?.hasWhole(variable.key) == true
                {
                    return .table(table)
                }
                return .table(Table(state.initialRows))
            }
        }
        let names = Dictionary(
            zip(description.given, given.map(\.forOthers)), uniquingKeysWith: { first, _ in first })
        let feature = DescribedFeature(
            blueprint, self,
            DescribedSpace(
                name: space.name.description, keySuffix: blueprint.keySuffix, state: states, given: names,
                views: space.views, memories: blueprint.memories, clock: space.clock))
        if let old { feature.noteKept(by: old) }
        return feature
    }
}

extension ViewForm {
    /// The form of a described view, or the name of a parameter that it cannot have, with the reason.
    fileprivate static func make(_ name: String, _ view: ViewOutline) throws(RegistrationFault) -> ViewForm {
        var defaults = JSON.Object()
        if case .object(let properties)? = view.parameters?["properties"] {
            for property in properties { defaults[property.key] = property.value["default"] }
        }
        return ViewForm(
            name: ViewKey(name),
            parameters: try view.parameters.map { schema throws(RegistrationFault) in
                try parameters(of: name, schema, .object(defaults))
            } ?? [], isList: view.isList, normalize: view.normalize)
    }
}

/// A described feature in one space.
final class DescribedFeature: FeatureInstance {
    let definition: DescribedDefinition
    let space: DescribedSpace
    private var description: any FeatureDescription { definition.description }
    private lazy var parts = description.parts(in: space)

    init(_ blueprint: FeatureBlueprint, _ definition: DescribedDefinition, _ space: DescribedSpace) {
        self.definition = definition
        self.space = space
        super.init(
            blueprint,
            variables: space.state.map { state -> any PersistentState in
                switch state {
                case .variable(let variable): variable
                case .table(let table): table
                }
            })
    }

    override var indexBytes: Int { space.indexes.bytes }

    override var actionIndexes: [any SlicedIndex] { description.actionIndexes(of: space) }

    override func makeActions() -> [ActionClosures] { parts.actions.map(ActionClosures.init(performing:)) }

    override func makeActRule() -> ActRule? { parts.actRule }

    override func checkIndexes(checksRows: Bool) throws(Rejection) {
        try description.checkIndexes(space, checksRows: checksRows)
    }

    override func makeEditRule() -> ActRule? { parts.editRule }

    override func fault(ofKey key: String, _ index: Int) -> String? { description.state[index].keyFault(key) }

    override func fault(of value: JSON, _ index: Int) -> String? { description.state[index].fault(value, true) }

    // The rules of each view include that of the feature.
    override func answer(ofFeature viewer: Viewer) -> Observable<Bool>? { parts.readRule?([:], viewer) }

    override func presenceRow(_ index: Int, _ key: String, _ row: JSON) throws(Rejection) -> JSON {
        let state = description.state[index]
        let filled = state.fill(row)
        if let fault = state.fault(filled, false) { throw Rejection(.invalid, fault, at: JSONPointer(["with"])) }
        return filled
    }

    override func presentRow(_ index: Int, _ key: String) -> JSON? {
        if case .table(let table) = space.state[index] { table.rows[key]?.value } else { nil }
    }

    override func presentAdding(_ index: Int, _ key: String) -> FirstAdding {
        if case .table(let table) = space.state[index] { table.rows[key]?.added ?? .unknown } else { .unknown }
    }

    override func writePresence(
        _ index: Int, _ key: String, _ row: JSON?, added: FirstAdding, in transaction: inout Transaction
    ) throws(JSONError) {
        guard case .table(let table) = space.state[index] else { return }
        transaction[table, key] = row.map { DescribedRow($0, added: transaction[table, key]?.added ?? added) }
    }

    override func makeViews() -> FeatureViews {
        let parts = parts
        let views = zip(description.views, parts.views).enumerated().map { index, view in
            DescribedView(
                view.0, view.1,
                needsParameters: blueprint.viewForms[blueprint.viewIndexes[view.0.label] ?? 0].needsParameters,
                personal: parts.personalViews[index],
                rule: view.0.rule.map { claims in
                    ReadRule(reading: claims.names) { viewer, parameters in
                        parts.rules[index]?(parameters, viewer) ?? .just(false)
                    }
                })
        }
        return FeatureViews(views)
    }

    override func makeEffects(_ outside: Outside) -> (any Effects)? { nil }

    override var rememberers: [any Rememberer] { parts.rememberers }

    override func fillRestored(_ level: StateLevel, _ index: Int, row key: String?) {
        let part = description.state[index]
        guard !isPending(part.label, level) else { return }
        switch space.state[index] {
        case .variable(let variable):
            let filled = part.fill(variable.value)
            if filled != variable.value { variable.restore(filled) }
        case .table(let table):
            func fill(_ key: String, _ row: DescribedRow) {
                let filled = part.fill(row.value)
                if filled != row.value { table.restore(row.with(filled), for: key) }
            }
            guard let key else {
                for (key, row) in table.rows { fill(key, row) }
                return
            }
            if let row = table.rows[key] { fill(key, row) }
        }
    }

    override func fill(_ level: StateLevel, in transaction: inout Transaction) {
        for (state, part) in zip(space.state, description.state) where !isPending(part.label, level) {
            switch state {
            case .variable(let variable):
                let filled = part.fill(variable.value)
                if filled != variable.value { transaction[variable] = filled }
            case .table(let table):
                for (key, row) in table.rows {
                    let filled = part.fill(row.value)
                    if filled != row.value { transaction[table, key] = row.with(filled) }
                }
            }
        }
    }

    /// True if a variable waits for a migration.
    private func isPending(_ label: String, _ level: StateLevel) -> Bool {
        !StateMigration.steps(of: label, in: definition.migrations, above: level).isEmpty
    }

    override func migrate(
        from level: StateLevel, but migrated: Set<Int>, waiting: (String) -> [String: DescribedRow],
        in transaction: inout Transaction
    ) throws(MigrationFailure) {
        for (index, part) in description.state.enumerated() where !migrated.contains(index) {
            let state = space.state[index]
            let steps = StateMigration.steps(of: part.label, in: definition.migrations, above: level)
            if steps.isEmpty { continue }
            let isInitial = isInitial("\(name).\(part.label)\(blueprint.keySuffix)")
            switch state {
            case .variable(let variable):
                if isInitial { continue }
                transaction[variable] = try StateMigration.value(part, steps, variable.value, nil)
            case .table(let table):
                if let step = steps.last(where: \.isMade), let made = step.part?.source {
                    try make(table, part, from: made, present(made.table, step), waiting, in: &transaction)
                } else if !isInitial {
                    for (key, row) in table.rows {
                        transaction[table, key] = row.with(try StateMigration.value(part, steps, row.value, key))
                    }
                    for (key, row) in seeds(of: part, steps) where table.rows[key] == nil {
                        transaction[table, key] = row
                    }
                }
                guard let search = part.repeated?() else { continue }
                for (key, row) in transaction.rows(of: table) {
                    if let repeated = search.note(key, row).first { throw repeated.failure(of: part.label, key) }
                }
            }
        }
    }

    /// Makes the rows of a table from those of another one.
    private func make(
        _ table: Table<String, DescribedRow>, _ part: StateDescription, from source: StateDescription.RowSource,
        _ label: String,
        _ waiting: (String) -> [String: DescribedRow], in transaction: inout Transaction
    ) throws(MigrationFailure) {
        let rows = self.table(label)?.rows ?? waiting(label)
        for (key, row) in rows.sorted(by: { $0.key < $1.key }) {
            if let made = try part.row(from: source, key, row) { transaction[table, made.key] = made.row }
        }
    }

    /// The name of the table that rows are made of: the document may give it another one at the same time.
    private func present(_ label: String, _ step: StateMigration.MigratingPart) -> String {
        step.migration.description?.state.first { $0.was == label && table($0.label) != nil }?.label ?? label
    }

    /// The table of a name; nil if it declares none.
    private func table(_ label: String) -> Table<String, DescribedRow>? {
        for (state, part) in zip(space.state, description.state) where part.label == label {
            if case .table(let table) = state { return table }
        }
        return nil
    }

    override func largeTables(
        from level: StateLevel, renamed: Set<String>, waiting: (String) -> [Fact]
    ) -> [MigratingTable] {
        var tables: [MigratingTable] = []
        for (index, part) in description.state.enumerated() where part.isKept {
            guard case .table(let table) = space.state[index] else { continue }
            let steps = StateMigration.steps(of: part.label, in: definition.migrations, above: level)
            let variable = blueprint.variables[index].key
            // A table with initial rows has these until the journal has its whole.
            let isRenamed = renamed.contains(part.label)
            let beginsOtherwise = !part.initialRows.isEmpty && (isRenamed || !hasWhole(variable))
            let kept: MigratingTable.KeptRows = beginsOtherwise ? .whole : isRenamed ? .all : .changed
            if let step = steps.last(where: \.isMade), let source = step.part?.source {
                let label = present(source.table, step)
                let rows = self.table(label)?.rows
                let facts = rows == nil ? waiting(label) : []
                guard max(rows?.count ?? 0, facts.count) >= RowBuild.rowsAtLeast else { continue }
                tables.append(
                    MigratingTable(
                        table, index, of: blueprint, keeping: kept, repeated: part.repeated, from: rows ?? [:], facts
                    ) { key, row throws(MigrationFailure) in
                        try part.row(from: source, key, row)
                    })
            } else if !steps.isEmpty, table.rows.count >= RowBuild.rowsAtLeast, !isInitial(variable) {
                tables.append(
                    MigratingTable(
                        table, index, of: blueprint, keeping: kept, repeated: part.repeated,
                        seeds: seeds(of: part, steps)
                    ) { key, row throws(MigrationFailure) in
                        (key, row.with(try StateMigration.value(part, steps, row.value, key)))
                    })
            }
        }
        return tables
    }

    /// The initial rows that documents added since, each of which is added once, unless the key is there.
    private func seeds(
        of part: StateDescription, _ steps: [StateMigration.MigratingPart]
    ) -> [String: DescribedRow] {
        guard part.seedsAlways, let first = steps.first?.before else { return [:] }
        return part.initialRows.filter { first.initialRows[$0.key] == nil }
    }

    override func rehearse(
        from level: StateLevel, stored: (String) -> [String: DescribedRow]
    ) -> [MigratedTable] {
        var tables: [MigratedTable] = []
        for part in description.state where part.form.isTable && part.isKept {
            let steps = StateMigration.steps(of: part.label, in: definition.migrations, above: level)
            var found = MigratedTable(label: part.label, repeated: part.repeated)
            let hidden = PrivateParts(part.privatePlaces)
            if let step = steps.last(where: \.isMade), let source = step.part?.source {
                let old = StateMigration.steps(of: source.table, in: definition.migrations, above: level)
                let origin =
                    step.migration.before?.state.first { $0.label == source.table }
                    ?? old.first?.before ?? description.state.first { $0.label == source.table }
                let before = origin.map { PrivateParts($0.privatePlaces) } ?? .whole
                for (key, row) in stored(present(source.table, step)).sorted(by: { $0.key < $1.key }) {
                    found.note(key, row, hiding: before, after: hidden, fault: { part.fault($0, true) }) {
                        try source.make(key, row.value).map { ($0.key, part.fill($0.row)) }
                    }
                }
            } else {
                for (key, row) in stored(part.label).sorted(by: { $0.key < $1.key }) {
                    found.note(key, row, hiding: hidden, after: hidden, fault: { part.fault($0, true) }) {
                        if steps.isEmpty { return (key, part.fill(row.value)) }
                        return (key, try StateMigration.unchecked(part, steps, row.value, key))
                    }
                }
            }
            found.noteRepeated()
            tables.append(found)
        }
        return tables
    }
}

extension StateDescription {
    /// Returns the row that a row of another table becomes, and its key; nil for none.
    fileprivate func row(
        from source: RowSource, _ key: String, _ row: DescribedRow
    ) throws(MigrationFailure) -> (key: String, row: DescribedRow)? {
        let made: (key: String, row: JSON)?
        do {
            made = try source.make(key, row.value)
        } catch {
            throw MigrationFailure(of: label, key, "\(error)")
        }
        guard let made else { return nil }
        let value = fill(made.row)
        if let reason = fault(value, true) { throw MigrationFailure(of: label, made.key, reason) }
        return (made.key, row.with(value))
    }
}

extension ActionClosures {
    /// The closures of an action of a described feature.
    fileprivate convenience init(performing perform: @escaping DescribedParts.Perform) {
        func run(_ input: JSON, _ commit: inout Commit) throws(Rejection) {
            guard let answer = try perform(input, &commit) else { return }
            do throws(JSONError) {
                commit.result = try answer.json()
            } catch {
                throw Rejection(.invalid, "the answer cannot be written: \(error.reason)")
            }
        }
        func read(_ bytes: [UInt8]?) throws(Rejection) -> JSON {
            do throws(JSONError) {
                return try bytes.map { bytes throws(JSONError) in try JSON(parsing: bytes) } ?? [:]
            } catch {
                throw Rejection(error)
            }
        }
        self.init(
            run: { bytes, commit throws(Rejection) in
                try run(try read(bytes), &commit)
            }, runTree: { input, commit throws(Rejection) in try run(input, &commit) },
            tree: { bytes throws(Rejection) in try read(bytes) })
    }
}

/// A view of a described feature in one space.
private final class DescribedView: StoredView {
    private let outline: ViewOutline
    private let make: DescribedParts.MakeView
    private let needsParameters: Bool
    /// The view for the defaults of all parameters.
    private(set) lazy var view: (any View)? =
        needsParameters || personal != nil ? nil : plain(((try? outline.normalize([:])) ?? [:]))
    /// Makes the view for a viewer; nil if it is the same for all.
    private let personal: DescribedParts.MakePersonalView?
    let rule: ReadRule?

    init(
        _ outline: ViewOutline, _ make: @escaping DescribedParts.MakeView, needsParameters: Bool,
        personal: DescribedParts.MakePersonalView?, rule: ReadRule?
    ) {
        (self.outline, self.make, self.needsParameters) = (outline, make, needsParameters)
        (self.personal, self.rule) = (personal, rule)
    }

    var claims: ClaimSet? { outline.claims }

    private func plain(_ parameters: JSON) -> any View {
        switch make(parameters) {
        case .value(let values): values
        case .list(let rows): rows
        }
    }

    func view(of instance: ViewForm.Instance, named view: String, _ key: DigestKey) throws(JSONError) -> any View {
        Self.view(of: make(instance.parameters), instance, named: view, key)
    }

    func view(
        of instance: ViewForm.Instance, for viewer: Viewer, named view: String, _ key: DigestKey
    ) throws(JSONError) -> any View {
        guard let personal else { return try self.view(of: instance, named: view, key) }
        return Self.view(of: personal(instance.parameters, viewer), instance, named: view, key)
    }

    private static func view(
        of values: DescribedValues, _ instance: ViewForm.Instance, named view: String, _ key: DigestKey
    ) -> any View {
        switch values {
        case .value(let values): instance.window.map { values.windowed($0, of: view, key) } ?? values
        case .list(let rows): instance.window.map { rows.windowed($0, of: view, key) } ?? rows
        }
    }
}
