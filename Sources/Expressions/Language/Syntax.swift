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
        /// A call of a definition with its values, and the formula of the definition.
        case defined(Definition, [Syntax], Syntax)
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
