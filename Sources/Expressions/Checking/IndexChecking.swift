extension Checker {
    /// The declared index of a name, as `index.byOwner`; nil if there is none, or if a variable hides the name `index`.
    func index(_ target: Syntax, _ name: String) -> (name: Name, type: IndexType)? {
        guard case .name(let root, false) = target.form, !isVariable(root),
            let found = names.last(where: { $0.name == "\(root).\(name)" }), case .index(let type) = found.part.type
        else { return nil }
        return (found, type)
    }

    /// Notes an index of a name that no table declares. Returns false if the target is no name of indexes.
    mutating func missesIndex(_ target: Syntax, _ name: String, _ syntax: Syntax) -> Bool {
        guard case .name(let root, false) = target.form, !isVariable(root) else { return false }
        let known = names.filter { if case .index = $0.part.type { $0.name.hasPrefix("\(root).") } else { false } }
            .map { String($0.name.dropFirst(root.count + 1)) }
        guard !known.isEmpty else { return false }
        guard listsFaults else { return true }
        fault("there is no index \(name.brief)" + Suggestion.text(name, known), syntax, allowed: known)
        return true
    }

    /// Checks `index.byOwner(value)`.
    mutating func group(
        of index: (name: Name, type: IndexType), _ arguments: [Syntax], _ syntax: Syntax
    ) -> CheckedPart {
        var types: [ExpressionType] = []
        for argument in arguments { types.append(value(argument)) }
        let type = index.type
        let fits =
            types.count == type.group.count && zip(type.group, types).allSatisfy { areComparable($0, $1) }
        if !fits {
            let given = types.isEmpty ? "nothing" : types.map(\.description).joined(separator: ", ")
            fault("\(type.call) does not take \(given)", syntax, allowed: [type.call])
        }
        let place = index.name.part.place
        if let place { record(place, .size) }
        return CheckedPart(.range(type), place)
    }

    /// Checks a method of the rows of an index; nil if the target has other values.
    mutating func range(
        _ method: RangeMethod, _ target: Syntax, _ arguments: [Syntax], _ syntax: Syntax
    ) -> CheckedPart {
        let part = check(target)
        let given = arguments.map { value($0) }
        guard case .range(let type) = part.type else {
            use(part, of: target)
            if part.type != .dyn || listsFaults {
                fault(
                    "\(method.rawValue) is a method of the rows of an index, as in index.NAME(…).\(method.example), not of \(part.type)",
                    syntax)
            }
            return CheckedPart(.dyn)
        }
        let row = CheckedPart(type.row.orNull, part.place?.appending(.entry(.any)))
        switch method {
        case .first, .last: return row
        case .only:
            if !type.isUnique { fault("\(type.name) is not unique, so only is not defined: write first()", syntax) }
            return row
        case .firstKey, .lastKey: return CheckedPart(ExpressionType.string.orNull)
        case .limit:
            switch given[0].withoutNull {
            case .int, .uint, .dyn: break
            default: fault("limit takes an int, not \(given[0])", arguments[0])
            }
        case .from, .until:
            if let bound = type.bound {
                if !areComparable(bound, given[0]) {
                    fault("\(method.rawValue) of \(type.name) takes \(bound), not \(given[0])", arguments[0])
                }
            } else {
                fault("\(type.name) has no sort, so \(method.rawValue) is not defined", syntax)
            }
        }
        return part
    }
}
