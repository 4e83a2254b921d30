import JSON
import Reactive

/// A variable or a table that the journal stores, whatever the type of its value.
package protocol PersistentState: Node {
    /// The schema of its values.
    static var valueSchema: JSON { get }
    /// True if its facts can hold single entries: true for a table.
    static var changesByEntry: Bool { get }
    /// True if it is a table with at least one row.
    var hasRows: Bool { get }
    /// True if specialized code encodes its changes.
    var isWrittenByType: Bool { get }
    /// True if it is nil or has no row.
    var isEmptyState: Bool { get }
    /// False for a table whose rows are in memory only.
    var isKept: Bool { get }
    /// Appends the changes of the open transaction to `facts`: by entry if the state changes by entry and `isWhole` is
    /// false. Throws if a value cannot be encoded as JSON.
    func appendFacts(named name: String, asWhole isWhole: Bool, to facts: inout Facts) throws(JSONError)
    /// Appends the removals of the open transaction that change nothing, after `appendFacts`.
    func appendEqualRemovals(named name: String, asWhole isWhole: Bool, to facts: inout Facts) throws(JSONError)
    /// Checks that `restore` can take a fact.
    static func check(_ fact: Fact) throws(JSONError)
    /// Checks a row for a key of a table, and returns it with the defaults of its members.
    static func checked(_ row: JSON, for key: String) throws(JSONError) -> JSON
    /// Applies a fact without a transaction. Precondition: the state has no listeners, and no transaction has written
    /// it.
    func restore(_ fact: Fact) throws(JSONError)
    /// Writes the value of a fact in a transaction.
    func take(_ fact: Fact, in transaction: inout Transaction) throws(JSONError)
    /// Writes the value of another state of the same type in a transaction.
    func become(_ other: any PersistentState, in transaction: inout Transaction)
    /// Returns what finds, in slices, the rows in which a large table differs from another one; nil if there is nothing to
    /// find in slices.
    func difference(from other: any PersistentState) -> (any SlicedIndex)?
    /// Writes what differs from another state of the same type in a transaction: of a table, single rows. All is written
    /// where equal writes count. Of the rows that a difference has found only these are compared.
    func change(to other: any PersistentState, by differences: [any SlicedIndex], in transaction: inout Transaction)
    /// Returns the whole value as JSON.
    func whole() throws(JSONError) -> [UInt8]
    /// Returns about the number of bytes of the whole value as JSON, without putting it together.
    func size() throws(JSONError) -> Int
    /// The number of rows of a table; 0 of a variable.
    var rowCount: Int { get }
    /// The keys of the rows of a table.
    var entries: [String] { get }
    /// Returns the row of a key as JSON; nil if it is no table, or has no such row.
    func entry(_ key: String) throws(JSONError) -> [UInt8]?
}

extension Variable: PersistentState where Value: JSONConvertible & SchemaProviding {
    package static var valueSchema: JSON { Value.schema }
    package static var changesByEntry: Bool { false }

    package var hasRows: Bool { false }
    package var isKept: Bool { true }
    package var isWrittenByType: Bool { encodeDraft != nil }
    package var isEmptyState: Bool { (value as? any Emptiable)?.isEmptyState ?? false }

    package func appendFacts(named name: String, asWhole isWhole: Bool, to facts: inout Facts) throws(JSONError) {
        if let value = encodeDraft?(self) { return facts.append(Fact(variable: name, value: value)) }
        facts.append(Fact(variable: name, value: try draftWritten()))
    }

    package func appendEqualRemovals(named name: String, asWhole isWhole: Bool, to facts: inout Facts) throws(JSONError)
    {}

    // A separate function, because an unspecialized generic function looks up type metadata on entry.
    @inline(never)
    private func draftWritten() throws(JSONError) -> [UInt8] {
        try (draft ?? value).json()
    }

    package static func check(_ fact: Fact) throws(JSONError) { _ = try value(of: fact) }

    package static func checked(_ row: JSON, for key: String) throws(JSONError) -> JSON {
        throw JSONError(.refused("is one of a table's, not a variable's"), at: 0)
    }

