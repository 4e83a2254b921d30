/// The answer to a call that was performed.
public struct Answer: Sendable {
    /// The version of the space after the action.
    public let version: Int
    /// The variables that the action changed.
    public let changed: [String]
    /// The requested views at that version.
    public let views: ViewFrames
    /// True if an earlier call with the same idempotency key performed the action.
    public let isReplay: Bool
}
