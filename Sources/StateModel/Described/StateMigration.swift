import JSON

/// A document that computes some of its state from that of the document before.
package struct StateMigration: Sendable {
    /// The edition of the document.
    let edition: Int
    /// The names of the variables and tables that it computes.
    let labels: Set<String>
    /// The document; nil if this program cannot use it any more.
    let description: (any FeatureDescription)?
    /// The document before; nil if this program cannot use it any more.
    let before: (any FeatureDescription)?

    package init(
        edition: Int, labels: Set<String>, _ description: (any FeatureDescription)?,
        after before: (any FeatureDescription)?
    ) {
        (self.edition, self.labels, self.description, self.before) = (edition, labels, description, before)
    }

    /// A variable or table in one migration, under the name that it had then.
    struct MigratingPart {
        let migration: StateMigration
        let label: String

        /// The part as the document describes it; nil if the document drops it, or cannot be used.
        var part: StateDescription? { migration.description?.state.first { $0.label == label } }
        /// The part as the document before described it.
        var before: StateDescription? {
            migration.before?.state.first { $0.label == label }
                ?? part?.was.flatMap { was in migration.before?.state.first { $0.label == was } }
        }
        /// True if the document drops what is stored under the name.
        var drops: Bool { part == nil && migration.description?.drops.contains(label) ?? false }
        /// True if the table is made from the rows of another one, which was not there before.
        var isMade: Bool { part?.source != nil && before == nil }
    }

    /// Returns the migrations of a variable or table above a level, oldest first, under the names that it had.
    static func steps(of label: String, in migrations: [StateMigration], above level: StateLevel) -> [MigratingPart] {
        var label = label
        var steps: [MigratingPart] = []
        for migration in migrations.reversed() where migration.labels.contains(label) {
            guard migration.edition > level.edition(of: label) else { break }
            let step = MigratingPart(migration: migration, label: label)
            steps.insert(step, at: 0)
            if let was = step.part?.was, migration.before?.state.contains(where: { $0.label == label }) != true {
                label = was
            }
        }
        return steps
    }

    /// The names of stored state that it gives to other names, or drops.
    var moves: [(from: String, to: String?)] {
        guard let description else { return [] }
        return labels.sorted().compactMap { label in
            if let part = description.state.first(where: { $0.label == label }) {
                return part.was.map { (from: $0, to: label) }
            }
            let isSource = description.state.contains { $0.source?.table == label }
            return !isSource && description.drops.contains(label) ? (from: label, to: nil) : nil
        }
    }

    /// Computes a value, or the row of a key, by migrations in their order. One that fails is left out, so that a later
    /// document can take what an earlier one could not. Throws if the result does not satisfy the schema.
    static func value(
        _ part: StateDescription, _ steps: [MigratingPart], _ old: JSON, _ key: String?
    ) throws(MigrationFailure) -> JSON {
        let value = try unchecked(part, steps, old, key)
        if let reason = part.fault(value, true) { throw MigrationFailure(of: part.label, key, reason) }
        return value
    }

    /// Computes a value whose schema is not checked.
    static func unchecked(
        _ part: StateDescription, _ steps: [MigratingPart], _ old: JSON, _ key: String?
    ) throws(MigrationFailure) -> JSON {
        var value = old
        var failure = ""
        for step in steps where !step.drops {
            guard let own = step.part else {
                failure = "a document between them cannot be used"
                continue
            }
            let filled = step.before?.fill(value) ?? value
            let renamed = own.rename?(filled) ?? filled
            do {
                value = try own.migrate?(renamed, key) ?? renamed
                failure = ""
            } catch {
                failure = "\(error)"
            }
        }
        if !failure.isEmpty { throw MigrationFailure(of: part.label, key, failure) }
        return part.fill(value)
    }
}
