import Expressions
import JSON
import StateModel

/// The compiler of the indexes of a document.
struct IndexCompiler {
    private var formulas = FormulaCompiler()

    /// Returns the indexes of all tables.
    static func indexes(
        _ document: FeatureDocument, _ faults: inout FaultList
    ) -> (ordered: [StateIndex], searches: [CompiledSearch]) {
        var compiler = IndexCompiler()
        var indexes: [StateIndex] = []
        var searches: [CompiledSearch] = []
        var names: Set<String> = []
        for (place, state) in document.state.enumerated() {
            guard case .table(let table) = state.form else { continue }
            for written in table.indexes {
                if !names.insert(written.name).inserted {
                    faults.add(
                        "another table has an index \(written.name): expressions name an index without its table",
                        at: written.pointer)
                }
                guard written.search.isEmpty else {
                    if let search = compiler.search(written, of: state, at: place) { searches.append(search) }
                    continue
                }
                guard let index = compiler.index(written, of: state, at: place) else { continue }
                indexes.append(index)
                guard written.isUnique else { continue }
                let search = UniqueRowSearch(by: [index.index])
                let repeated = table.initial.flatMap { search.note($0.key, DescribedRow($0.value)) }
                for row in repeated.prefix(DocumentLimits.faults) {
                    faults.add(
                        "the row has the values of the row \"\(row.other)\" in the unique index \(written.name)",
                        at: JSONPointer(state.pointer.tokens + ["initial", row.key]))
                }
            }
        }
        for fault in compiler.formulas.faults.all { faults.add(fault) }
        return (indexes, searches)
    }

    /// The names of the expressions of an index over a table.
    static func scope(of state: StateType) -> NameScope {
        NameScope().adding("row", state.type, at: NamePlace.row, hiding: state.privateParts)
            .adding("key", .string, at: NamePlace.key)
    }

    private mutating func search(_ written: WrittenIndex, of state: WrittenState, at place: Int) -> CompiledSearch? {
        let scope = Self.scope(of: state.stateType)
        let fields = written.search.compactMap { formulas.formula($0, scope) }
        for field in fields where ![.string, .dyn, .null].contains(field.type.withoutNull) {
            formulas.faults.add("search takes texts, not \(field.type)", at: field.pointer)
        }
        guard fields.count == written.search.count else { return nil }
        return CompiledSearch(written.name, at: written.pointer, of: place, fields)
    }

    private mutating func index(_ written: WrittenIndex, of state: WrittenState, at place: Int) -> StateIndex? {
        let state = state.stateType
        let scope = Self.scope(of: state)
        let by = written.by.compactMap { formulas.formula($0, scope) }
        for formula in by where !formula.type.isGroup {
            formulas.faults.add(
                "by takes a string, an int, a bool or null, not \(formula.type)", at: formula.pointer)
        }
        let condition = written.condition.flatMap { formulas.formula($0, scope, expecting: .bool) }
        let sort = written.sort.compactMap { key in
            formulas.formula(key.expression, scope).map { (formula: $0, isFalling: key.isFalling) }
        }
        for key in sort where !key.formula.type.isSortable {
            formulas.faults.add("sort cannot order \(key.formula.type)", at: key.formula.pointer)
        }
        guard by.count == written.by.count, sort.count == written.sort.count else { return nil }
        let index = CompiledIndex(
            written.name, at: written.pointer, by: by, sort: sort, condition: condition, isUnique: written.isUnique)
        let type = IndexType(
            "index.\(written.name)", group: by.map(\.type), row: state.type, bound: sort.first?.formula.type,
            isUnique: written.isUnique)
        return StateIndex(
            index: index, table: place, label: state.label, type: type,
            privateReads: index.privateReads(of: state), hasPrivateGroups: by.contains(where: \.isPrivate))
    }
}

extension CompiledIndex {
    /// The private parts of rows of a table that its expressions name, as reads of the state.
    fileprivate func privateReads(of state: StateType) -> [ExpressionRead] {
        formulas.flatMap(\.reads).compactMap { read in
            guard read.name == "row", state.privateParts.areWithin(read) else { return nil }
            return ExpressionRead("state", [.member(state.label), .entry(.any)] + read.steps, read.extent)
        }
    }
}
