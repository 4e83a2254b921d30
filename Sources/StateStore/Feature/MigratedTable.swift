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

    init(label: String) { self.label = label }

    /// Notes a row that `migrate` computes, without a check of its schema.
    mutating func note(
        _ key: String, _ before: JSON, hiding hidden: PrivateParts, fault: (JSON) -> String?,
        _ migrate: () throws -> JSON?
    ) {
        var reason: String?
        var after: JSON?
        do {
            after = try migrate()
            reason = after.flatMap { fault($0) }
        } catch {
            reason = (error as? MigrationFailure)?.reason ?? "\(error)"
        }
        if let reason {
            failing += 1
            guard failures.count < Self.failingLimit else { return }
            let isPlaced = reason.hasPrefix("/")
            let parts = reason.split(separator: ": ", maxSplits: 1).map(String.init)
            failures.append(
                FailingRow(
                    key: key, pointer: isPlaced ? parts[0] : "", detail: isPlaced ? parts.last ?? reason : reason))
        } else if after == before {
            kept += 1
        } else {
            changed += 1
            if examples.count < Self.examplesLimit {
                examples.append(
                    MigratedRow(key: key, before: hidden.masking(before), after: after.map { hidden.masking($0) }))
            }
        }
    }
}
