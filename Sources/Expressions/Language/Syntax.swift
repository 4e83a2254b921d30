/// A syntax tree of a formula or a part of it.
struct Syntax: Sendable {
    /// The offset of the part in code points; of a binary operation, the offset of the operator.
    let offset: Int
    /// The characters of the part in the source.
    var range: Range<Int>
    /// The identity of the part in its formula.
    let id: Int
    /// The height of the tree.
    let height: Int
    let form: Form

    indirect enum Form: Sendable {
        case literal(CELValue)
        /// `isAbsolute` is true if a dot precedes the name.
        case name(String, isAbsolute: Bool)
        case member(Syntax, String)
        case index(Syntax, Syntax)
        case call(String, [Syntax], isAbsolute: Bool)
        case method(Syntax, String, [Syntax])
        case list([Syntax])
        case map([(key: Syntax, value: Syntax)])
        case not(Syntax)
        case negative(Syntax)
        case binary(BinaryOperator, Syntax, Syntax)
        /// Two or more operands, all of which must be true.
        case and([Syntax])
        /// Two or more operands, one of which must be true.
        case or([Syntax])
        case conditional(Syntax, Syntax, Syntax)
        /// A call of a definition by its name, with its values and its formula.
        case defined(String, [Syntax], Syntax)
    }
}

/// A binary operator.
enum BinaryOperator: String, Sendable {
    case add = "+"
    case subtract = "-"
    case multiply = "*"
    case divide = "/"
    case remainder = "%"
    case equal = "=="
    case different = "!="
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="
    case `in`
    case and = "&&"
    case or = "||"

    /// The precedence of the operator; a higher rank binds more tightly.
    var rank: Int {
        switch self {
        case .or: 1
        case .and: 2
        case .equal, .different, .less, .lessOrEqual, .greater, .greaterOrEqual, .in: 3
        case .add, .subtract: 4
        case .multiply, .divide, .remainder: 5
        }
    }
}

extension Syntax {
    /// Calls `body` with this part and all parts within it.
    func forEach(_ body: (Syntax) -> Void) {
        body(self)
        for part in form.parts { part.forEach(body) }
    }
}

extension Syntax.Form {
    /// The parts within the form.
    var parts: [Syntax] {
        switch self {
        case .literal, .name: []
        case .member(let operand, _), .not(let operand), .negative(let operand): [operand]
        case .index(let operand, let index): [operand, index]
        case .call(_, let parts, _), .list(let parts), .and(let parts), .or(let parts): parts
        case .method(let target, _, let arguments): [target] + arguments
        case .map(let entries): entries.flatMap { [$0.key, $0.value] }
        case .binary(_, let left, let right): [left, right]
        case .conditional(let condition, let first, let second): [condition, first, second]
        case .defined(_, let arguments, let body): arguments + [body]
        }
    }

    /// Returns the form with other parts, of which there are as many.
    func with(_ parts: [Syntax]) -> Syntax.Form {
        switch self {
        case .literal, .name: self
        case .member(_, let name): .member(parts[0], name)
        case .not: .not(parts[0])
        case .negative: .negative(parts[0])
        case .index: .index(parts[0], parts[1])
        case .call(let name, _, let isAbsolute): .call(name, parts, isAbsolute: isAbsolute)
        case .list: .list(parts)
        case .and: .and(parts)
        case .or: .or(parts)
        case .method(_, let name, _): .method(parts[0], name, Array(parts.dropFirst()))
        case .map: .map(stride(from: 0, to: parts.count, by: 2).map { (key: parts[$0], value: parts[$0 + 1]) })
        case .binary(let sign, _, _): .binary(sign, parts[0], parts[1])
        case .conditional: .conditional(parts[0], parts[1], parts[2])
        case .defined(let name, _, _): .defined(name, Array(parts.dropLast()), parts[parts.count - 1])
        }
    }
}
