/// A walk of a formula over all rows of a table: a macro over `state.tasks`.
package struct TableWalk: Hashable, Sendable {
    /// The path of the table, as `state.tasks`.
    package let table: String
    /// The parts of a row that the walk compares with values of the same kind for all rows, as `row.project`: an index by
    /// them finds the rows without the walk.
    package let groups: [String]
    /// The parts of a row that the walk returns, as `row.order`: an index in their order finds the first and the last.
    package let values: [String]

    /// Returns the walks of a formula over the tables of some paths.
    package static func all(
        of source: String, over tables: Set<String>, _ definitions: [String: Definition] = [:]
    ) -> [TableWalk] {
        do throws(ExpressionFault) {
            var parser = try Parser(source)
            let syntax = try DefinitionExpansion.expand(parser.formula(), definitions)
            var finder = WalkFinder(tables: tables)
            finder.search(syntax)
            return finder.found
        } catch {
            return []
        }
    }
}

/// The search for walks in a formula.
private struct WalkFinder {
    let tables: Set<String>
    var found: [TableWalk] = []

    mutating func search(_ syntax: Syntax) {
        if case .method(let target, let name, let arguments) = syntax.form,
            let macro = Macro(name, arguments.count, isStrict: false), let path = Self.path(target),
            tables.contains(path)
        {
            let count = macro.variables(arguments.count)
            var walk = RowFinder(table: path)
            if case .name(let key, _)? = arguments.first?.form { walk.keys.insert(key) }
            if count == 2, case .name(let row, _) = arguments[1].form { walk.rows.insert(row) }
            for argument in arguments.dropFirst(count) { walk.search(argument) }
            let last = arguments[arguments.count - 1]
            let isValue = macro == .map || macro == .transformList || macro == .sortBy
            let value = isValue ? walk.part(last) : nil
            found.append(TableWalk(table: path, groups: walk.groups, values: value.map { ["row.\($0)"] } ?? []))
        }
        for part in syntax.form.parts { search(part) }
    }

    /// The path of a dotted name; nil for another part.
    static func path(_ syntax: Syntax) -> String? {
        syntax.dotted.map { ([$0.root] + $0.members).joined(separator: ".") }
    }
}

/// The parts of the rows of one table that the body of a macro reads.
private struct RowFinder {
    let table: String
    /// The variables that hold a key, and those that hold a row.
    var keys: Set<String> = []
    var rows: Set<String> = []
    var groups: [String] = []

    init(table: String) { self.table = table }

    mutating func search(_ syntax: Syntax) {
        switch syntax.form {
        case .method(let target, "bind", let arguments):
            if case .name("cel", _) = target.form, arguments.count == 3, case .name(let name, _) = arguments[0].form,
                isRow(arguments[1])
            {
                rows.insert(name)
            }
        case .binary(.equal, let left, let right):
            for (one, other) in [(left, right), (right, left)] {
                guard let part = part(one), !mentions(other) else { continue }
                let text = "row.\(part)"
                if !groups.contains(text) { groups.append(text) }
            }
        // Only a condition that each selected row satisfies narrows the walk.
        case .or, .not, .conditional: return
        default: break
        }
        for part in syntax.form.parts { search(part) }
    }

    /// The part of a row that a path reads, as `slot.day`; nil for another part.
    func part(_ syntax: Syntax) -> String? {
        guard case .member(let operand, let name) = syntax.form else { return nil }
        if isRow(operand) { return name }
        return part(operand).map { "\($0).\(name)" }
    }

    private func isRow(_ syntax: Syntax) -> Bool {
        switch syntax.form {
        case .name(let name, isAbsolute: false): return rows.contains(name)
        case .index(let operand, let index):
            guard WalkFinder.path(operand) == table, case .name(let key, _) = index.form else { return false }
            return keys.contains(key)
        default: return false
        }
    }

    private func mentions(_ syntax: Syntax) -> Bool {
        var isFound = false
        syntax.forEach { part in
            if case .name(let name, _) = part.form, keys.contains(name) || rows.contains(name) { isFound = true }
        }
        return isFound
    }
}
