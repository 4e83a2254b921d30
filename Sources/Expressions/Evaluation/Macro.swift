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
    mutating func compile(_ macro: Macro, _ target: Syntax, _ arguments: [Syntax], at offset: Int) throws(ExpressionFault) -> Code {
        let range = try compile(target)
        let count = macro.variables(arguments.count)
        var variables: [(name: String, length: Int?)] = []
        for argument in arguments[..<count] {
            guard case .name(let name, isAbsolute: false) = argument.form else {
                throw ExpressionFault("expected the name of a variable, as x in value.map(x, x * 2)", at: argument.offset)
            }
            guard !variables.contains(where: { $0.name == name }) else {
                throw ExpressionFault("the two variables have the same name '\(name)'", at: argument.offset)
            }
            variables.append((name, nil))
        }
        let first = firstLocal
        let loop = Loop(range: range.step, first: first, second: count == 2 ? first + 1 : nil, name: "\(macro)")
        var bodies: [Code] = []
        for argument in arguments[count...] { bodies.append(try compile(argument, with: variables)) }
        let condition = bodies.count == 2 ? bodies[0].step : nil
        guard let body = bodies.last else { throw ExpressionFault("expected what is to be computed", at: offset) }
        let length = range.length ?? ExpressionLimits.assumedLength
        let each = Int.priced(bodies.map(\.price) + [2])
        let price = Int.priced(range.price, .priced(each, times: length), 1)
        switch macro {
        case .all: return Code(price: price, loop.quantifier(body.step, deciding: false))
        case .exists: return Code(price: price, loop.quantifier(body.step, deciding: true))
        case .existsOne: return Code(price: price, loop.existsOne(body.step))
        case .map, .transformList: return Code(price: price, length: range.length, loop.list(condition, body.step))
        case .filter:
            // The variable itself is what stays.
            return Code(price: price, length: range.length, loop.list(body.step) { $0.slots[first] })
        case .transformMap: return Code(price: price, length: range.length, loop.map(condition, body.step))
        case .transformMapEntry: return Code(price: price, length: range.length, loop.mapOfEntries(condition, body.step))
        }
    }
}
