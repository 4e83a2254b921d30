import Expressions
import JSON
import StateModel

/// The compiler of the replica of a document.
struct ReplicaCompiler {
    private let document: FeatureDocument
    private let types: StateTypes
    private var formulas = FormulaCompiler()
    private var compiled: [CompiledFormula] = []
    private var reads: [PlannedRead] = []

    private init(_ document: FeatureDocument, _ types: StateTypes) { (self.document, self.types) = (document, types) }

    /// The greatest number of tables on the way from a row to one that it belongs to.
    private static let levels = 2
    /// The greatest number of alternatives of a condition.
    private static let alternativesLimit = 16

    /// Compiles a replica; nil if the document has none, or one with faults.
    static func replica(
        _ document: FeatureDocument, _ types: StateTypes, rule: ExpressionView?, _ faults: inout FaultList
    ) -> CompiledReplica? {
        guard !document.replica.isEmpty else { return nil }
        var compiler = ReplicaCompiler(document, types)
        let parts = compiler.parts()
        for fault in compiler.formulas.faults.all { faults.add(fault) }
        guard compiler.formulas.faults.all.isEmpty else { return nil }
        let claims = ClaimSet.read(by: compiler.compiled)
        if claims == .all, let first = compiler.compiled.first(where: { $0.reads.contains { $0.name == "token" } }) {
            faults.add("name the claim that the replica reads, as in token.sub", at: first.pointer)
        }
        var viewRule: ViewRule?
        if let rule {
            viewRule = ViewRule()
            viewRule?.add(rule, parameters: nil)
        }
        return CompiledReplica(parts, claims: claims, rule: viewRule, reads: compiler.reads)
    }

    private mutating func parts() -> [CompiledReplica.HeldState] {
        var made: [CompiledReplica.HeldState] = []
        for written in ordered() {
            guard let place = document.state.firstIndex(where: { $0.name == written.state.name }) else { continue }
            let type = document.state[place].stateType
            var alternatives: [CompiledReplica.Alternative]?
            var belonging: CompiledReplica.Belonging?
            if let condition = written.condition {
                alternatives = self.alternatives(condition, of: type, at: place)
            } else if let parent = written.parent, let by = written.by {
                guard let index = made.firstIndex(where: { $0.label == parent.name }) else { continue }
                belonging = self.belonging(to: index, by, of: type, at: place)
            } else if type.isTable {
                reads.append(PlannedRead(pointer: written.state.pointer, form: .walk(type.label, by: [], sort: [])))
            }
            made.append(
                .init(
                    place: place, label: type.label, isTable: type.isTable, privateParts: type.privateParts,
                    alternatives: alternatives, belonging: belonging))
        }
        return made
    }

    /// The parts that can be held, each after the one that it belongs to.
    private mutating func ordered() -> [WrittenReplica] {
        let names = document.state.map(\.name).sorted()
        var sound: [WrittenReplica] = []
        for part in document.replica {
            guard let state = document.state.first(where: { $0.name == part.state.name }) else {
                formulas.faults.unknown("table or variable", part.state.name, names, at: part.state.pointer)
                continue
            }
            switch state.form {
            case .value:
                if let other = part.condition?.pointer ?? part.parent?.pointer {
                    formulas.faults.add("\(part.state.name) is a variable, which has no rows", at: other)
                    continue
                }
            case .table(let table):
                if !table.isKept {
                    formulas.faults.add(
                        "the rows of \(part.state.name) are in memory only, so no client holds them",
                        at: part.state.pointer)
                    continue
                }
            }
            sound.append(part)
        }
        var ordered: [(part: WrittenReplica, level: Int)] = []
        var waiting = sound
        while !waiting.isEmpty {
            var left: [WrittenReplica] = []
            for part in waiting {
                guard let parent = part.parent else {
                    ordered.append((part, 0))
                    continue
                }
                guard let known = ordered.first(where: { $0.part.state.name == parent.name }) else {
                    left.append(part)
                    continue
                }
                if known.level == Self.levels {
                    formulas.faults.add(
                        "of goes over \(Self.levels) tables at most", at: parent.pointer)
                }
                ordered.append((part, known.level + 1))
            }
            if left.count == waiting.count {
                for part in left { addMissingParent(of: part, among: sound) }
                break
            }
            waiting = left
        }
        return ordered.map(\.part)
    }

