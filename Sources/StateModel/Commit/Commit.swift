public import Reactive

/// The transaction of an action, which reads and writes variables and tables through it. It is the only source of time
/// and random numbers. Only the store makes one.
public struct Commit: ~Copyable {
    @usableFromInline let transaction: Transaction
    /// The time of the commit.
    public let now: Timestamp
    /// The version after the commit.
    public let version: Int
    /// The client that calls the action.
    public let caller: Caller
    /// Random numbers.
    public var random: Randomness
    /// The number of identifiers that this commit has made.
    private var idCount = 0
    /// The identifiers that the client of the call knows before; nil for none.
    package var knownIDs: KnownIDs?
    /// The action, `feature/action`, whose identifiers clients know; nil for an action that clients do not perform.
    package var predictedAction: String?
    /// The number of such identifiers that this commit has made.
    private var knownCount = 0
    /// The number of the change of rows in memory only that the commit makes if it makes no version.
    private let unkeptChange: Int
    /// The number of rows of described features that this commit has added.
    private var additionCount = 0
    /// The value that the action answers, as JSON; empty for none.
    @usableFromInline package var result: [UInt8] = []
    /// The work of the actions of described features in this commit, which share one budget.
    package var work = ActionWork()

    package init(
        _ transaction: consuming Transaction, now: Timestamp, version: Int, caller: Caller = .nobody,
        random: Randomness, unkeptChange: Int = 1
    ) {
        self.transaction = transaction
        self.caller = caller
        self.now = now
        self.version = version
        self.random = random
        self.unkeptChange = unkeptChange
    }

    /// Returns a new identifier of 26 letters and digits. It is unique, also among spaces, and greater than those that
    /// earlier commits of the space have made.
    public mutating func newID() -> String {
        if let predictedAction, let knownIDs {
            defer { knownCount += 1 }
            return knownIDs.text(by: predictedAction, index: knownCount)
        }
        defer { idCount += 1 }
        return SortableID.text(at: now, version: version, index: idCount, random: random.next())
    }

    /// Returns a new identifier for an action that clients predict, `feature/action`: the one that the client knows, if it
    /// has sent its time and its place in a queue.
    package mutating func newID(predictedBy action: String) -> String {
        guard let knownIDs else { return newID() }
        defer { knownCount += 1 }
        return knownIDs.text(by: action, index: knownCount)
    }

    /// Returns 128 random bits of the system's generator as text. No client can predict it, nor compute it from other
    /// random numbers of the commit.
    package mutating func newSecret() -> String {
        var generator = SystemRandomNumberGenerator()
        return SortableID.text(UInt128.random(in: .min ... .max, using: &generator))
    }

    /// Returns the first adding of a row that an action adds to a table.
    package mutating func nextAdding(isKept: Bool) -> FirstAdding {
        defer { additionCount += 1 }
        return FirstAdding(version: isKept ? version : unkeptChange, index: additionCount)
    }

    /// The value of a variable: the one written in this commit, otherwise the current one.
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

    /// The row for a key: the one written in this commit, otherwise the current one. Writing nil removes the row.
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

    /// Returns all rows as this commit sees them, in O(rows).
    @inlinable
    public func rows<Key, Row>(of table: ReadableTable<Key, Row>) -> [Key: Row] {
        transaction.rows(of: table)
    }

    /// Returns the number of rows as this commit sees them, in O(written rows).
    public func rowCount<Key, Row>(of table: ReadableTable<Key, Row>) -> Int {
        transaction.rowCount(of: table)
    }

    /// Removes all rows of a table.
    @inlinable
    public func removeAll<Key, Row>(of table: Table<Key, Row>) {
        transaction.removeAll(of: table)
    }
}
