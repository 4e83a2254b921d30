import JSON

@testable import Expressions

/// What came of a formula: its result as text, or why there is none.
func outcome(_ source: String, _ values: [String: JSON] = [:], dialect: Expression.Dialect = .computing) -> String {
    let names = values.keys.sorted()
    do {
        let expression = try Expression(source, names: names, dialect: dialect)
        return try expression.evaluate(names.map { values[$0] ?? nil }).description
    } catch {
        return "\(error)"
    }
}

/// Why a formula is refused; nil where it is not.
func fault(_ source: String, names: [String] = ["value"], dialect: Expression.Dialect = .computing) -> ExpressionFault? {
    do {
        _ = try Expression(source, names: names, dialect: dialect)
        return nil
    } catch {
        return error
    }
}