    private mutating func addMissingParent(of part: WrittenReplica, among sound: [WrittenReplica]) {
        guard let parent = part.parent else { return }
        let tables = sound.map(\.state.name).filter { name in
            name != part.state.name && document.state.contains { $0.name == name && $0.stateType.isTable }
        }
        if tables.contains(parent.name) {
            formulas.faults.add("\(part.state.name) belongs to itself by way of others", at: parent.pointer)
        } else {
            formulas.faults.unknown("table of the replica", parent.name, tables.sorted(), at: parent.pointer)
        }
    }

    // MARK: Rows

    /// The names of values that read no row.
    private var callerScope: NameScope {
        NameScope([
            ("state", types.ownType), ("given", types.givenType), ("input", .object(ObjectType([]))),
            ("space", .string), ("token", ActionCompiler.tokenType),
        ]).adding(types.indexes).hiding(types.privateParts).defining(types.definitions)
    }

    /// The names of conditions of a row.
    private func rowScope(_ state: StateType) -> NameScope {
        IndexCompiler.scope(of: state).adding("token", ActionCompiler.tokenType, at: NamePlace.token)
            .adding("space", .string, at: NamePlace.space).defining(types.definitions)
    }

    private mutating func alternatives(
        _ written: WrittenExpression, of state: StateType, at place: Int
    ) -> [CompiledReplica.Alternative]? {
        // Faults of the whole are found where all names are known.
        let names = callerScope.adding("row", state.type, at: NamePlace.row, hiding: state.privateParts)
            .adding("key", .string, at: NamePlace.key)
        guard let whole = formulas.formula(written, names, expecting: .bool) else { return nil }
        compiled.append(whole)
        let texts = FormulaCondition.alternatives(of: written.text)
        guard texts.count <= Self.alternativesLimit else {
            formulas.faults.add("there are more than \(Self.alternativesLimit) alternatives", at: written.pointer)
            return nil
        }
        return texts.compactMap { alternative($0, of: state, at: place, written.pointer) }
    }

    /// A condition that names a group or a key.
    private struct Named {
        let text: String
        /// The part that reads the row; nil for the key.
        let part: CompiledFormula?
        let value: CompiledReplica.Alternative.CallerValue
        /// The condition over the row; nil if it reads more.
        let condition: CompiledFormula?
    }

    private mutating func alternative(
        _ text: String, of state: StateType, at place: Int, _ pointer: JSONPointer
    ) -> CompiledReplica.Alternative? {
        let (caller, row) = (callerScope, rowScope(state))
        var gates: [ExpressionView] = []
        var named: [Named] = []
        var rest: [CompiledFormula] = []
        for condition in FormulaCondition.all(of: text) {
            if let gate = Self.formula(condition.text, at: pointer, caller) {
                gates.append(view(gate, condition.text))
                continue
            }
            let plain = Self.formula(condition.text, at: pointer, row)
            if let found = self.named(condition, state, plain, at: pointer) {
                named.append(found)
            } else if let plain {
                rest.append(plain)
            } else {
                formulas.faults.add(
                    "\(condition.text): a condition reads either row, key, token and space, or no row; or it compares a part of the row with a value that reads no row",
                    at: pointer)
                return nil
            }
        }
        if named.isEmpty, rest.isEmpty {
            reads.append(PlannedRead(pointer: pointer, form: .walk(state.label, by: [], sort: [])))
            return .init(gates: gates, candidates: .all, conditions: [])
        }
        guard !named.isEmpty else {
            formulas.faults.add(
                "\(text): no index answers this alternative; compare a part of the row with a value, as in row.owner == token.sub",
                at: pointer)
            return nil
        }
        // A key is found without an index.
        if let key = named.firstIndex(where: { $0.part == nil }) {
            let value = named.remove(at: key).value
            guard let others = conditions(of: named, at: pointer) else { return nil }
            reads.append(PlannedRead(pointer: pointer, form: .none))
            return .init(gates: gates, candidates: .keys(value), conditions: rest + others)
        }
        let (index, chosen, left) = index(for: named, of: state, at: place, pointer)
        guard let others = conditions(of: left, at: pointer) else { return nil }
        return .init(gates: gates, candidates: .groups(index, chosen.map(\.value)), conditions: rest + others)
    }

