import JSON
import Platform

@testable import Expressions

/// The zones of the system, for all tests of this module.
private let hasZones: Bool = {
    ZoneDatabase.use(SystemZones.read)
    return true
}()

/// Returns the result of a formula as text, or the description of its failure.
func outcome(_ source: String, _ values: [String: JSON] = [:], dialect: Expression.Dialect = .computing) -> String {
    precondition(hasZones)
    let names = values.keys.sorted()
    do {
        let expression = try Expression(source, names: names, dialect: dialect)
        return try expression.evaluate(names.map { values[$0] ?? nil }).description
    } catch {
        return "\(error)"
    }
}

/// Returns the fault of a formula, or nil if it compiles.
func fault(_ source: String, names: [String] = ["value"], dialect: Expression.Dialect = .computing) -> ExpressionFault?
{
    do {
        _ = try Expression(source, names: names, dialect: dialect)
        return nil
    } catch {
        return error
    }
}
