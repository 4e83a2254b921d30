/// The keys of the rows in which a table differs from other rows. It is made in slices, while transactions write the
/// table.
package final class TableDifference<Key: Hashable, Row: Equatable>: TableFollower<Key, Row> {
    private weak var table: ReadableTable<Key, Row>?
    private let other: [Key: Row]
    private var isMade = false
    /// The keys of rows that differ, and of those that were written since.
    private var differing: Set<Key> = []
    /// The number of keys that both have.
    private var commonCount = 0

    /// The difference of a table from `other` rows.
    package init(of table: ReadableTable<Key, Row>, from other: [Key: Row]) {
        (self.table, self.other) = (table, other)
        super.init()
    }

    /// The keys of all rows that differ, and perhaps of others; nil if not all rows were compared.
    package var keys: Set<Key>? { isMade ? differing : nil }

    package override var followed: ReadableTable<Key, Row>? { table }
    package override var hasAllRows: Bool { isMade }

    package override func take(_ rows: [(key: Key, row: Row)]) {
        for (key, row) in rows {
            let otherRow = other[key]
            if otherRow != nil { commonCount += 1 }
            if otherRow != row { differing.insert(key) }
        }
    }

    package override func noteComplete() {
        isMade = true
        guard let table, commonCount < other.count else { return }
        for key in other.keys where table.rows[key] == nil { differing.insert(key) }
    }

    package override func note(_ key: Key, old: Row?, new: Row?) { differing.insert(key) }

    package override func noteClear() { forget() }

    package override func forget() { detach() }

    package override func detach() {
        (isMade, differing) = (false, [])
        table?.followers.removeAll { $0 === self }
        table = nil
    }
}
