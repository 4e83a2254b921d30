import Expressions
import JSON
import StateStore

/// The choice of indexes for the views of one document.
struct QueryPlanner {
    /// The indexes that the compiler has made, by table and texts. All views that need one share it.
    private var shared: [String: CompiledIndex] = [:]

    /// A condition that names a group.
    private struct GroupCondition {
        /// The text of the part that reads the row.
        let text: String
        /// The part that reads the row, and the value.
        let part: CompiledFormula
        let value: QueryPlan.GroupValue
    }

    /// Returns the plan of a view; nil for a walk. `scope` has the names without the row.
    mutating func plan(
        _ query: WrittenQuery, of source: TableQuery.Source, _ state: StateType, _ types: StateTypes,
        isShared: Bool, in scope: NameScope
    ) -> QueryPlan? {
        let conditions = query.condition.map { FormulaCondition.all(of: $0.text) } ?? []
        let rows = IndexCompiler.scope(of: state).defining(types.definitions)
        var found: [String: GroupCondition] = [:]
        var rowFree: [CompiledFormula] = []
        for condition in conditions {
            let place = query.condition?.pointer ?? JSONPointer()
            if let free = Self.formula(condition.text, at: place, scope) { rowFree.append(free) }
            guard let sides = condition.sides else { continue }
            let pairs =
                sides.isMembership
                ? [(sides.left, sides.right)] : [(sides.left, sides.right), (sides.right, sides.left)]
            for (row, value) in pairs {
                guard let part = Self.formula(row, at: place, rows), !part.reads.isEmpty, part.type.isGroup,
                    part.type != .dyn, let value = Self.formula(value, at: place, scope)
                else { continue }
                let text = FormulaCondition.plain(row)
                found[text] =
                    found[text]
                    ?? GroupCondition(
                        text: text, part: part,
                        value: .init(formula: value, isMembership: sides.isMembership))
                break
            }
        }
        let texts = conditions.map { FormulaCondition.plain($0.text) }
        let groupTexts = conditions.filter { condition in
            guard let sides = condition.sides else { return false }
            return [sides.left, sides.right].contains { found[FormulaCondition.plain($0)] != nil }
        }.map { FormulaCondition.plain($0.text) }
        var best: QueryPlan?
        if case .own(let place) = source {
            for index in types.indexes where index.table == place {
                let plan = Self.plan(query, index.index, found, texts, groupTexts, rowFree)
                if let plan, plan.rank > best?.rank ?? -1 { best = plan }
            }
        }
        if let best, best.givesOrder || best.coversCondition || !isShared { return best }
        guard let shared = sharedPlan(query, source, found, texts, groupTexts, rowFree, rows) else { return best }
        return shared.rank > best?.rank ?? -1 ? shared : best
    }

    /// Returns an index of all rows in the order of a view; nil if the order reads more than the row, or is that of keys.
    mutating func order(
        _ query: WrittenQuery, of source: TableQuery.Source, _ state: StateType, _ types: StateTypes
    ) -> CompiledIndex? {
        let rows = IndexCompiler.scope(of: state).defining(types.definitions)
        let sort = query.sort.compactMap { key in
            Self.formula(key.expression.text, at: key.expression.pointer, rows).map {
                (formula: $0, isFalling: key.isFalling)
            }
        }
        guard !sort.isEmpty, sort.count == query.sort.count else { return nil }
        let order = sort.map { ($0.isFalling ? "-" : "") + FormulaCondition.plain($0.formula.expression.source) }
        let name = "\(source) / \(order.joined(separator: ", "))"
        let index =
            shared[name]
            ?? CompiledIndex(name, at: query.table.pointer, by: [], sort: sort, condition: nil, isUnique: false)
        shared[name] = index
        return index
    }

    private static func formula(
        _ text: String, at pointer: JSONPointer, _ scope: NameScope
    ) -> CompiledFormula? {
        var trial = FormulaCompiler()
        return trial.formula(WrittenExpression(text: text, pointer: pointer), scope)
    }

    /// Returns the plan of a view over an index; nil if the view cannot use it.
    private static func plan(
        _ query: WrittenQuery, _ index: CompiledIndex, _ found: [String: GroupCondition], _ texts: [String],
        _ groupTexts: [String], _ rowFree: [CompiledFormula], isDeclared: Bool = true
    ) -> QueryPlan? {
        let by = index.by.map { FormulaCondition.plain($0.expression.source) }
        let values = by.compactMap { found[$0]?.value }
        guard values.count == by.count else { return nil }
        let own =
            index.condition.map {
                FormulaCondition.all(of: $0.expression.source).map { FormulaCondition.plain($0.text) }
            } ?? []
        guard own.allSatisfy({ texts.contains($0) }) else { return nil }
        // Each condition is one of the index, or the only one that names one of its values.
        let covers =
            Set(texts).count == texts.count && Set(by).count == by.count
            && texts.count == Set(own).union(groupTexts).count
            && groupTexts.filter { !own.contains($0) }.count == by.count && texts.count == own.count + by.count
        let order = query.sort.map { (FormulaCondition.plain($0.expression.text), $0.isFalling) }
        let isSame = index.sort.elementsEqual(order) { own, wanted in
            FormulaCondition.plain(own.formula.expression.source) == wanted.0 && own.isFalling == wanted.1
        }
        let givesOrder =
            covers && isSame && query.fold == nil && query.joins.isEmpty && !values.contains(where: \.isMembership)
        guard !by.isEmpty || !own.isEmpty || givesOrder && query.limit != nil else { return nil }
        return QueryPlan(
            index: index, isDeclared: isDeclared, values: values, rowFree: rowFree, coversCondition: covers,
            givesOrder: givesOrder)
    }

    /// Returns the plan over an index that all instances of views share.
    private mutating func sharedPlan(
        _ query: WrittenQuery, _ source: TableQuery.Source, _ found: [String: GroupCondition], _ texts: [String],
        _ groupTexts: [String], _ rowFree: [CompiledFormula], _ rows: NameScope
    ) -> QueryPlan? {
        let names = found.keys.sorted().prefix(DocumentLimits.groupKeys)
        guard !names.isEmpty else { return nil }
        var sort: [(formula: CompiledFormula, isFalling: Bool)] = []
        if names.count == texts.count {
            sort = query.sort.compactMap { key in
                Self.formula(key.expression.text, at: key.expression.pointer, rows).map { ($0, key.isFalling) }
            }
            if sort.count != query.sort.count { sort = [] }
        }
        let order = sort.map { ($0.isFalling ? "-" : "") + FormulaCondition.plain($0.formula.expression.source) }
        let name = "\(source) \(names.joined(separator: ", ")) / \(order.joined(separator: ", "))"
        let index =
            shared[name]
            ?? CompiledIndex(
                name, at: query.table.pointer, by: names.compactMap { found[$0]?.part }, sort: sort, condition: nil,
                isUnique: false)
        shared[name] = index
        return Self.plan(query, index, found, texts, groupTexts, rowFree, isDeclared: false)
    }
}