    package func restore(_ fact: Fact) throws(JSONError) { restore(try Self.value(of: fact)) }

    package func take(_ fact: Fact, in transaction: inout Transaction) throws(JSONError) {
        transaction[self] = try Self.value(of: fact)
    }

    private static func value(of fact: Fact) throws(JSONError) -> Value {
        guard fact.entry == nil, let bytes = fact.value else {
            throw JSONError(.refused("is one of a table's, not a variable's"), at: 0)
        }
        return try Value(parsing: bytes)
    }

    package func become(_ other: any PersistentState, in transaction: inout Transaction) {
        if let other = other as? Variable<Value> { transaction[self] = other.value }
    }

    package func difference(from other: any PersistentState) -> (any SlicedIndex)? { nil }

    package func change(
        to other: any PersistentState, by differences: [any SlicedIndex], in transaction: inout Transaction
    ) {
        guard let other = other as? Variable<Value>, other.value != value || countsEqualWrites else { return }
        transaction[self] = other.value
    }

    package func whole() throws(JSONError) -> [UInt8] {
        try value.json()
    }

    package func size() throws(JSONError) -> Int { try whole().count }

    package var rowCount: Int { 0 }
    package var entries: [String] { [] }

    package func entry(_ key: String) throws(JSONError) -> [UInt8]? { nil }
}

extension Table: PersistentState where Key: LosslessStringConvertible, Row: JSONConvertible & SchemaProviding {
    package static var valueSchema: JSON { ["type": "object", "additionalProperties": Row.schema] }
    package static var changesByEntry: Bool { true }

    package var hasRows: Bool { !rows.isEmpty }
    package var isWrittenByType: Bool { encodeDraft != nil }
    package var isEmptyState: Bool { rows.isEmpty }

    package func appendFacts(named name: String, asWhole isWhole: Bool, to facts: inout Facts) throws(JSONError) {
        if let encodeDraft, !isCleared, !isWhole {
            // If a value cannot be encoded, `appendChanges` fails too and throws the reason.
            if encodeDraft(self, { facts.append(Fact(variable: name, entry: $0, value: $1)) }) { return }
        }
        try appendChanges(named: name, asWhole: isWhole, to: &facts)
    }

    package func appendEqualRemovals(named name: String, asWhole isWhole: Bool, to facts: inout Facts) throws(JSONError)
    {
        guard isCleared || isWhole else {
            for key in order where current(key) == nil && rows[key] == nil {
                facts.append(Fact(variable: name, entry: key.description, value: nil))
            }
            return
        }
        guard written.allSatisfy({ $0.value == nil }) else { return }
        var left = isCleared ? [:] : rows
        for key in written.keys { left[key] = nil }
        if left == rows { facts.append(Fact(variable: name, value: try json(left))) }
    }

    // A separate function, because an unspecialized generic function looks up type metadata on entry.
    @inline(never)
    private func appendChanges(named name: String, asWhole isWhole: Bool, to facts: inout Facts) throws(JSONError) {
        if isCleared || isWhole {
            var left = isCleared ? [:] : rows
            for (key, row) in written { left[key] = row }
            let isCounted = countsEqualWrites && written.contains { $0.value != nil }
            if left != rows || isCounted { facts.append(Fact(variable: name, value: try json(left))) }
            return
        }
        try eachChange { key, row throws(JSONError) in
            facts.append(Fact(variable: name, entry: key, value: try row?.json()))
        }
    }

    package static func check(_ fact: Fact) throws(JSONError) {
        if let entry = fact.entry {
            _ = try key(entry)
            _ = try row(fact.value)
        } else {
            _ = try rows(fact.value)
        }
    }

    package static func checked(_ row: JSON, for entry: String) throws(JSONError) -> JSON {
        _ = try key(entry)
        return try Row(parsing: row.json()).tree()
    }

    package func restore(_ fact: Fact) throws(JSONError) {
        if let entry = fact.entry {
            restore(try Self.row(fact.value), for: try Self.key(entry))
        } else {
            restore(try Self.rows(fact.value))
        }
    }

