import JSON
import StateStore

/// The state after facts in their order, computed by the simplest algorithm.
struct Truth: Equatable {
    private var values: [String: [UInt8]] = [:]
    private var tables: [String: [String: [UInt8]]] = [:]

    init(_ facts: [Fact] = []) throws {
        for fact in facts { try take(fact) }
    }

    /// Applies a fact. Variables of `b` are tables.
    mutating func take(_ fact: Fact) throws {
        if let entry = fact.entry {
            tables[fact.variable, default: [:]][entry] = fact.value
        } else if fact.variable.hasPrefix("b."), case .object(let rows)? = try fact.value.map({ try JSON(parsing: $0) })
        {
            tables[fact.variable] = [:]
            for row in rows { tables[fact.variable]?[row.key] = try row.value.json() }
        } else {
            values[fact.variable] = fact.value
        }
    }

    static func == (one: Truth, other: Truth) -> Bool {
        // A table without rows equals one that was never written.
        one.values == other.values
            && one.tables.filter { !$0.value.isEmpty } == other.tables.filter { !$0.value.isEmpty }
    }
}
