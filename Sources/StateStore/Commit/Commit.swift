public import Reactive

/// The transaction of an action, which reads and writes variables and tables through it. It is the only source of time
/// and random numbers. Only the store makes one.
public struct Commit: ~Copyable {
    @usableFromInline let transaction: Transaction
    /// When it is made.
    public let now: Timestamp
    /// The version that it will make.
    public let version: Int
    /// Random numbers.
    public var random: Randomness

    package init(_ transaction: consuming Transaction, now: Timestamp, version: Int, random: Randomness) {
        self.transaction = transaction
        self.now = now
        self.version = version
        self.random = random
    }

    /// The value of a variable: as written in this commit, else as it is.
    @inlinable
    public subscript<Value>(variable: Variable<Value>) -> Value {
        get { transaction[variable] }
        nonmutating set { transaction[variable] = newValue }
    }

    /// The value of a variable of another feature.
    @inlinable
    public subscript<Value>(variable: ReadableVariable<Value>) -> Value {
        transaction[variable]
    }

    /// The row for a key: as written in this commit, else as it is. Writing nil removes it.
    @inlinable
    public subscript<Key, Row>(table: Table<Key, Row>, key: Key) -> Row? {
        get { transaction[table, key] }
        nonmutating set { transaction[table, key] = newValue }
    }

    /// The row for a key of another feature's table.
    @inlinable
    public subscript<Key, Row>(table: ReadableTable<Key, Row>, key: Key) -> Row? {
        transaction[table, key]
    }

    /// All rows as this commit sees them, which takes as long as there are rows.
    @inlinable
    public func rows<Key, Row>(of table: ReadableTable<Key, Row>) -> [Key: Row] {
        transaction.rows(of: table)
    }

    /// Removes all rows of a table.
    @inlinable
    public func removeAll<Key, Row>(of table: Table<Key, Row>) {
        transaction.removeAll(of: table)
    }
}
