/// The failure of an evaluation: the formula has no value for these inputs.
package struct EvaluationFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The description of the failure.
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}
