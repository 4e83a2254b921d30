import Expressions
package import JSON

/// A compiled expression: a function of the values of its variables.
package struct Formula: Sendable {
    /// The expected cost of one evaluation, in steps of the expression language.
    let price: Int
    // Nearly all expressions have one or two variables, and most cost less than the allocation of an array.
    // Each closure adds the steps it takes to its last argument.
    let ofOne: @Sendable (JSON, inout Int) throws -> JSON
    let ofTwo: @Sendable (JSON, JSON, inout Int) throws -> JSON
    let ofAll: @Sendable ([JSON], inout Int) throws -> JSON

    /// A formula.
    package init(price: Int = 1, evaluate: @escaping @Sendable ([JSON]) throws -> JSON) {
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

/// The reason that a text is not an expression.
package struct FormulaFault: Error, Hashable, Sendable {
    /// The error.
    package let description: String
    /// The offset of the error, in Unicode code points.
    package let offset: Int

    /// A fault.
    package init(description: String, offset: Int) {
        self.description = description
        self.offset = offset
    }
}

/// An expression language: a compiler for texts with given variables.
package struct Formulas: Sendable {
    let read: @Sendable (_ source: String, _ names: [String]) throws(FormulaFault) -> Formula

    /// A language.
    package init(_ read: @escaping @Sendable (_ source: String, _ names: [String]) throws(FormulaFault) -> Formula) {
        self.read = read
    }

    /// CEL, the Common Expression Language.
    package static let cel = Formulas { source, names throws(FormulaFault) in
        do throws(ExpressionFault) {
            return Formula(try Expression(source, names: names))
        } catch {
            throw FormulaFault(description: error.description, offset: error.offset)
        }
    }
}
