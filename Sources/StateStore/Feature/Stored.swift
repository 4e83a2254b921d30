import JSON
import Reactive

/// A piece of state that is kept, whatever the type of its value.
protocol Stored: AnyObject {
    /// What its values look like.
    static var valueSchema: JSON { get }
    /// Whether it changes by entry.
    static var changesByEntry: Bool { get }
    /// Adds what the open transaction changes of it to facts, if it does. What cannot be written as JSON is refused.
    func appendFacts(named name: String, to facts: inout [Fact]) throws(JSONError)
    /// Writes what a fact says of it.
    func take(_ fact: Fact, in transaction: inout Transaction) throws(JSONError)
}

extension Variable: Stored where Value: JSONConvertible & Described {
    static var valueSchema: JSON { Value.schema }
    static var changesByEntry: Bool { false }

    func appendFacts(named name: String, to facts: inout [Fact]) throws(JSONError) {
        guard let draft, draft != value else { return }
        facts.append(Fact(variable: name, value: try draft.json()))
    }

    func take(_ fact: Fact, in transaction: inout Transaction) throws(JSONError) {
        guard fact.entry == nil, let bytes = fact.value else { throw JSONError(.refused("is one of a table's, not a variable's"), at: 0) }
        transaction[self] = try Value(parsing: bytes)
    }
}

extension Table: Stored where Key: LosslessStringConvertible, Row: JSONConvertible & Described {
    static var valueSchema: JSON { ["type": "object", "additionalProperties": Row.schema] }
    static var changesByEntry: Bool { true }

    func appendFacts(named name: String, to facts: inout [Fact]) throws(JSONError) {
        guard isTouched else { return }
        if isCleared {
            if rows.isEmpty && written.isEmpty { return }
            var left: [String: Row] = [:]
            for (key, row) in written { left[key.description] = row }
            facts.append(Fact(variable: name, value: try left.json()))
            return
        }
        for key in order where current(key) != rows[key] {
            facts.append(Fact(variable: name, entry: key.description, value: try current(key)?.json()))
        }
    }

    func take(_ fact: Fact, in transaction: inout Transaction) throws(JSONError) {
        if let entry = fact.entry {
            transaction[self, try Self.key(entry)] = try fact.value.map { bytes throws(JSONError) in try Row(parsing: bytes) }
            return
        }
        guard let bytes = fact.value else { throw JSONError(.refused("says nothing"), at: 0) }
        transaction.removeAll(of: self)
        for (entry, row) in try [String: Row](parsing: bytes) { transaction[self, try Self.key(entry)] = row }
    }

    private static func key(_ entry: String) throws(JSONError) -> Key {
        guard let key = Key(entry) else { throw JSONError(.refused("has an entry whose key is none: \(entry)"), at: 0) }
        return key
    }
}
