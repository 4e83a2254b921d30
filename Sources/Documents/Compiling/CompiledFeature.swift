import Expressions
package import JSON
import Reactive
import Schemas
package import StateModel
import Streams

/// A feature that a document describes.
package final class CompiledFeature: FeatureDescription {
    /// The document.
    package let json: JSON
    package var source: JSON? { json }
    package let name: String
    package let scope: Scope
    package let given: [String]
    package let state: [StateDescription]
    package let actions: [ActionOutline]
    package let views: [ViewOutline]
    package let readsSpaceName: Bool
    package let readRule: ClaimSet?
    package let readGuard: String?
    /// The rule of all views, for features that are given the state; nil for none.
    private let sharedRule: ViewRule?
    package let document: FeatureDocument
    private let programs: [ActionProgram]
    let compiledViews: [CompiledView]
    private let schedules: [CompiledSchedule]
    /// The indexes of the tables.
    let indexes: [StateIndex]
    /// The ways to the rows that views, rules and actions read.
    private let reads: [PlannedRead]
    /// The state that clients may hold; nil for none.
    let replica: CompiledReplica?
    /// What clients compute themselves; nil without a replica.
    private let clients: ClientParts?
    /// The views that remember, each after those that it reads.
    private let pipelines: [ViewPipeline]
    /// The rule for all actions, as presence asks it; nil for none.
    private let actRule: ActionProgram?
    /// The rule for edits by administrators; nil for none.
    private let editRule: ActionProgram?
    /// The warnings of identifiers that serve as secrets.
    private let secretWarnings: [DocumentFault]
    /// True if new identifiers count from 1, as in tests.
    private let isTrial: Bool

    init(
        _ document: FeatureDocument, _ json: JSON, actions: [(part: WrittenAction, program: ActionProgram)],
        actRule: ActionProgram?, editRule: ActionProgram?, views: [CompiledView], migrations: [String: CompiledFormula],
        sources: [String: MigrationCompiler.CompiledSource], readRule: ExpressionView?, schedules: [CompiledSchedule],
        indexes: [StateIndex] = [], replica: CompiledReplica? = nil, clients: ClientParts? = nil,
        reads: [PlannedRead] = [], secretWarnings: [DocumentFault] = []
    ) {
        self.secretWarnings = secretWarnings
        (self.schedules, self.indexes, self.reads) = (schedules, indexes, reads)
        (self.replica, self.clients) = (replica, clients)
        if let replica, let clients {
            client = ClientDocument(document, json, replica, clients).content
        } else {
            client = nil
        }
        sharedRule = readRule.map { expression in
            var rule = ViewRule()
            rule.add(expression, parameters: nil)
            return rule
        }
        self.readRule = sharedRule?.claims
        readGuard = readRule?.identity(in: document.name, json)
        (self.document, self.json, isTrial) = (document, json, false)
        self.actRule = actRule
        self.editRule = editRule
        (name, scope, given) = (document.name, document.home, document.given.map(\.name))
        let types: JSON = json["types"] ?? [:]
        state = document.state.enumerated().map { place, part in
            let unique = indexes.filter { $0.table == place && $0.index.isUnique }.map(\.index)
            return part.description(types, migrations[part.name], sources[part.name], unique)
        }
        self.actions = actions.map { action in
            let schema = action.part.input
            var rename: (@Sendable (JSON) -> JSON)?
            if schema.hasRenames { rename = { input in schema.renamed(input) } }
            return ActionOutline(
                action.part.name, input: PublicSchema.of(action.part.inputSchema, types),
                output: action.program.answer?.type.clientSchema, hasRule: !action.program.rules.isEmpty,
                privatePlaces: action.part.privateInput.places, rename: rename)
        }
        self.views =
            views.map { $0.outline(in: document.name, json) } + (replica?.outlines(in: document.name, json) ?? [])
        identity = client.map { Digest(Array("\($0)".utf8)).tag } ?? ""
        programs = actions.map(\.program)
        compiledViews = views
        pipelines = views.remembering
        readsSpaceName = views.contains(where: \.readsSpaceName)
    }

    private init(forTrialsOf feature: CompiledFeature) {
        (document, json, isTrial) = (feature.document, feature.json, true)
        (sharedRule, readRule, readGuard) = (feature.sharedRule, feature.readRule, feature.readGuard)
        (actRule, editRule) = (feature.actRule, feature.editRule)
        (name, scope, given) = (feature.name, feature.scope, feature.given)
        (state, actions, views) = (feature.state, feature.actions, feature.views)
        (programs, compiledViews) = (feature.programs, feature.compiledViews)
        (schedules, pipelines, indexes) = (feature.schedules, feature.pipelines, feature.indexes)
        (reads, replica, clients, client) = (feature.reads, feature.replica, feature.clients, feature.client)
        secretWarnings = feature.secretWarnings
        identity = feature.identity
        readsSpaceName = feature.readsSpaceName
    }

    /// The same feature for tests.
    package var forTrials: CompiledFeature { CompiledFeature(forTrialsOf: self) }

    package var memories: [String] { pipelines.map(\.label) + (schedules.isEmpty ? [] : ["schedules"]) }

    /// The number of its views that remember.
    var rememberingCount: Int { pipelines.count }

    package func latestAlarm(after time: Timestamp) -> Timestamp? {
        schedules.compactMap(\.recurrence).compactMap { $0.latest(after: time) }.min()
    }

    var stateTypes: [StateType] { document.state.map(\.stateType) }

    package func parts(in space: DescribedSpace) -> DescribedParts {
        let reads = ActionReads(
            space, document.state.map(\.name), indexes: indexes, countsIdentifiers: isTrial)
        var actions: [DescribedParts.Perform] = []
        for (index, program) in programs.enumerated() {
            let isPredicted = clients?.actions[index].reason == nil && clients != nil
            actions.append(
                Self.performing(
                    program, predicted: isPredicted ? "\(name)/\(self.actions[index].label)" : nil, reads, space.state))
        }
        let remembered =
            pipelines.isEmpty
            ? nil : RememberedPipelines(pipelines, pipelines.map { space.memories[$0.label] ?? "" }, space.views)
        var rules: [Int: DescribedParts.MakeAnswer] = [:]
        var personal: [Int: DescribedParts.MakePersonalView] = [:]
        for (index, view) in compiledViews.enumerated() {
            if let rule = view.rule { rules[index] = { rule.answer(in: space, $0, $1) } }
            if view.claims != nil { personal[index] = { view.values(in: space, $0, $1.caller.token, nil) } }
        }
        var views: [DescribedParts.MakeView] = compiledViews.map { view in
            { view.values(in: space, $0, .null, remembered) }
        }
        if let replica {
            if let rule = replica.rule { rules[views.count] = { rule.answer(in: space, $0, $1) } }
            if replica.claims != nil {
                personal[views.count] = { [identity] in ReplicaRows.list(replica, identity, in: space, $1.caller.token)
                }
            }
            views.append { [identity] _ in ReplicaRows.list(replica, identity, in: space, .null) }
        }
        var rememberers: [any Rememberer] = []
        if let remembered { rememberers.append(remembered) }
        if !schedules.isEmpty { rememberers.append(FeatureSchedules(schedules, of: name, in: scope, reads, space)) }
        return DescribedParts(
            actions: actions, views: views,
            rememberers: rememberers, rules: rules, personalViews: personal,
            readRule: sharedRule.map { rule in { rule.answer(in: space, $0, $1) } },
            actRule: Self.rule(actRule, reads, space.state), editRule: Self.rule(editRule, reads, space.state))
    }

    package func actionIndexes(of space: DescribedSpace) -> [any SlicedIndex] {
        indexes.compactMap { state in
            guard state.index.isUnique || actionReads.contains(state.name),
                case .table(let table) = space.state[state.table]
            else { return nil }
            return space.index(state.index, of: table).rows
        }
    }

    /// The names of the indexes that actions, rules and schedules read.
    private var actionReads: Set<String> {
        Set(
            reads.compactMap { read in
                guard read.pointer.tokens.first != "views", case .index(let name) = read.form else { return nil }
                return name
            })
    }

    package func checkIndexes(_ space: DescribedSpace, checksRows: Bool) throws(Rejection) {
        for state in indexes where checksRows || state.index.isUnique {
            guard case .table(let table) = space.state[state.table], table.isWritten else { continue }
            let index = space.index(state.index, of: table)
            if checksRows {
                for (key, row) in table.written {
                    if let rejection = row.flatMap({ index.rejection(of: key, $0, in: name) }) { throw rejection }
                }
            }
            guard state.index.isUnique, let pair = index.secondRow() else { continue }
            throw .notUnique(
                Rejection.RepeatedGroup(
                    index: state.index.name, key: pair.key, other: pair.other,
                    isOpen: !document.hasRules && !state.hasPrivateGroups))
        }
    }

    private static func rule(
        _ program: ActionProgram?, _ reads: ActionReads, _ states: [DescribedState]
    ) -> ActRule? {
        program.map { program in
            ActRule.checking { input, commit throws(Rejection) in try program.check(input, reads, states, &commit) }
        }
    }

    private static func performing(
        _ program: ActionProgram, predicted: String?, _ reads: ActionReads, _ states: [DescribedState]
    ) -> DescribedParts.Perform {
        func perform(_ input: JSON, _ commit: inout Commit) throws(Rejection) -> JSON? {
            try program.perform(input, predicted: predicted, reads, states, &commit)
        }
        return perform
    }

    package var faultsWhenPut: [DocumentFault] { document.faultsWhenPut }

    package var drops: [String] { document.drops.map(\.name) }

    package var warnings: [DocumentFault] {
        programs.flatMap(\.warnings) + reads.compactMap(\.fault) + SubjectChecks.warnings(of: document) + secretWarnings
    }

    package var plan: [JSON] { (reads + (replica?.reads ?? [])).map(\.json) + (clients?.plan ?? []) }

    package let client: JSON?
    /// The identity of what clients need of the document: with another one they hold nothing that is comparable.
    private let identity: String

    package func isPredicted(_ action: String) -> Bool {
        clients?.actions.contains { $0.name == action && $0.reason == nil } ?? false
    }

    package func faults(after old: any FeatureDescription) -> [DocumentFault] {
        guard let old = old as? CompiledFeature else { return [] }
        var faults = FaultList()
        if old.scope != scope, !old.state.isEmpty {
            faults.add(
                "the state of \(name) is in \(old.scope == .common ? "common" : "each space"): DELETE it with state=drop first",
                at: JSONPointer(["home"]))
        }
        for part in document.state {
            let before =
                old.document.state.first { $0.name == part.name }
                ?? part.was.flatMap { was in old.document.state.first { $0.name == was.name } }
            guard let before else {
                addFaults(ofSourceOf: part, in: old, &faults)
                continue
            }
            switch (before.form, part.form) {
            case (.value(let old, _), .value(let new, _)):
                if part.migrate == nil { add(new.changes(from: old), part, "value", &faults) }
            case (.table(let old), .table(let new)):
                add(new.key.changes(from: old.key), part, "table/key", &faults)
                if part.migrate == nil { add(new.row.changes(from: old.row.withoutNull), part, "table/row", &faults) }
                if old.isKept, !new.isKept {
                    faults.add(
                        "the rows of \(part.name) were kept, and would be lost: take another name",
                        at: part.pointer.appending("kept"))
                }
            default:
                faults.add(
                    "\(part.name) was a \(before.kind), and no \(part.kind) can take its place: take another name",
                    at: part.pointer)
            }
        }
        return faults.all
    }

    /// Adds the reasons for which a new table may not take the rows of another one as they are. A `where` may leave out those
    /// that do not fit.
    private func addFaults(ofSourceOf part: WrittenState, in old: CompiledFeature, _ faults: inout FaultList) {
        guard let source = part.source, source.condition == nil, case .table(let table) = part.form,
            case .table(let made)? = old.document.state.first(where: { $0.name == source.table.name })?.form
        else { return }
        if source.key == nil { add(table.key.changes(from: made.key), part, "table/key", or: "key", &faults) }
        if source.row == nil {
            add(table.row.changes(from: made.row.withoutNull), part, "table/row", or: "row", &faults)
        }
    }

    private func add(
        _ changes: [SchemaFault], _ part: WrittenState, _ member: String, or other: String = "migrate",
        _ faults: inout FaultList
    ) {
        for change in changes {
            let place = change.pointer.tokens.isEmpty ? "" : "\(change.pointer): "
            faults.add(
                "\(place)\(change.description); or write \"\(other)\"",
                at: JSONPointer(part.pointer.tokens + member.split(separator: "/").map(String.init)),
                allowed: change.allowed)
        }
    }
}

