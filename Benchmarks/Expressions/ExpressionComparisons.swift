import Expressions
import JSON

/// The CEL formulas as hand-written closures over JSON values.
private typealias Closure = @Sendable (JSON) -> JSON?

private let numbers: [JSON] = (0..<64).map { JSON.number(Decimal(Int64($0 * 37))) }

private let products: [JSON] = (0..<64).map { place in
    var product = JSON.Object()
    product["id"] = .number(Decimal(Int64(place)))
    product["name"] = .string(place % 3 == 0 ? "basket \(place)" : "apron \(place)")
    product["price"] = place % 2 == 0 ? .number(Decimal(Int64(place))) : 12.5
    product["tags"] = ["kitchen", "cotton"]
    return .object(product)
}

private let linear: Closure = { value in
    guard case .number(let number) = value, let whole = number.int64 else { return nil }
    let (product, isOver) = whole.multipliedReportingOverflow(by: 2)
    let (sum, isOverToo) = product.addingReportingOverflow(1)
    return isOver || isOverToo ? nil : .number(Decimal(sum))
}

private let cheap: Closure = { value in
    guard case .object(let object) = value, case .number(let price)? = object["price"] else { return nil }
    guard price > 10 else { return false }
    guard case .string(let name)? = object["name"] else { return nil }
    return .bool(name.hasPrefix("a"))
}

private let tagged: Closure = { value in
    guard case .object(let object) = value, case .array(let tags)? = object["tags"] else { return nil }
    return .bool(tags.contains { $0 == "cotton" })
}

/// Returns an operation that evaluates a formula for one value after another.
private func formula(_ source: String, over values: [JSON]) -> (Int) -> Void {
    guard let expression = try? Expression(source, names: ["value"]) else {
        preconditionFailure("\(source) is refused")
    }
    return { number in
        guard let result = try? expression.evaluate(values[number & 63]) else { preconditionFailure("\(source) fails") }
        precondition(result.kind != .null)
    }
}

private func closure(_ closure: @escaping Closure, over values: [JSON]) -> (Int) -> Void {
    { number in
        guard let result = closure(values[number & 63]) else { preconditionFailure("the closure fails") }
        precondition(result.kind != .null)
    }
}

/// Formulas compared with the same operations as closures.
let expressionComparisons = MeasurementGroup(
    name: "expressions",
    comparisons: [
        Comparison(
            name: "value * 2 + 1", allowed: 5, operations: 200_000, ours: { formula("value * 2 + 1", over: numbers) },
            limit: { closure(linear, over: numbers) }),
        Comparison(
            name: "value.price > 10 && value.name.startsWith('a')", allowed: 5, operations: 100_000,
            ours: { formula("value.price > 10 && value.name.startsWith('a')", over: products) },
            limit: { closure(cheap, over: products) }),
        Comparison(
            name: "value.tags.exists(t, t == 'cotton')", allowed: 5, operations: 100_000,
            ours: { formula("value.tags.exists(t, t == 'cotton')", over: products) },
            limit: { closure(tagged, over: products) }),
    ],
    bounds: [
        Bound(name: "a match with a pattern, of 24 characters", allowed: 5_000, operations: 20_000) {
            formula("value.name.matches('^[a-z]+ [0-9]{1,3}$')", over: products)
        },
        Bound(name: "reading and checking a formula", allowed: 50_000, operations: 2_000) {
            { _ in
                guard (try? Expression("value.price > 10 && value.name.startsWith('a')", names: ["value"])) != nil
                else {
                    preconditionFailure("the formula is refused")
                }
            }
        },
    ])
