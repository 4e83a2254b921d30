import JSON
import Reactive

/// A variable or a table that the journal stores, whatever the type of its value.
protocol PersistentState: Node {
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
    /// Writes what differs from another state of the same type in a transaction: of a table, single rows. All is written
    /// where equal writes count.
    func change(to other: any PersistentState, in transaction: inout Transaction)
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
    static var valueSchema: JSON { Value.schema }
    static var changesByEntry: Bool { false }

    var hasRows: Bool { false }
    var isKept: Bool { true }
    var isWrittenByType: Bool { encodeDraft != nil }
    var isEmptyState: Bool { (value as? any Emptiable)?.isEmptyState ?? false }

    func appendFacts(named name: String, asWhole isWhole: Bool, to facts: inout Facts) throws(JSONError) {
        if let value = encodeDraft?(self) { return facts.append(Fact(variable: name, value: value)) }
        facts.append(Fact(variable: name, value: try draftWritten()))
    }

    func appendEqualRemovals(named name: String, asWhole isWhole: Bool, to facts: inout Facts) throws(JSONError) {}

    // A separate function, because an unspecialized generic function looks up type metadata on entry.
    @inline(never)
    private func draftWritten() throws(JSONError) -> [UInt8] {
        try (draft ?? value).json()
    }

    static func check(_ fact: Fact) throws(JSONError) { _ = try value(of: fact) }

    static func checked(_ row: JSON, for key: String) throws(JSONError) -> JSON {
        throw JSONError(.refused("is one of a table's, not a variable's"), at: 0)
    }

    func restore(_ fact: Fact) throws(JSONError) { restore(try Self.value(of: fact)) }

    func take(_ fact: Fact, in transaction: inout Transaction) throws(JSONError) {
        transaction[self] = try Self.value(of: fact)
    }

    private static func value(of fact: Fact) throws(JSONError) -> Value {
        guard fact.entry == nil, let bytes = fact.value else {
            throw JSONError(.refused("is one of a table's, not a variable's"), at: 0)
        }
        return try Value(parsing: bytes)
    }

    func become(_ other: any PersistentState, in transaction: inout Transaction) {
        if let other = other as? Variable<Value> { transaction[self] = other.value }
    }

    func change(to other: any PersistentState, in transaction: inout Transaction) {
        guard let other = other as? Variable<Value>, other.value != value || countsEqualWrites else { return }
        transaction[self] = other.value
    }

    func whole() throws(JSONError) -> [UInt8] {
        try value.json()
    }

    func size() throws(JSONError) -> Int { try whole().count }

    var rowCount: Int { 0 }
    var entries: [String] { [] }

    func entry(_ key: String) throws(JSONError) -> [UInt8]? { nil }
}

extension Table: PersistentState where Key: LosslessStringConvertible, Row: JSONConvertible & SchemaProviding {
    static var valueSchema: JSON { ["type": "object", "additionalProperties": Row.schema] }
    static var changesByEntry: Bool { true }

    var hasRows: Bool { !rows.isEmpty }
    var isWrittenByType: Bool { encodeDraft != nil }
    var isEmptyState: Bool { rows.isEmpty }

    func appendFacts(named name: String, asWhole isWhole: Bool, to facts: inout Facts) throws(JSONError) {
        if let encodeDraft, !isCleared, !isWhole {
            // If a value cannot be encoded, `appendChanges` fails too and throws the reason.
            if encodeDraft(self, { facts.append(Fact(variable: name, entry: $0, value: $1)) }) { return }
        }
        try appendChanges(named: name, asWhole: isWhole, to: &facts)
    }

    func appendEqualRemovals(named name: String, asWhole isWhole: Bool, to facts: inout Facts) throws(JSONError) {
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

    static func check(_ fact: Fact) throws(JSONError) {
        if let entry = fact.entry {
            _ = try key(entry)
            _ = try row(fact.value)
        } else {
            _ = try rows(fact.value)
        }
    }

    static func checked(_ row: JSON, for entry: String) throws(JSONError) -> JSON {
        _ = try key(entry)
        return try Row(parsing: row.json()).tree()
    }

    func restore(_ fact: Fact) throws(JSONError) {
        if let entry = fact.entry {
            restore(try Self.row(fact.value), for: try Self.key(entry))
        } else {
            restore(try Self.rows(fact.value))
        }
    }

    func take(_ fact: Fact, in transaction: inout Transaction) throws(JSONError) {
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

    func become(_ other: any PersistentState, in transaction: inout Transaction) {
        guard let other = other as? Table<Key, Row> else { return }
        transaction.removeAll(of: self)
        for (key, row) in other.rows { transaction[self, key] = row }
    }

    func change(to other: any PersistentState, in transaction: inout Transaction) {
        guard let other = other as? Table<Key, Row> else { return }
        let (old, new) = (rows, other.rows)
        // A dictionary has no order of its own, and equal commits have equal bytes.
        for key in Self.sorted(old.keys.filter { new[$0] == nil }) { transaction[self, key] = nil }
        for key in Self.sorted(new.keys.filter { countsEqualWrites || old[$0] != new[$0] }) {
            transaction[self, key] = new[key]
        }
    }

    private static func sorted(_ keys: [Key]) -> [Key] {
        keys.sorted { $0.description.utf8.lexicographicallyPrecedes($1.description.utf8) }
    }

    func whole() throws(JSONError) -> [UInt8] {
        try json(rows)
    }

    func size() throws(JSONError) -> Int {
        var size = 2
        for (key, row) in rows {
            // The name in quotes, a colon and a comma.
            size += key.description.utf8.count + 4
            size += try row.json().count
        }
        return size
    }

    var rowCount: Int { rows.count }
    var entries: [String] { rows.keys.map(\.description) }

    func entry(_ key: String) throws(JSONError) -> [UInt8]? {
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
