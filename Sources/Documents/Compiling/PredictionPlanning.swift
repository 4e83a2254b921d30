import Expressions
import JSON
import StateModel

/// The planner of what clients compute themselves: the actions that they predict, and the views that are local.
struct PredictionPlanner {
    let replica: CompiledReplica
    let document: FeatureDocument
    let types: StateTypes

    /// The functions and methods that the engine in browsers lacks.
    static let missing: Set<String> = [
        "newSecret", "matches", "format", "bytes", "base64.encode", "base64.decode", "strings.quote", "uint",
        "type", "math.bitAnd", "math.bitOr", "math.bitXor", "math.bitNot", "math.bitShiftLeft", "math.bitShiftRight",
        "math.isNaN", "math.isInf", "math.isFinite", "sets.contains", "sets.equivalent", "sets.intersects",
    ]
    /// The methods that take a time zone if they have a value.
    static let zoned: Set<String> = [
        "getFullYear", "getMonth", "getDate", "getDayOfMonth", "getDayOfWeek", "getDayOfYear", "getHours", "getMinutes",
        "getSeconds", "getMilliseconds",
    ]

    /// The calls whose value depends on the order of an index.
    static let ordered: Set<String> = [
        "first", "last", "firstKey", "lastKey", "limit", "map", "filter", "transformList",
    ]

    /// Returns the reason for which clients do not predict an action; nil if they do.
    func reason(against action: WrittenAction, _ program: ActionProgram) -> String? {
        if !action.isPredicted { return "the action has \"predict\": false" }
        if action.privateInput != .none { return "a part of the input is private" }
        for label in document.targets(of: action.steps) {
            guard replica.part(label) != nil else { return "it writes \(label), which is not in the replica" }
        }
        if let label = clears(program.steps) { return "it clears \(label), of which clients hold a part" }
        let rules = Set(program.rules.map(\.pointer))
        for formula in program.formulas where !rules.contains(formula.pointer) {
            if let reason = reason(against: formula) { return reason }
        }
        return nil
    }

    /// Returns the reason for which clients do not compute a view; nil if they do.
    func reason(against view: CompiledView) -> String? {
        if view.part.allow != nil { return "the view has a rule of its own" }
        if view.showsPrivate { return "the view shows private members" }
        var formulas: [CompiledFormula] = []
        var labels: [String] = []
        switch view.form {
        case .pipeline: return "the view is a pipeline"
        case .expression(let expression):
            if !expression.views.isEmpty { return "it reads other views" }
            formulas = [expression.formula]
        case .query(let query):
            guard case .own(let place) = query.source else { return "it reads the state of another feature" }
            if query.sort.isEmpty, query.fold == nil {
                return "without sort its order is that of first adding, which clients do not know"
            }
            if !query.joins.isEmpty { return "it joins tables, which the engine in browsers does not" }
            if query.search != nil { return "it searches words, which the engine in browsers does not" }
            formulas = [query.condition, query.select, query.fold?.value, query.fold?.group].compactMap(\.self)
            formulas += query.sort.map(\.formula)
            labels = [document.state[place].name]
            let readsViews = query.beside.contains { if case .view = $0 { true } else { false } }
            if readsViews { return "it reads other views" }
        }
        if formulas.contains(where: { $0.reads.contains { $0.name == "now" } }) {
            return "it reads now, which goes on at the server"
        }
        for label in labels {
            guard let part = replica.part(label) else { return "it reads \(label), which is not in the replica" }
            if part.isPartial, !view.part.isLocal { return "it reads \(label), of which clients hold a part" }
        }
        for formula in formulas {
            if let reason = reason(against: formula, isLocal: view.part.isLocal) { return reason }
            let read = formula.reads.filter { $0.name == "state" }
            if view.part.isLocal { continue }
            for case .member(let label)? in read.map(\.steps.first) where replica.part(label)?.isPartial ?? false {
                return "it reads \(label), of which clients hold a part"
            }
        }
        return nil
    }

    private func reason(against formula: CompiledFormula, isLocal: Bool = false) -> String? {
        if readsPrivate(formula) { return "an expression reads private members" }
        for read in formula.expression.reads ?? [] {
            switch read.name {
            case "given": return "an expression reads the state of another feature"
            case "state":
                guard case .member(let label)? = read.steps.first else { return "an expression reads the whole state" }
                guard let part = replica.part(label) else { return "it reads \(label), which is not in the replica" }
                if part.isPartial, !isLocal, read.steps.count < 2 {
                    return "an expression reads all rows of \(label), of which clients hold a part"
                }
            default:
                guard let index = types.indexes.first(where: { $0.name == read.name }) else { continue }
                guard let part = replica.part(index.label) else {
                    return "it reads \(index.label), which is not in the replica"
                }
                if !index.privateReads.isEmpty || index.hasPrivateGroups {
                    return "the index \(index.index.name) reads a private member"
                }
                if let lack = lack(of: index) { return "\(lack), which the index \(index.index.name) calls" }
                if part.isPartial, !isLocal, index.index.by.isEmpty || counts(index, formula) {
                    return "an expression reads all groups of \(index.index.name), of which clients hold a part"
                }
            }
        }
        let walks = TableWalk.all(
            of: formula.expression.source, over: Set(types.own.map { "state.\($0.label)" }),
            types.definitions.formulas)
        for walk in walks where !isLocal {
            let label = String(walk.table.dropFirst("state.".count))
            if replica.part(label)?.isPartial ?? false {
                return "an expression walks all rows of \(label), of which clients hold a part"
            }
        }
        guard let calls = FormulaCalls(formula.expression.source, types.definitions.formulas) else {
            return "an expression cannot be read"
        }
        if let lack = lack(of: calls) { return lack }
        let unsorted = types.indexes.first { index in
            index.index.sort.isEmpty && formula.indexes.contains(index.index.name)
        }
        if let unsorted, calls.all.contains(where: { Self.ordered.contains($0.name) }) {
            return
                "without sort the order of the index \(unsorted.index.name) is that of first adding, which clients do not know"
        }
        return nil
    }