extension WrittenState {
    fileprivate var kind: String { stateType.isTable ? "table" : "variable" }

    fileprivate func description(
        _ types: JSON, _ migration: CompiledFormula?, _ source: MigrationCompiler.CompiledSource?,
        _ unique: [CompiledIndex]
    ) -> StateDescription {
        var migrate: (@Sendable (JSON, String?) throws -> JSON)?
        if let migration {
            migrate = { old, key in
                var steps = 0
                do throws(EvaluationFailure) {
                    return try migration.evaluate(
                        [.json(old), .json(key.map { .string($0) } ?? .null)], steps: &steps)
                } catch {
                    throw FormulaFailure(migration.words(for: error), at: migration.pointer)
                }
            }
        }
        let schema: ValueSchema
        let form: StateDescription.StateForm
        var isKept = true
        var initialRows = JSON.Object()
        var keySchema: ValueSchema?
        var presence: PresenceOutline?
        switch self.form {
        case .value(let value, let initial): (schema, form) = (value, .variable(initial: initial))
        case .table(let table):
            (schema, form, isKept) = (table.row, .table, table.isKept)
            initialRows = table.initial
            keySchema = table.key
            if table.isPresence {
                presence = PresenceOutline(grace: .seconds(table.grace), onLeave: table.onLeave?.name) { key in
                    table.key.fault(in: .string(key))?.description
                }
            }
        }
        var rowSource: StateDescription.RowSource?
        if let source { rowSource = StateDescription.RowSource(source.table) { key, row in try source.make(key, row) } }
        var rename: (@Sendable (JSON) -> JSON)?
        var repeated: (@Sendable () -> any RepeatedRowSearch)?
        if !unique.isEmpty { repeated = { UniqueRowSearch(by: unique) } }
        if schema.hasRenames { rename = { value in schema.renamed(value) } }
        return StateDescription(
            name, form, schema: PublicSchema.of(written, types), fill: { schema.filled($0) }, migrate: migrate,
            initialRows: initialRows, isKept: isKept, presence: presence,
            privatePlaces: schema.privatePlaces.map(\.tokens), was: was?.name,
            source: rowSource, seedsAlways: seedsAlways, rename: rename,
            fault: { [isTable = form.isTable] value, isComputed in
                if isTable, value == .null { return NullRows.reason }
                let fault = isComputed ? schema.computedFault(in: value) : schema.fault(in: value)
                return fault.map { fault in
                    fault.pointer.tokens.isEmpty ? fault.description : "\(fault.pointer): \(fault.description)"
                }
            }, keyFault: { [keySchema] key in keySchema?.fault(in: .string(key))?.description },
            repeated: repeated)
    }
}

