/// The reason that the state of a feature in one space cannot be taken by its present definition.
package struct MigrationFailure: Error, CustomStringConvertible {
    private let label: String
    private let key: String?
    let reason: String

    /// The failure at a variable, or at the row of a key.
    init(of label: String, _ key: String?, _ reason: String) {
        (self.label, self.key, self.reason) = (label, key, reason)
    }

    /// The failure for clients, which have no right to see the key.
    package var description: String { "\(label): \(reason)" }
    /// The failure for the operator.
    package var detail: String { label + (key.map { "[\"\($0)\"]" } ?? "") + ": \(reason)" }
}
