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

    /// Computes a value, or the row of a key, by migrations in their order. One that fails is left out, so that a later
    /// document can take what an earlier one could not. Throws if the result does not satisfy the schema.
    static func value(
        _ part: StateDescription, _ migrations: [StateMigration], _ old: JSON, _ key: String?
    ) throws(MigrationFailure) -> JSON {
        var value = old
        var failure = ""
        for migration in migrations {
            guard let migrate = migration.description?.state.first(where: { $0.label == part.label })?.migrate else {
                failure = "a document between them cannot be used"
                continue
            }
            let filled = migration.before?.state.first { $0.label == part.label }?.fill(value) ?? value
            do {
                value = try migrate(filled, key)
                failure = ""
            } catch {
                failure = "\(error)"
            }
        }
        value = part.fill(value)
        if let reason = failure.isEmpty ? part.fault(value, true) : failure {
            throw MigrationFailure(of: part.label, key, reason)
        }
        return value
    }
}
