import JSON
import Streams

/// The error of an expression that cannot be computed.
struct NoNumber: Error, CustomStringConvertible {
    let description = "there is no such operation on these values"
}

extension Formulas {
    /// The few expressions of these tests, so that the tests check the streams and not the language.
    static let byHeart = Formulas { source, names throws(FormulaFault) in
        guard let formula = known[source] else {
            throw FormulaFault(description: "\"\(source)\" is not known by heart", offset: 0)
        }
        guard formula.names.allSatisfy(names.contains) else {
            throw FormulaFault(description: "\(formula.names) are not all among \(names)", offset: 2)
        }
        let places = formula.names.map { names.firstIndex(of: $0)! }
        return Formula { values in try formula.compute(places.map { values[$0] }) }
    }

    private static let known: [String: (names: [String], compute: @Sendable ([JSON]) throws -> JSON)] = [
        "value": (["value"], { $0[0] }),
        "value * 2": (["value"], { .number(try number($0[0]) * 2) }),
        "value + 10": (["value"], { .number(try number($0[0]) + 10) }),
        "value > 2": (["value"], { .bool(try number($0[0]) > 2) }),
        "value < 3": (["value"], { .bool(try number($0[0]) < 3) }),
        "value != 3": (["value"], { .bool($0[0] != 3) }),
        "value != 3 ? value : null": (["value"], { $0[0] == 3 ? .null : $0[0] }),
        "accumulated + value": (["accumulated", "value"], { .number(try number($0[0]) + number($0[1])) }),
        "[accumulated, accumulated]": (["accumulated"], { .array([$0[0], $0[0]]) }),
        "outer + value": (["outer", "value"], { .number(try number($0[0]) + number($0[1])) }),
        "[outer, value]": (["outer", "value"], { .array($0) }),
        "value - previous < 2": (["value", "previous"], { .bool(try number($0[0]) - number($0[1]) < 2) }),
    ]

    private static func number(_ value: JSON) throws -> Decimal {
        guard case .number(let number) = value else { throw NoNumber() }
        return number
    }
}
