extension Compiler {
    mutating func compile(
        _ macro: Macro, _ target: Syntax, _ arguments: [Syntax]
    ) throws(ExpressionFault) -> CompiledPart {
        let range = try compile(target)
        let count = macro.variables(arguments.count)
        let first = firstLocal
        let names = try Macro.names(arguments[..<count])
        let bodies = try bodies(arguments[count...], names)
        let comprehension = Comprehension(
            range: range.step, first: first, second: count == 2 ? first + 1 : nil, name: "\(macro)")
        return macro.code(comprehension, range, bodies)
    }

    private mutating func bodies(
        _ arguments: ArraySlice<Syntax>, _ names: [String]
    ) throws(ExpressionFault) -> [CompiledPart] {
        var bodies: [CompiledPart] = []
        for argument in arguments { bodies.append(try compile(argument, with: names.map { ($0, nil) })) }
        return bodies
    }
}

extension Macro {
    /// Returns the variable names of a macro.
    fileprivate static func names(_ arguments: ArraySlice<Syntax>) throws(ExpressionFault) -> [String] {
        var names: [String] = []
        for argument in arguments {
            guard case .name(let name, isAbsolute: false) = argument.form else {
                throw ExpressionFault(
                    "expected the name of a variable, as x in value.map(x, x * 2)", at: argument.offset)
            }
            guard !names.contains(name) else {
                throw ExpressionFault("the two variables have the same name '\(name)'", at: argument.offset)
            }
            names.append(name)
        }
        return names
    }

    /// Compiles the loop over `range` with the last body; if there are two bodies, the first is a condition.
    fileprivate func code(
        _ comprehension: Comprehension, _ range: CompiledPart, _ bodies: [CompiledPart]
    ) -> CompiledPart {
        let condition = bodies.count == 2 ? bodies[0].step : nil
        let body = bodies[bodies.count - 1].step
        let each = Int.cost(bodies.map(\.cost) + [2])
        let cost = Int.cost(range.cost, .cost(each, times: range.length ?? ExpressionLimits.assumedLength), 1)
        let first = comprehension.first
        switch self {
        case .all: return CompiledPart(cost: cost, comprehension.quantifier(body, deciding: false))
        case .exists: return CompiledPart(cost: cost, comprehension.quantifier(body, deciding: true))
        case .existsOne: return CompiledPart(cost: cost, comprehension.existsOne(body))
        case .map, .transformList:
            return CompiledPart(cost: cost, length: range.length, comprehension.list(condition, body))
        // `filter` keeps the variable itself.
        case .filter:
            return CompiledPart(cost: cost, length: range.length, comprehension.list(body) { $0.slots[first] })
        case .sortBy:
            let length = range.length ?? ExpressionLimits.assumedLength
            let comparisons = Int.cost(length, times: Int.bitWidth - length.leadingZeroBitCount)
            return CompiledPart(cost: .cost(cost, comparisons), length: range.length, comprehension.sorted(body))
        case .transformMap: return CompiledPart(cost: cost, length: range.length, comprehension.map(condition, body))
        case .transformMapEntry:
            return CompiledPart(cost: cost, length: range.length, comprehension.mapOfEntries(condition, body))
        }
    }
}