    package func take(_ fact: Fact, in transaction: inout Transaction) throws(JSONError) {
        if let entry = fact.entry {
            transaction[self, try Self.key(entry)] = try Self.row(fact.value)
            return
        }
        let rows = try Self.rows(fact.value)
        transaction.removeAll(of: self)
        for (key, row) in rows { transaction[self, key] = row }
    }

    private static func row(_ bytes: [UInt8]?) throws(JSONError) -> Row? {
        guard let bytes else { return nil }
        return try Row(parsing: hasAddings || !FirstAdding.isMarked(bytes) ? bytes : DescribedRow.shown(bytes))
    }

    /// True if the rows have a first adding. Those of a feature in Swift have none, also if a document had them before.
    private static var hasAddings: Bool { Row.self == DescribedRow.self }

    private static func rows(_ bytes: [UInt8]?) throws(JSONError) -> [Key: Row] {
        guard let bytes else { throw JSONError(.refused("says nothing"), at: 0) }
        let isPlain = hasAddings || !FirstAdding.isContained(in: bytes)
        var rows: [Key: Row] = [:]
        for (entry, row) in try [String: Row](parsing: isPlain ? bytes : DescribedRow.shown(whole: bytes)) {
            rows[try key(entry)] = row
        }
        return rows
    }

    package func become(_ other: any PersistentState, in transaction: inout Transaction) {
        guard let other = other as? Table<Key, Row> else { return }
        transaction.removeAll(of: self)
        for (key, row) in other.rows { transaction[self, key] = row }
    }

    package func difference(from other: any PersistentState) -> (any SlicedIndex)? {
        guard !countsEqualWrites, let other = other as? Table<Key, Row> else { return nil }
        let difference = TableDifference(of: self, from: other.rows)
        return difference.wantsSlices ? difference : nil
    }

    package func change(
        to other: any PersistentState, by differences: [any SlicedIndex], in transaction: inout Transaction
    ) {
        guard let other = other as? Table<Key, Row> else { return }
        let (old, new) = (rows, other.rows)
        let known = differences.lazy.compactMap { $0 as? TableDifference<Key, Row> }.first { $0.followed === self }?
            .keys
        // A dictionary has no order of its own, and equal commits have equal bytes.
        let gone = known?.filter { old[$0] != nil && new[$0] == nil } ?? Set(old.keys.filter { new[$0] == nil })
        for key in Self.sorted(gone) { transaction[self, key] = nil }
        func differs(_ key: Key) -> Bool { countsEqualWrites || old[key] != new[key] }
        let others = known?.filter { new[$0] != nil && differs($0) } ?? Set(new.keys.filter(differs))
        for key in Self.sorted(others) { transaction[self, key] = new[key] }
    }

    private static func sorted(_ keys: Set<Key>) -> [Key] {
        keys.sorted { $0.description.utf8.lexicographicallyPrecedes($1.description.utf8) }
    }

    package func whole() throws(JSONError) -> [UInt8] {
        try json(rows)
    }

    package func size() throws(JSONError) -> Int {
        var size = 2
        for (key, row) in rows {
            // The name in quotes, a colon and a comma.
            size += key.description.utf8.count + 4
            size += try row.json().count
        }
        return size
    }

    package var rowCount: Int { rows.count }
    package var entries: [String] { rows.keys.map(\.description) }

    package func entry(_ key: String) throws(JSONError) -> [UInt8]? {
        try rows[Self.key(key)]?.json()
    }

    private func json(_ rows: [Key: Row]) throws(JSONError) -> [UInt8] {
        var named: [String: Row] = [:]
        for (key, row) in rows { named[spelling(of: key)] = row }
        return try named.json()
    }

    private static func key(_ entry: String) throws(JSONError) -> Key {
        guard let key = Key(entry) else { throw JSONError(.refused("has an entry whose key is none: \(entry)"), at: 0) }
        return key
    }
}

/// A value that may be nil.
private protocol Emptiable {
    var isEmptyState: Bool { get }
}

extension Optional: Emptiable {
    fileprivate var isEmptyState: Bool { self == nil }
}