extension CompiledView {
    /// Returns the view in a space, for a viewer with some claims.
    fileprivate func values(
        in space: DescribedSpace, _ parameters: JSON, _ token: JSON, _ remembered: RememberedPipelines?
    ) -> DescribedValues {
        switch form {
        case .expression(let expression): .value(expression.values(in: space, parameters, token))
        case .query(let query): query.values(in: space, parameters, token)
        case .pipeline(let view):
            .value(
                remembered.flatMap { view.remembers ? $0.output(part.name) : nil }
                    ?? view.pipeline.program.value(over: space.views))
        }
    }

    /// The view of a feature, without its values.
    fileprivate func outline(in feature: String, _ json: JSON) -> ViewOutline {
        let parameters = part.parameters
        let rules = rule?.places(in: feature) ?? []
        let guards = rule?.guards(in: feature, json) ?? ViewGuards()
        guard !parameters.isEmpty else {
            return ViewOutline(
                part.name, value: type.clientSchema, isList: isList, isMaintained: form.isQuery, claims: claims,
                rule: rule?.claims, rules: rules, isKept: isKept, readsTime: readsTime, showsPrivate: showsPrivate,
                hiddenPlaces: hiddenPlaces, guards: guards)
        }
        var properties = JSON.Object()
        for parameter in parameters { properties[parameter.name] = parameter.written }
        let required = parameters.filter(\.isRequired).map { JSON.string($0.name) }
        return ViewOutline(
            part.name, value: type.clientSchema,
            parameters: ["type": "object", "properties": .object(properties), "required": .array(required)],
            isList: isList, isMaintained: form.isQuery, claims: claims, rule: rule?.claims, rules: rules,
            isKept: isKept, readsTime: readsTime, showsPrivate: showsPrivate, hiddenPlaces: hiddenPlaces, guards: guards
        ) { given throws(JSONError) in try Self.normalized(given, parameters) }
    }

