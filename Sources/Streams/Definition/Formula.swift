import Expressions
public import JSON

/// An expression that has been read: what it makes of a value for each of its names.
public struct Formula: Sendable {
    /// What one evaluation costs at most, in steps.
    let price: Int
    let evaluate: @Sendable ([JSON]) throws -> JSON

    /// A formula.
    public init(price: Int = 1, evaluate: @escaping @Sendable ([JSON]) throws -> JSON) {
        self.price = price
        self.evaluate = evaluate
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
            let expression = try Expression(source, names: names)
            return Formula(price: expression.price) { values in try expression.evaluate(values) }
        } catch {
            throw FormulaFault(description: error.description, offset: error.offset)
        }
    }
}
