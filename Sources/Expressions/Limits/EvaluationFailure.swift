/// Why a formula has no value for what it was given.
public struct EvaluationFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// What went wrong.
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}