    /// Returns parameters with all defaults.
    private static func normalized(_ given: JSON, _ parameters: [WrittenParameter]) throws(JSONError) -> JSON {
        var object = JSON.Object()
        for parameter in parameters {
            let value = given[parameter.name] ?? parameter.schema.defaultValue ?? .null
            if let fault = parameter.schema.fault(in: value) {
                // The error begins with these words itself.
                let demand = fault.description.trimmingPrefix("the value ")
                throw JSONError(.refused(String(demand)), at: 0, pointer: JSONPointer([parameter.name]))
            }
            object[parameter.name] = value
        }
        return .object(object)
    }
}

extension CompiledReplica {
    /// The view of a feature inside the server that has the replica, without its values.
    fileprivate func outlines(in feature: String, _ json: JSON) -> [ViewOutline] {
        [
            ViewOutline(
                Self.label, value: [:], isList: true, claims: claims, rule: rule?.claims,
                rules: rule?.places(in: feature) ?? [], guards: rule?.guards(in: feature, json) ?? ViewGuards(),
                isReplica: true)
        ]
    }
}

extension [CompiledView] {
    /// The pipelines that remember, each after those that it reads.
    fileprivate var remembering: [ViewPipeline] {
        var ordered: [ViewPipeline] = []
        var seen: Set<String> = []
        func add(_ view: CompiledView) {
            guard seen.insert(view.part.name).inserted else { return }
            for other in self where view.reads.contains(other.part.name) { add(other) }
            if case .pipeline(let pipeline) = view.form, pipeline.remembers { ordered.append(pipeline.pipeline) }
        }
        for view in self { add(view) }
        return ordered
    }
}

