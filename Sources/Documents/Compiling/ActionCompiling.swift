import Expressions
import JSON
import Schemas
import StateModel

/// The compiler of one action.
struct ActionCompiler {
    private let feature: String
    private let state: [WrittenState]
    private let types: StateTypes
    /// The rule of the feature for all actions.
    private let rule: CompiledFormula?
    private var formulas = FormulaCompiler()
    /// The number of places that the names take.
    private var places = NamePlace.count
    private var used: Set<String>
    /// The names without those of `let` and `each`, which the steps of definitions see.
    private var base = NameScope()
    /// The steps so far, with those of definitions.
    private var stepCount = 0
    /// The formulas so far.
    private var compiled: [CompiledFormula] = []

    init(_ document: FeatureDocument, _ types: StateTypes, rule: CompiledFormula?) {
        (feature, state, self.types, self.rule) = (document.name, document.state, types, rule)
        used = Set(rule?.reads.map(\.name) ?? [])
    }

    /// The claims of a caller.
    static let tokenType = ExpressionType.object(ObjectType([.init("sub", .string)], rest: .dyn))

    /// Compiles a rule of the feature: for all actions, or for edits by administrators. Their inputs, and that of presence, have any form.
    static func rule(
        _ written: WrittenExpression?, _ types: StateTypes, _ faults: inout FaultList
    ) -> CompiledFormula? {
        guard let written else { return nil }
        var formulas = FormulaCompiler()
        let rule = formulas.formula(
            written, scope(types, input: .map(key: .string, value: .dyn)), expecting: .bool)
        for fault in formulas.faults.all { faults.add(fault) }
        return rule
    }

    /// The names of every action.
    private static func scope(_ types: StateTypes, input: ExpressionType) -> NameScope {
        NameScope([
            ("state", types.ownType), ("given", types.givenType), ("input", input), ("space", .string),
            ("token", tokenType), ("now", .timestamp), ("newId()", .string),
        ]).adding("newSecret()", .string, at: NamePlace.newSecret).adding(types.indexes).hiding(types.privateParts)
            .defining(types.definitions)
    }

    /// Compiles an action; nil if it has faults, which are in `faults`.
    mutating func program(_ action: WrittenAction, _ faults: inout FaultList) -> ActionProgram? {
        let privateInput = action.input.privateParts
        var scope = Self.scope(types, input: action.input.type).hiding(["input": privateInput])
        base = scope
        let rules = [rule, action.allow.flatMap { formula($0, scope, expecting: .bool) }].compactMap(\.self)
        var lets: [CompiledFormula] = []
        for (name, value) in action.lets {
            if scope.contains(name.name) {
                formulas.faults.add("the name \(name.name) is there twice", at: name.pointer)
            }
            let formula = formula(value, scope)
            if let formula { lets.append(formula) }
            scope = scope.adding(
                name.name, formula?.type ?? .dyn, at: places, hiding: formula?.isPrivate ?? false ? .whole : .none)
            places += 1
        }
        var guards: [ActionProgram.Guard] = []
        var warnings: [DocumentFault] = []
        for part in action.guards {
            let condition = formula(part.that, scope, expecting: .bool)
            let detail = formulas.text(part.detail, scope)
            for read in detail?.template.reads ?? [] { used.insert(read.name) }
            if detail?.template.reads.contains(where: { scope.isPrivate($0) }) ?? false {
                warnings.append(DocumentFault("a private value is null in this text", at: part.detail.pointer))
            }
            scope = scope.assuming(part.that)
            guard let condition, let detail else { continue }
            let kind: Rejection.Kind = part.status == 403 ? .forbidden : part.status == 409 ? .conflict : .invalid
            guards.append(.init(condition: condition, kind: kind, detail: detail, pointer: part.pointer))
        }
        let steps = steps(action.steps, scope)
        let answer = action.answer.flatMap { formula($0, scope) }
        for fault in formulas.faults.all { faults.add(fault) }
        guard formulas.faults.all.isEmpty else { return nil }
        return ActionProgram(
            feature: feature, state: state, input: action.input, rules: rules, lets: lets, guards: guards, steps: steps,
            answer: answer, frame: places, readsTime: used.contains("now"),
            readsToken: used.contains("token"),
            hiddenFromDetails: ShownParts(HiddenParts(of: types, from: []), privateInput),
            hiddenFromAnswer: answer.flatMap { answer in
                let named = Self.formulas(behind: answer, action.lets.map(\.name.name), lets)
                return ShownParts(
                    HiddenParts(of: types, from: named),
                    ["input": privateInput].hidden(from: named)["input"] ?? .none)
            }, warnings: warnings, formulas: rules + compiled, pointer: action.pointer)
    }

