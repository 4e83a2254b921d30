import JSON

extension Compiler {
    /// The place of the name of an index, as `index.byOwner`, and that name; nil if there is none.
    func index(_ target: Syntax, _ name: String) -> Int? {
        guard case .name(let root, isAbsolute: false) = target.form, !isVariable(root) else { return nil }
        return names.lastIndex(of: "\(root).\(name)")
    }

    /// Compiles `index.byOwner(value)`.
    mutating func group(_ slot: Int, of name: String, _ arguments: [Syntax]) throws(ExpressionFault) -> CompiledPart {
        let arguments = try compile(arguments)
        let steps = arguments.map(\.step)
        return CompiledPart(cost: .cost(arguments.map(\.cost) + [IndexCosts.group])) {
            (context) throws(EvaluationFailure) in
            try context.work(IndexCosts.group)
            var group: [JSON] = []
            for step in steps { group.append(try context.json(step(&context))) }
            guard case .map(.lazy(let map)) = context.slots[slot], let indexes = map.indexes else {
                throw EvaluationFailure("index.\(name) has no rows here")
            }
            return .map(.lazy(LazyMap(of: indexes.rows(of: name, group))))
        }
    }

    /// Compiles `size(index.byOwner)`.
    func groupCount(_ slot: Int, of name: String) -> CompiledPart {
        CompiledPart(cost: 1) { (context) throws(EvaluationFailure) in
            try context.step()
            guard case .map(.lazy(let map)) = context.slots[slot], let indexes = map.indexes else {
                throw EvaluationFailure("index.\(name) has no rows here")
            }
            return .int(Int64(indexes.groupCount(of: name)))
        }
    }

    /// True if formulas may read indexes.
    var hasIndexes: Bool { names.contains { $0.hasPrefix("index.") } }

    /// Compiles a method of the rows of an index.
    mutating func range(
        _ method: RangeMethod, _ target: Syntax, _ arguments: [Syntax]
    ) throws(ExpressionFault) -> CompiledPart {
        let part = try compile(target)
        let value = try arguments.first.map { argument throws(ExpressionFault) in try compile(argument) }
        let (step, valueStep) = (part.step, value?.step)
        return CompiledPart(cost: .cost(part.cost, value?.cost ?? 0, IndexCosts.method)) {
            (context) throws(EvaluationFailure) in
            try context.work(IndexCosts.method)
            guard case .map(.lazy(let map)) = try step(&context), let range = map.range else {
                throw EvaluationFailure("\(method.rawValue) is a method of the rows of an index")
            }
            switch method {
            case .first, .only: return range.count == 0 ? .null : CELValue(range.row(at: 0))
            case .last: return range.count == 0 ? .null : CELValue(range.row(at: range.count - 1))
            case .firstKey: return range.count == 0 ? .null : .string(range.key(at: 0))
            case .lastKey: return range.count == 0 ? .null : .string(range.key(at: range.count - 1))
            case .limit, .from, .until: break
            }
            guard let bound = try valueStep?(&context) else { return .null }
            if method == .limit {
                guard case .int(let count)? = MapKey(looking: bound), count >= 0 else {
                    throw EvaluationFailure("limit takes a number of 0 or more")
                }
                return .map(.lazy(LazyMap(of: range.limited(to: Int(count)))))
            }
            let json = try context.json(bound)
            return .map(.lazy(LazyMap(of: method == .from ? range.from(json) : range.until(json))))
        }
    }
}

/// The steps of reads of an index.
enum IndexCosts {
    /// A group is found in its tree.
    static let group = 4
    /// A row, or a place, is found in a group.
    static let method = 2
}
