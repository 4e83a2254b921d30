import Expressions
public import JSON

/// An expression that has been read: what it makes of a value for each of its names.
public struct Formula: Sendable {
    /// What one evaluation costs at most, in steps.
    let price: Int
    // Nearly all expressions have one name or two, and most cost less than it does to make an array.
    // Each adds the steps that it takes to the last argument.
    let ofOne: @Sendable (JSON, inout Int) throws -> JSON
    let ofTwo: @Sendable (JSON, JSON, inout Int) throws -> JSON
    let ofAll: @Sendable ([JSON], inout Int) throws -> JSON

    /// A formula.
    public init(price: Int = 1, evaluate: @escaping @Sendable ([JSON]) throws -> JSON) {
        self.price = price
        ofOne = { value, _ in try evaluate([value]) }
        ofTwo = { first, second, _ in try evaluate([first, second]) }
        ofAll = { values, _ in try evaluate(values) }
    }

    init(_ expression: Expression) {
        price = expression.cost
        ofOne = { value, steps in try expression.evaluate(value, steps: &steps) }
        ofTwo = { first, second, steps in try expression.evaluate(first, second, steps: &steps) }
        ofAll = { values, steps in try expression.evaluate(values, steps: &steps) }
    }
}

/// Why an expression is none.
public struct FormulaFault: Error, Hashable, Sendable {
    /// What is wrong with it.
    public let description: String
    /// Where, in Unicode code points.
    public let offset: Int

    /// A fault.
    public init(description: String, offset: Int) {
        self.description = description
        self.offset = offset
    }
}

/// The language of expressions: how one is read that may speak of some names.
public struct Formulas: Sendable {
    let read: @Sendable (_ source: String, _ names: [String]) throws(FormulaFault) -> Formula

    /// A language.
    public init(_ read: @escaping @Sendable (_ source: String, _ names: [String]) throws(FormulaFault) -> Formula) {
        self.read = read
    }

    /// CEL, the Common Expression Language.
    public static let cel = Formulas { source, names throws(FormulaFault) in
        do throws(ExpressionFault) {
            return Formula(try Expression(source, names: names))
        } catch {
            throw FormulaFault(description: error.description, offset: error.offset)
        }
    }
}