    /// Returns a formula, and the values of `let` that it reads.
    private static func formulas(
        behind formula: CompiledFormula, _ names: [String], _ lets: [CompiledFormula]
    ) -> [CompiledFormula] {
        var found = [formula]
        var next = 0
        var known: Set<Int> = []
        while next < found.count {
            for read in found[next].reads {
                guard let index = names.firstIndex(of: read.name), index < lets.count, known.insert(index).inserted
                else { continue }
                found.append(lets[index])
            }
            next += 1
        }
        return found
    }

    private mutating func formula(
        _ written: WrittenExpression, _ scope: NameScope, expecting: ExpressionType = .dyn
    ) -> CompiledFormula? {
        let formula = formulas.formula(written, scope, expecting: expecting)
        for read in formula?.reads ?? [] { used.insert(read.name) }
        if let formula { compiled.append(formula) }
        return formula
    }

    private mutating func steps(_ parts: [WrittenStep], _ scope: NameScope) -> [ActionProgram.ActionStep] {
        parts.compactMap { step($0, scope) }
    }

    /// Returns the faults of a list of steps where it is declared. Its input has any form.
    mutating func faults(of definition: WrittenDefinition) -> [DocumentFault] {
        base = Self.scope(types, input: .map(key: .string, value: .dyn))
        var scope = base
        for parameter in definition.parameters {
            scope = scope.adding(parameter.name, parameter.schema.type, at: places)
            places += 1
        }
        _ = steps(definition.steps, scope)
        return formulas.faults.all
    }

    /// Compiles the call of a list of steps.
    private mutating func call(
        _ name: WrittenName, _ values: [(name: WrittenName, value: WrittenExpression)], _ scope: NameScope,
        at pointer: JSONPointer
    ) -> ActionProgram.ActionStep? {
        guard let definition = types.definitions.steps[name.name] else {
            if types.definitions.formulas[name.name] != nil {
                formulas.faults.add("\(name.name) is an expression: call takes a list of steps", at: name.pointer)
            } else if !types.definitions.faulty.contains(name.name) {
                formulas.faults.unknown(
                    "list of steps", name.name, types.definitions.steps.keys.sorted(), at: name.pointer)
            }
            return nil
        }
        var inner = base
        var compiled: [(place: Int, value: CompiledFormula)] = []
        for parameter in definition.parameters {
            guard let value = values.first(where: { $0.name.name == parameter.name }) else {
                formulas.faults.add(
                    "\(name.name) needs \(parameter.name)", at: pointer.appending("with").appending(parameter.name))
                continue
            }
            let formula = formula(value.value, scope, expecting: parameter.schema.type)
            if let formula { compiled.append((places, formula)) }
            inner = inner.adding(
                parameter.name, parameter.schema.type, at: places,
                hiding: formula?.isPrivate ?? false ? .whole : .none)
            places += 1
        }
        let known = definition.parameters.map(\.name)
        for value in values where !known.contains(value.name.name) {
            formulas.faults.unknown("parameter", value.name.name, known, at: value.name.pointer)
        }
        guard compiled.count == definition.parameters.count else { return nil }
        // Faults that only this use has point at the use.
        let before = formulas.faults
        let body = steps(definition.steps, inner)
        let new = formulas.faults.all.dropFirst(before.all.count)
        formulas.faults = before
        for fault in new {
            formulas.faults.add(
                "in \(name.name) (\(fault.pointer)): \(fault.detail)", at: pointer, allowed: fault.allowed)
        }
        return .call(compiled, body: body, pointer)
    }

