/// A piece of state that is many rows by key. It changes by entry: a commit that writes one row costs one row, on its way to what is derived and to
/// the journal, however many there are.
public final class Table<Key: Hashable, Row: Equatable>: ReadableTable<Key, Row> {
    /// Tells of each row that the open transaction changes its key and what it becomes, written down, or says that this cannot be; see `Variable`.
    @usableFromInline package let encodeDraft: ((Node, _ tell: (String, [UInt8]?) -> Void) -> Bool)?

    /// A table that begins with some rows.
    @inlinable
    public init(_ rows: [Key: Row] = [:]) {
        encodeDraft = nil
        super.init(beginningWith: rows)
    }

    /// A table that begins with some rows and can be written down.
    @inlinable
    package init(_ rows: [Key: Row], encodeDraft: @escaping (Node, (String, [UInt8]?) -> Void) -> Bool) {
        self.encodeDraft = encodeDraft
        super.init(beginningWith: rows)
    }
}

extension Transaction {
    /// The row for a key: as written in this transaction, else as it is.
    @inlinable
    public subscript<Key, Row>(table: ReadableTable<Key, Row>, key: Key) -> Row? {
        table.current(key)
    }

    /// The row for a key: as written in this transaction, else as it is. Writing nil removes it.
    @inlinable
    public subscript<Key, Row>(table: Table<Key, Row>, key: Key) -> Row? {
        get { table.current(key) }
        nonmutating set { unsafe graph._withUnsafeGuaranteedRef { table.write(newValue, for: key, in: $0) } }
    }

    /// All rows as this transaction sees them, which takes as long as there are rows.
    @inlinable
    public func rows<Key, Row>(of table: ReadableTable<Key, Row>) -> [Key: Row] {
        var rows = table.isCleared ? [:] : table.rows
        for (key, row) in table.written { rows[key] = row }
        return rows
    }

    /// Removes all rows of a table.
    @inlinable
    public func removeAll<Key, Row>(of table: Table<Key, Row>) {
        unsafe graph._withUnsafeGuaranteedRef { table.clear(in: $0) }
    }
}
