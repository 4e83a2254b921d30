public import JSON

/// A formula in CEL, the Common Expression Language: read, checked and priced once, then computed for any number of values.
public struct Expression: Sendable {
    /// What it was made from.
    public let source: String
    /// What one evaluation costs at most, in steps.
    public let price: Int

    /// Reads and checks a formula that may speak of `names`.
    public init(_ source: String, names: [String]) throws(ExpressionFault) {
        throw ExpressionFault(description: "not yet", offset: 0)
    }

    /// Computes it, with a value for each name in the order in which they were declared.
    public func evaluate(_ values: [JSON]) throws(EvaluationFailure) -> JSON {
        throw EvaluationFailure(description: "not yet")
    }
}

/// Why a formula cannot be.
public struct ExpressionFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong, and what would be right.
    public let description: String
    /// Where in the source it is, in Unicode code points.
    public let offset: Int
}

/// Why a formula has no value for what it was given.
public struct EvaluationFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// What went wrong.
    public let description: String
}
