/// A formula, or a part of one, as it was read.
struct Syntax {
    /// Where it begins, in code points; of a binary operator, where that stands.
    let offset: Int
    /// How many parts lie within one another here at most.
    let height: Int
    let form: Form

    indirect enum Form {
        case literal(CELValue)
        /// `isAbsolute` where a point stands before it.
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
        /// Two or more, all of which must be true.
        case and([Syntax])
        /// Two or more, one of which must be true.
        case or([Syntax])
        case conditional(Syntax, Syntax, Syntax)
    }
}

/// An operator between two operands.
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

    /// How tightly it binds.
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
