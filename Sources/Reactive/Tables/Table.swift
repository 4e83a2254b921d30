/// A piece of state with many rows by key. It changes by entry: a commit that writes one row costs O(1) in propagation
/// and in the journal, independent of the number of rows.
public final class Table<Key: Hashable, Row: Equatable>: ReadableTable<Key, Row> {
    /// Encodes each row that the open transaction changes and passes it with its key to the closure; nil stands for a
    /// removed row. It returns false if a row cannot be encoded. See `Variable.encodeDraft`.
    @usableFromInline package let encodeDraft: ((Node, _ tell: (String, [UInt8]?) -> Void) -> Bool)?

    /// False if the rows are in memory only: a store does not put them in its journal.
    @usableFromInline package let isKept: Bool

    /// Creates a table with initial rows.
    @inlinable
    public init(_ rows: [Key: Row] = [:]) {
        encodeDraft = nil
        isKept = true
        super.init(beginningWith: rows)
    }

    /// Creates a table with initial rows that can be encoded.
    @inlinable
    package init(_ rows: [Key: Row], encodeDraft: @escaping (Node, (String, [UInt8]?) -> Void) -> Bool) {
        self.encodeDraft = encodeDraft
        isKept = true
        super.init(beginningWith: rows)
    }

    /// Creates a table without rows. If `kept` is false, its rows are in memory only: a store does not put them in its
    /// journal, they make no versions, and a restart empties the table.
    public init(kept: Bool) {
        encodeDraft = nil
        isKept = kept
        super.init(beginningWith: [:])
    }
}

extension Transaction {
    /// The row for a key: the row written in this transaction, or else the current one.
    @inlinable
    public subscript<Key, Row>(table: ReadableTable<Key, Row>, key: Key) -> Row? {
        table.current(key)
    }

    /// The row for a key: the row written in this transaction, or else the current one. Writing nil removes it.
    @inlinable
    public subscript<Key, Row>(table: Table<Key, Row>, key: Key) -> Row? {
        get { table.current(key) }
        nonmutating set { unsafe graph._withUnsafeGuaranteedRef { table.write(newValue, for: key, in: $0) } }
    }

    /// Returns all rows as this transaction sees them, in O(rows).
    @inlinable
    public func rows<Key, Row>(of table: ReadableTable<Key, Row>) -> [Key: Row] {
        var rows = table.isCleared ? [:] : table.rows
        for (key, row) in table.written { rows[key] = row }
        return rows
    }

    /// Returns the number of rows as this transaction sees them, in O(written rows).
    public func rowCount<Key, Row>(of table: ReadableTable<Key, Row>) -> Int {
        var count = table.isCleared ? 0 : table.rows.count
        for (key, row) in table.written {
            let isThere = !table.isCleared && table.rows[key] != nil
            if row != nil, !isThere { count += 1 } else if row == nil, isThere { count -= 1 }
        }
        return count
    }

    /// Removes all rows of a table.
    @inlinable
    public func removeAll<Key, Row>(of table: Table<Key, Row>) {
        unsafe graph._withUnsafeGuaranteedRef { table.clear(in: $0) }
    }
}

// See `Variable.restore`.

extension Table {
    /// Sets all rows at once. Precondition: nobody listens, and no transaction has written the table.
    @inlinable
    package func restore(_ rows: [Key: Row]) {
        precondition(!isActive && !isWritten, "a table is restored before it is used")
        self.rows = rows
        for follower in followers { follower.forget() }
    }

    /// Sets or removes one row at once. An existing row keeps its key, because equal keys may differ in spelling.
    /// Precondition: nobody listens, and no transaction has written the table.
    @inlinable
    package func restore(_ row: Row?, for key: Key) {
        precondition(!isActive && !isWritten, "a table is restored before it is used")
        for follower in followers { follower.forget() }
        guard let place = rows.index(forKey: key) else {
            if let row { rows[key] = row }
            return
        }
        if let row { rows.values[place] = row } else { rows.remove(at: place) }
    }
}
