/// What is written like a method and goes through a list or a map.
enum Macro {
    case all, exists, existsOne, map, filter, transformList, transformMap, transformMapEntry

    /// The macro of a name; nil where the number of arguments is none of its.
    init?(_ name: String, _ count: Int) {
        switch (name, count) {
        case ("all", 2...3): self = .all
        case ("exists", 2...3): self = .exists
        case ("exists_one", 2...3), ("existsOne", 2...3): self = .existsOne
        case ("map", 2...3): self = .map
        case ("filter", 2): self = .filter
        case ("transformList", 3...4): self = .transformList
        case ("transformMap", 3...4): self = .transformMap
        case ("transformMapEntry", 3...4): self = .transformMapEntry
        default: return nil
        }
    }

    /// How many variables it has with so many arguments.
    func variables(_ count: Int) -> Int {
        switch self {
        case .all, .exists, .existsOne: count - 1
        case .map, .filter: 1
        case .transformList, .transformMap, .transformMapEntry: 2
        }
    }

    /// An example, for who writes it wrongly.
    static let examples = [
        "all": "value.all(x, x > 0)", "exists": "value.exists(x, x > 0)", "exists_one": "value.exists_one(x, x > 0)",
        "existsOne": "value.existsOne(i, x, x > i)", "map": "value.map(x, x * 2)", "filter": "value.filter(x, x > 0)",
        "transformList": "value.transformList(i, x, x * i)", "transformMap": "value.transformMap(k, x, x + 1)",
        "transformMapEntry": "value.transformMapEntry(k, x, {x: k})",
    ]
}

extension Compiler {
    mutating func compile(_ macro: Macro, _ target: Syntax, _ arguments: [Syntax]) throws(ExpressionFault) -> Code {
        let range = try compile(target)
        let count = macro.variables(arguments.count)
        let first = firstLocal
        let names = try Macro.names(arguments[..<count])
        let bodies = try bodies(arguments[count...], names)
        let loop = Loop(range: range.step, first: first, second: count == 2 ? first + 1 : nil, name: "\(macro)")
        return macro.code(loop, range, bodies)
    }

    private mutating func bodies(_ arguments: ArraySlice<Syntax>, _ names: [String]) throws(ExpressionFault) -> [Code] {
        var bodies: [Code] = []
        for argument in arguments { bodies.append(try compile(argument, with: names.map { ($0, nil) })) }
        return bodies
    }
}

extension Macro {
    /// The names of a macro's variables.
    fileprivate static func names(_ arguments: ArraySlice<Syntax>) throws(ExpressionFault) -> [String] {
        var names: [String] = []
        for argument in arguments {
            guard case .name(let name, isAbsolute: false) = argument.form else {
                throw ExpressionFault("expected the name of a variable, as x in value.map(x, x * 2)", at: argument.offset)
            }
            guard !names.contains(name) else {
                throw ExpressionFault("the two variables have the same name '\(name)'", at: argument.offset)
            }
            names.append(name)
        }
        return names
    }

    /// What goes through the range and computes the last of the bodies; where there are two, the first is a condition.
    fileprivate func code(_ loop: Loop, _ range: Code, _ bodies: [Code]) -> Code {
        let condition = bodies.count == 2 ? bodies[0].step : nil
        let body = bodies[bodies.count - 1].step
        let each = Int.priced(bodies.map(\.price) + [2])
        let price = Int.priced(range.price, .priced(each, times: range.length ?? ExpressionLimits.assumedLength), 1)
        let first = loop.first
        switch self {
        case .all: return Code(price: price, loop.quantifier(body, deciding: false))
        case .exists: return Code(price: price, loop.quantifier(body, deciding: true))
        case .existsOne: return Code(price: price, loop.existsOne(body))
        case .map, .transformList: return Code(price: price, length: range.length, loop.list(condition, body))
        // The variable itself is what stays.
        case .filter: return Code(price: price, length: range.length, loop.list(body) { $0.slots[first] })
        case .transformMap: return Code(price: price, length: range.length, loop.map(condition, body))
        case .transformMapEntry: return Code(price: price, length: range.length, loop.mapOfEntries(condition, body))
        }
    }
}