/// The schemas of a document as clients see them: with the named types in place of references, and without the words
/// that only documents have.
enum PublicSchema {
    /// Returns the JSON Schema for clients. References that go too deep become the empty schema.
    static func of(_ schema: JSON, _ types: JSON, depth: Int = 0) -> JSON {
        guard depth < SchemaLimits.nesting, case .object(let object) = schema else { return [:] }
        var shown = JSON.Object()
        if case .string(let reference)? = object["$ref"], let place = JSONPointer(text: String(reference.dropFirst())),
            place.tokens.count == 2, let type = types[place.tokens[1]],
            case .object(let named) = of(type, types, depth: depth + 1)
        {
            for member in named { shown[member.key] = member.value }
            if type["properties"] ?? type["oneOf"] ?? type["enum"] != nil { shown["title"] = .string(place.tokens[1]) }
        }
        for member in object {
            switch member.key {
            case "$ref", "private", "was": break
            case "properties":
                guard case .object(let properties) = member.value else { break }
                var all = JSON.Object()
                for property in properties { all[property.key] = of(property.value, types, depth: depth + 1) }
                shown["properties"] = .object(all)
            case "oneOf":
                guard case .array(let branches) = member.value else { break }
                shown["oneOf"] = .array(branches.map { of($0, types, depth: depth + 1) })
            case "anyOf":
                guard case .array(let branches) = member.value,
                    let inner = branches.first(where: { $0 != ["type": "null"] }),
                    case .object(let named) = of(inner, types, depth: depth + 1)
                else { break }
                for member in named { shown[member.key] = member.value }
                switch named["type"] {
                case .string(let type)?: shown["type"] = [.string(type), "null"]
                case .array(let all)?: shown["type"] = .array(all.contains("null") ? all : all + ["null"])
                default: break
                }
                if let branches = named["oneOf"], case .array(let all) = branches {
                    shown["oneOf"] = .array(all + [["type": "null"]])
                }
            case "items": shown["items"] = of(member.value, types, depth: depth + 1)
            case "additionalProperties":
                if case .bool = member.value {
                    shown["additionalProperties"] = member.value
                } else {
                    shown["additionalProperties"] = of(member.value, types, depth: depth + 1)
                }
            default: shown[member.key] = member.value
            }
        }
        if object["properties"] != nil, object["additionalProperties"] == nil { shown["additionalProperties"] = false }
        return .object(shown)
    }
}
