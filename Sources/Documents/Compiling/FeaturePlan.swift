import Expressions
import JSON
import StateModel

/// The ways to the rows that a view, a rule, a guard or a loop reads: an index, or a walk over a table.
struct PlannedRead: Sendable {
    /// The way to the rows.
    enum PlannedReadForm: Sendable {
        /// A declared index.
        case index(String)
        /// An index that the instances of views share.
        case shared(CompiledIndex)
        /// All rows of a table.
        case walk(String, by: [String], sort: [String])
        /// Rows by their keys, or no row.
        case none
    }

    let pointer: JSONPointer
    let form: PlannedReadForm
    /// The reason for which the read may become a burden; nil for none.
    var warning: String?

    /// The read as `GET /v1/features/{feature}/plan` shows it.
    var json: JSON {
        var object = JSON.Object()
        object["pointer"] = .string("\(pointer)")
        func list(_ texts: [String]) -> JSON { .array(texts.map { .string($0) }) }
        switch form {
        case .index(let name): object["index"] = .string(name)
        case .shared(let index):
            object["shared"] = Self.definition(
                by: index.by.map(\.expression.source),
                sort: index.sort.map { ($0.isFalling ? "-" : "") + $0.formula.expression.source })
        case .walk(let table, let by, let sort):
            object["walk"] = .string(table)
            if let warning { object["warning"] = .string(warning) }
            if !by.isEmpty || !sort.isEmpty { object["index"] = Self.definition(by: by, sort: sort) }
        case .none: break
        }
        return .object(object)
    }

    /// The definition of an index.
    static func definition(by: [String], sort: [String]) -> JSON {
        var object = JSON.Object()
        if !by.isEmpty { object["by"] = .array(by.map { .string($0) }) }
        if !sort.isEmpty { object["sort"] = .array(sort.map { .string($0) }) }
        return .object(object)
    }

    /// The warning as a fault of the document; nil without one.
    var fault: DocumentFault? {
        guard let warning, case .walk(_, let by, let sort) = form else { return nil }
        let index = Self.definition(by: by, sort: sort)
        let remedy = index == [:] ? "" : ": declare the index \(index)"
        return DocumentFault("\(warning)\(remedy)", at: pointer)
    }
}

/// The planner of what the formulas of a document read.
struct ReadPlanner: Sendable {
    /// The paths of the tables, with their names.
    private let tables: [String: String]
    private let definitions: [String: Definition]

    init(_ types: StateTypes) {
        var tables: [String: String] = [:]
        for state in types.own where state.isTable { tables["state.\(state.label)"] = state.label }
        for (feature, states) in types.given {
            for state in states where state.isTable {
                tables["given.\(feature).\(state.label)"] = "\(feature).\(state.label)"
            }
        }
        (self.tables, definitions) = (tables, types.definitions.formulas)
    }

    /// Returns what a formula reads. `isInAction` is true for a formula that a request evaluates, within the limits of one
    /// action.
    func reads(of formula: CompiledFormula, isInAction: Bool) -> [PlannedRead] {
        var reads = Set(formula.indexes).sorted().map { PlannedRead(pointer: formula.pointer, form: .index($0)) }
        let walks = TableWalk.all(of: formula.expression.source, over: Set(tables.keys), definitions)
        let whole = (formula.expression.reads ?? []).compactMap { read -> String? in
            guard read.extent == .value, read.path.allSatisfy({ $0 != nil }) else { return nil }
            let path = ([read.name] + read.path.compactMap(\.self)).joined(separator: ".")
            return tables[path] == nil ? nil : path
        }
        for path in Set(whole + walks.map(\.table)).sorted() {
            guard let table = tables[path] else { continue }
            let own = walks.filter { $0.table == path }
            let by = own.flatMap(\.groups).uniqued
            let sort = own.flatMap(\.values).uniqued
            reads.append(
                PlannedRead(
                    pointer: formula.pointer, form: .walk(table, by: by, sort: sort),
                    warning: isInAction ? "walks all rows of \(table), and is refused when the table has grown" : nil))
        }
        return reads
    }
}

extension [String] {
    /// The elements, each once.
    fileprivate var uniqued: [String] {
        var seen: Set<String> = []
        return filter { seen.insert($0).inserted }
    }
}

extension CompiledView {
    /// The ways to the rows that the view reads.
    func plan(_ planner: ReadPlanner, hasInstances: Bool) -> [PlannedRead] {
        switch form {
        case .expression(let view):
            let reads = planner.reads(of: view.formula, isInAction: false)
            if reads.isEmpty { return [PlannedRead(pointer: part.pointer, form: .none)] }
            return reads.map { PlannedRead(pointer: part.pointer, form: $0.form, warning: $0.warning) }
        case .query(let query):
            if let search = query.search {
                return [PlannedRead(pointer: part.pointer, form: .index(search.index.name))]
            }
            guard let plan = query.plan else {
                guard case .query(let written) = part.form else { return [] }
                let warning = hasInstances ? "each instance walks all rows of \(written.table.name)" : nil
                return [
                    PlannedRead(
                        pointer: part.pointer, form: .walk(written.table.name, by: [], sort: []), warning: warning)
                ]
            }
            let form: PlannedRead.PlannedReadForm =
                plan.isDeclared ? .index(plan.index.name) : .shared(plan.index)
            return [PlannedRead(pointer: part.pointer, form: form)]
        case .pipeline: return [PlannedRead(pointer: part.pointer, form: .none)]
        }
    }
}

extension [PlannedRead] {
    /// The reads of the rules and views of a document, and of its actions.
    static func of(
        _ views: [CompiledView], rules: [CompiledFormula], _ actions: [(part: WrittenAction, program: ActionProgram)],
        _ types: StateTypes
    ) -> [PlannedRead] {
        let planner = ReadPlanner(types)
        var reads = rules.flatMap { planner.reads(of: $0, isInAction: false) }
        for view in views {
            reads += view.plan(planner, hasInstances: !view.part.parameters.isEmpty || view.claims != nil)
        }
        for action in actions { reads += action.program.formulas.flatMap { planner.reads(of: $0, isInAction: true) } }
        // The steps of a definition are compiled for each use.
        var seen: Set<JSON> = []
        return reads.filter { seen.insert($0.json).inserted }
    }
}