    private mutating func step(_ part: WrittenStep, _ scope: NameScope) -> ActionProgram.ActionStep? {
        stepCount += 1
        guard stepCount <= DocumentLimits.calledSteps else {
            if stepCount == DocumentLimits.calledSteps + 1 {
                formulas.faults.add(
                    "with the definitions that it calls the action has more than \(DocumentLimits.calledSteps) steps",
                    at: part.pointer)
            }
            return nil
        }
        switch part.form {
        case .set(let name, let value):
            let target = variable(name)
            let formula = formula(value, scope, expecting: target?.schema.writtenType ?? .dyn)
            guard let target, let formula else { return nil }
            return .set(target.index, to: formula)
        case .put(let name, let key, let row):
            let target = table(name)
            let keyFormula = formula(key, scope, expecting: .string)
            let rowFormula = formula(row, scope, expecting: target?.form.row.writtenType ?? .dyn)
            guard let target, let keyFormula, let rowFormula else { return nil }
            return .put(target.index, key: keyFormula, row: rowFormula)
        case .update(let name, let key, let with):
            let target = table(name)
            let keyFormula = formula(key, scope, expecting: .string)
            let inner = scope.adding(
                "row", target?.form.row.type ?? .dyn, at: NamePlace.row,
                hiding: target?.form.row.privateParts ?? .none
            ).adding("key", .string, at: NamePlace.key)
            let change = formula(with, inner, expecting: target?.form.row.writtenType.withOptionalMembers ?? .dyn)
            guard let target, let keyFormula, let change else { return nil }
            return .update(target.index, key: keyFormula, with: change, missing: part.pointer)
        case .remove(let name, let key):
            let target = table(name)
            guard let keyFormula = formula(key, scope, expecting: .string), let target else { return nil }
            return .remove(target.index, key: keyFormula)
        case .call(let name, let values): return call(name, values, scope, at: part.pointer)
        case .clear(let name): return table(name).map { .clear($0.index) }
        case .choice(let condition, let then, let otherwise):
            let compiled = formula(condition, scope, expecting: .bool)
            let (first, second) = (steps(then, scope.assuming(condition)), steps(otherwise, scope))
            return compiled.map { .choice($0, then: first, otherwise: second) }
        case .each(let list, let name, let body):
            if scope.contains(name.name) {
                formulas.faults.add("the name \(name.name) is there twice", at: name.pointer)
            }
            let (list, table) = keysOrList(list, scope)
            var element = ExpressionType.dyn
            if case .list(let type)? = list?.type.withoutNull { element = type }
            let place = places
            places += 1
            let steps = steps(
                body,
                scope.adding(name.name, element, at: place, hiding: list?.isPrivate ?? false ? .whole : .none))
            return list.map { .each($0, of: table, place: place, body: steps) }
        }
    }

    /// Compiles the list of `each`. Of the rows of an index it has the keys.
    private mutating func keysOrList(
        _ written: WrittenExpression, _ scope: NameScope
    ) -> (list: CompiledFormula?, table: Int?) {
        var trial = FormulaCompiler()
        if let name = trial.formula(written, scope)?.expression.rangeOf {
            let keys = WrittenExpression(text: "(\(written.text)).map(key_, key_)", pointer: written.pointer)
            return (formula(keys, scope), scope.indexes[name]?.table)
        }
        return (formula(written, scope, expecting: .list(.dyn)), nil)
    }

    // MARK: State

    private mutating func variable(_ name: WrittenName) -> (index: Int, schema: ValueSchema)? {
        guard let index = index(name, isTable: false), case .value(let schema, _) = state[index].form else {
            return nil
        }
        return (index, schema)
    }

    private mutating func table(_ name: WrittenName) -> (index: Int, form: WrittenTable)? {
        guard let index = index(name, isTable: true), case .table(let form) = state[index].form else { return nil }
        return (index, form)
    }

    private mutating func index(_ name: WrittenName, isTable: Bool) -> Int? {
        let names = state.filter { $0.stateType.isTable == isTable }.map(\.name)
        if let index = state.firstIndex(where: { $0.name == name.name && $0.stateType.isTable == isTable }) {
            return index
        }
        formulas.faults.unknown(isTable ? "table" : "variable", name.name, names, at: name.pointer)
        return nil
    }
}

extension ExpressionType {
    /// The type of an object with some of the members.
    fileprivate var withOptionalMembers: ExpressionType {
        guard case .object(let object) = self else { return self }
        return .object(
            ObjectType(object.members.map { .init($0.name, $0.type, isOptional: true) }, rest: object.rest))
    }
}
