import Reactive

// The rows of a space that are in memory only.

extension FeatureSet {
    /// True if a feature has rows that are in memory only.
    var hasUnkeptRows: Bool { catalog.hasUnkept && made.contains { $0.blueprint.hasUnkept && $0.hasUnkeptRows } }

    /// Takes the rows in memory only of other features of the same scope.
    func adoptUnkept(of others: FeatureSet, in transaction: inout Transaction) {
        for (index, other) in others.instances.enumerated() {
            guard let other, other.hasUnkeptRows else { continue }
            self[index].adoptUnkept(of: other, in: &transaction)
        }
    }

    /// True if a feature has tables whose rows are in memory only.
    var hasUnkept: Bool { catalog.hasUnkept }

    /// Returns true if a view derives from nothing that is in memory only.
    func isKept(_ view: String) -> Bool { catalog.isKept(view) }
}
