package import JSON

/// The rows of a table that a document would migrate.
package struct MigratedTable: Sendable {
    /// A row before and after.
    package struct MigratedRow: Sendable {
        /// The key.
        package let key: String
        /// The row as it is.
        package let before: JSON
        /// The row as it would be; nil for none.
        package let after: JSON?
    }

    /// A row that cannot be migrated.
    package struct FailingRow: Sendable {
        /// The key.
        package let key: String
        /// The place in the row.
        package let pointer: String
        /// The reason, which shows no part of the row.
        package let detail: String
    }

    /// A row that has the values of another one in a unique index.
    package struct RepeatedRow: Sendable {
        /// The name of the index.
        package let index: String
        /// The key of the row.
        package let key: String
        /// The key of the other row.
        package let other: String

        package init(index: String, key: String, other: String) {
            (self.index, self.key, self.other) = (index, key, other)
        }

        /// The failure of a migration that would leave both rows in a table.
        func failure(of table: String, _ key: String) -> MigrationFailure {
            MigrationFailure(of: table, key, "another row has the same values in the unique index \(index)")
        }
    }

    /// The number of examples of one table.
    package static let examplesLimit = 3
    /// The number of failing rows that are named.
    package static let failingLimit = 20

    /// The name of the table in its feature.
    package let label: String
    /// The number of rows that stay as they are, that change, and that fail.
    package private(set) var kept = 0
    package private(set) var changed = 0
    package private(set) var failing = 0
    /// The first changed rows, with null in place of private parts.
    package private(set) var examples: [MigratedRow] = []
    /// The first failing rows.
    package private(set) var failures: [FailingRow] = []
    /// The rows that a unique index would refuse.
    package private(set) var repeated: [RepeatedRow] = []
    /// The rows as they would be, and the keys of those that change, if a unique index asks for them.
    private var made: [(key: String, row: DescribedRow)] = []
    private var changedKeys: Set<String> = []

    /// Finds the rows that a unique index would refuse; nil for a table without unique indexes.
    private let search: (@Sendable () -> any RepeatedRowSearch)?

    init(label: String, repeated search: (@Sendable () -> any RepeatedRowSearch)?) {
        (self.label, self.search) = (label, search)
    }

    /// Notes a row that `migrate` computes, with its key, without a check of its schema. A row of which it makes none does
    /// not count. `hidden` are the private parts of the row before, `hiddenAfter` those of the row after.
    mutating func note(
        _ key: String, _ old: DescribedRow, hiding hidden: PrivateParts, after hiddenAfter: PrivateParts,
        fault: (JSON) -> String?,
        _ migrate: () throws -> (key: String, row: JSON)?
    ) {
        let before = old.value
        var reason: String?
        var after: JSON?
        do {
            guard let new = try migrate() else { return }
            after = new.row
            reason = fault(new.row)
            if search != nil, reason == nil {
                made.append((new.key, old.with(new.row)))
                if new.row != before { changedKeys.insert(new.key) }
            }
        } catch {
            reason = (error as? MigrationFailure)?.reason ?? "\(error)"
        }
        if let reason {
            let isPlaced = reason.hasPrefix("/")
            let parts = reason.split(separator: ": ", maxSplits: 1).map(String.init)
            noteFailing(key, isPlaced ? parts[0] : "", isPlaced ? parts.last ?? reason : reason)
        } else if after == before {
            kept += 1
        } else {
            changed += 1
            if examples.count < Self.examplesLimit {
                examples.append(
                    MigratedRow(key: key, before: hidden.masking(before), after: after.map { hiddenAfter.masking($0) }))
            }
        }
    }

    private mutating func noteFailing(_ key: String, _ pointer: String, _ detail: String) {
        failing += 1
        guard failures.count < Self.failingLimit else { return }
        failures.append(FailingRow(key: key, pointer: pointer, detail: detail))
    }

    /// Notes the rows that a unique index would refuse as failing ones, when all rows are noted.
    mutating func noteRepeated() {
        guard let search = search?() else { return }
        repeated = made.flatMap { search.note($0.key, $0.row) }
        var counted: Set<String> = []
        for row in repeated where counted.insert(row.key).inserted {
            if changedKeys.contains(row.key) { changed -= 1 } else { kept -= 1 }
            noteFailing(
                row.key, "", "the row has the values of the row \"\(row.other)\" in the unique index \(row.index)")
        }
        (made, changedKeys) = ([], [])
    }
}

/// A search among the rows of a table for those that have the values of another one in a unique index.
package protocol RepeatedRowSearch: AnyObject {
    /// Takes one more row, and returns the indexes in which it has the values of one before it, each with the key of that.
    func note(_ key: String, _ row: DescribedRow) -> [MigratedTable.RepeatedRow]
}
