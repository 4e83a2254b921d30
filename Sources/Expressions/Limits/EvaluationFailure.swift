/// The failure of an evaluation: the formula has no value for these inputs.
public struct EvaluationFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The description of the failure.
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}