    /// Returns what the engine in browsers lacks of some calls, in words; nil if it has all.
    private func lack(of calls: FormulaCalls) -> String? {
        if calls.hasRareLiterals { return "the engine in browsers has no unsigned integers and no bytes" }
        for call in calls.all.sorted(by: { $0.name < $1.name }) {
            if Self.missing.contains(call.name) || call.name.hasPrefix("text.") {
                return "the engine in browsers has no \(call.name)"
            }
            if Self.zoned.contains(call.name), call.count > 0 { return "the engine in browsers has no time zones" }
        }
        return nil
    }

    /// Returns what the engine in browsers lacks of the expressions of an index, in words; nil if it has all.
    func lack(of index: StateIndex) -> String? {
        let compiled = index.index
        let formulas = compiled.by + compiled.sort.map(\.formula) + [compiled.condition].compactMap(\.self)
        return formulas.lazy.compactMap { FormulaCalls($0.expression.source, types.definitions.formulas) }
            .compactMap { lack(of: $0) }.first
    }

    /// Returns true if a formula reads the number of groups of an index.
    private func counts(_ index: StateIndex, _ formula: CompiledFormula) -> Bool {
        let sources = [formula.expression.source] + types.definitions.formulas.values.map(\.source)
        return sources.contains { source in
            let text = FormulaCondition.plain(source)
            return text.contains("size(\(index.name))") || text.contains("\(index.name).size()")
        }
    }

    /// Returns true if a formula reads private values, also as a part of a whole.
    private func readsPrivate(_ formula: CompiledFormula) -> Bool {
        guard formula.isPrivate else { return false }
        let hidden = types.privateParts["state"] ?? .none
        return (formula.expression.reads ?? []).contains { read in
            var path = read.path
            if let index = types.indexes.first(where: { $0.name == read.name }) {
                path.insert(index.label, at: 0)
            } else if read.name != "state" {
                return false
            }
            var parts = hidden
            for step in path {
                if step == nil, parts.hasNamedMembers { return true }
                parts = parts[step]
            }
            return read.extent == .value ? parts != .none : parts == .whole
        }
    }

    /// The name of a partial table that steps clear; nil for none.
    private func clears(_ steps: [ActionProgram.ActionStep]) -> String? {
        for step in steps {
            switch step {
            case .clear(let index):
                let label = document.state[index].name
                if replica.part(label)?.isPartial ?? false { return label }
            case .choice(_, let then, let otherwise): if let label = clears(then + otherwise) { return label }
            case .each(_, _, _, let body), .call(_, let body, _): if let label = clears(body) { return label }
            case .set, .put, .update, .remove: break
            }
        }
        return nil
    }
}

/// What clients compute of a feature with a replica.
struct ClientParts: Sendable {
    /// The reason for which clients do not predict an action or compute a view, by name; nil if they do.
    let actions: [(name: String, pointer: JSONPointer, reason: String?)]
    let views: [(name: String, pointer: JSONPointer, reason: String?)]
    /// The indexes that clients have.
    let indexes: [StateIndex]

    init(
        _ planner: PredictionPlanner, _ actions: [(part: WrittenAction, program: ActionProgram)],
        _ views: [CompiledView]
    ) {
        self.actions = actions.map { ($0.part.name, $0.part.pointer, planner.reason(against: $0.part, $0.program)) }
        self.views = views.map { ($0.part.name, $0.part.pointer, planner.reason(against: $0)) }
        indexes = planner.types.indexes.filter { index in
            index.privateReads.isEmpty && !index.hasPrivateGroups && planner.lack(of: index) == nil
        }
    }

    /// The reasons as the plan of the feature shows them.
    var plan: [JSON] {
        func entries(_ all: [(name: String, pointer: JSONPointer, reason: String?)], _ member: String) -> [JSON] {
            all.map { part in
                var object = JSON.Object()
                object["pointer"] = .string("\(part.pointer)")
                object[member] = .bool(part.reason == nil)
                if let reason = part.reason { object["reason"] = .string(reason) }
                return .object(object)
            }
        }
        return entries(actions, "predicted") + entries(views, "local")
    }
}
