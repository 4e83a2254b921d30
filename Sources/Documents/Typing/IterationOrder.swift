import Expressions

/// The order in which expressions visit the rows of a table.
enum IterationOrder {
    /// Returns the keys in their order. Of a table with more rows than an evaluation has steps, only as many keys are
    /// returned as one can visit, in any order: to sort them all would take longer than the evaluation may.
    static func of(_ keys: some Collection<String>) -> [String] {
        keys.count <= ExpressionLimits.steps ? keys.sorted() : Array(keys.prefix(ExpressionLimits.steps + 1))
    }
}
