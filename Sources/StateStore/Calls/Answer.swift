/// The answer to a call that was performed.
public struct Answer: Sendable {
    /// The version of the space after the action.
    public let version: Int
    /// The variables that the action changed.
    public let changed: [String]
    /// The requested views at that version; in a repeated answer, the current ones.
    public let views: ViewFrames
    /// The moment of `views`.
    public let moment: Moment
    /// True if an earlier call with the same idempotency key performed the action.
    public let isReplay: Bool
}