    /// The conditions over the row alone; nil with a fault if one reads more.
    private mutating func conditions(of named: [Named], at pointer: JSONPointer) -> [CompiledFormula]? {
        if let other = named.first(where: { $0.condition == nil }) {
            formulas.faults.add(
                "one condition of an alternative may compare \(other.text) with a value that reads the state",
                at: pointer)
            return nil
        }
        return named.compactMap(\.condition)
    }

    private mutating func named(
        _ condition: FormulaCondition, _ state: StateType, _ plain: CompiledFormula?, at pointer: JSONPointer
    ) -> Named? {
        guard let sides = condition.sides ?? condition.membership else { return nil }
        let pairs =
            sides.isMembership ? [(sides.left, sides.right)] : [(sides.left, sides.right), (sides.right, sides.left)]
        for (part, value) in pairs {
            guard
                let formula = Self.formula(
                    part, at: pointer,
                    IndexCompiler.scope(of: state)
                        .defining(types.definitions)), !formula.reads.isEmpty,
                let value = Self.formula(value, at: pointer, callerScope)
            else { continue }
            let isKey = FormulaCondition.plain(part) == "key"
            guard isKey || formula.type.isGroup && formula.type != .dyn else { continue }
            return Named(
                text: FormulaCondition.plain(part), part: isKey ? nil : formula,
                value: .init(view: view(value, value.expression.source), isMembership: sides.isMembership),
                condition: plain)
        }
        return nil
    }

    /// The index of a table that has the most of the conditions: a declared one, or one for the replica alone.
    private mutating func index(
        for named: [Named], of state: StateType, at place: Int, _ pointer: JSONPointer
    ) -> (index: CompiledIndex, chosen: [Named], left: [Named]) {
        var best: (index: CompiledIndex, chosen: [Int])?
        for declared in types.indexes where declared.table == place && declared.index.condition == nil {
            let by = declared.index.by.map { FormulaCondition.plain($0.expression.source) }
            let chosen = by.compactMap { text in named.firstIndex { $0.text == text } }
            guard !by.isEmpty, chosen.count == by.count, chosen.count > best?.chosen.count ?? 0 else { continue }
            best = (declared.index, chosen)
        }
        if let best {
            reads.append(PlannedRead(pointer: pointer, form: .index(best.index.name)))
            let left = named.indices.filter { !best.chosen.contains($0) }.map { named[$0] }
            return (best.index, best.chosen.map { named[$0] }, left)
        }
        let chosen = Array(named.prefix(1))
        let index = CompiledIndex(
            "replica \(state.label) \(named[0].text)", at: pointer, by: named[0].part.map { [$0] } ?? [], sort: [],
            condition: nil, isUnique: false)
        reads.append(PlannedRead(pointer: pointer, form: .shared(index)))
        return (index, chosen, Array(named.dropFirst()))
    }

    private mutating func belonging(
        to parent: Int, _ by: WrittenExpression, of state: StateType, at place: Int
    ) -> CompiledReplica.Belonging? {
        let scope = IndexCompiler.scope(of: state).defining(types.definitions)
        guard let formula = formulas.formula(by, scope) else { return nil }
        guard [.string, .dyn].contains(formula.type.withoutNull) else {
            formulas.faults.add("by is the key of a row, a string, not \(formula.type)", at: by.pointer)
            return nil
        }
        let text = FormulaCondition.plain(by.text)
        let declared = types.indexes.first { declared in
            declared.table == place && declared.index.condition == nil
                && declared.index.by.map { FormulaCondition.plain($0.expression.source) } == [text]
        }
        if let declared {
            reads.append(PlannedRead(pointer: by.pointer, form: .index(declared.index.name)))
            return .init(parent: parent, index: declared.index)
        }
        let index = CompiledIndex(
            "replica \(state.label) \(text)", at: by.pointer, by: [formula], sort: [], condition: nil, isUnique: false)
        reads.append(PlannedRead(pointer: by.pointer, form: .shared(index)))
        return .init(parent: parent, index: index)
    }

    /// Compiles a part of a formula that is known to be sound as a whole; nil if it reads other names.
    private static func formula(_ text: String, at pointer: JSONPointer, _ scope: NameScope) -> CompiledFormula? {
        var trial = FormulaCompiler()
        return trial.formula(WrittenExpression(text: text, pointer: pointer), scope)
    }

    private func view(_ formula: CompiledFormula, _ text: String) -> ExpressionView {
        ExpressionView(formula, document.state.map(\.name), views: [], indexes: types.indexes, text: text)
    }
}
