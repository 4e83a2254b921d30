/// The answer to a call that was performed.
public struct Answer: Sendable {
    /// The version of the space after the action.
    public let version: Int
    /// The variables that the action changed.
    public let changed: [String]
    /// The value that the action answers, as JSON; empty for none.
    public let result: [UInt8]
    /// The requested views at that version; in a repeated answer, the current ones.
    package let views: ViewFrames
    /// The moment of `views`.
    package let moment: Moment
    /// True if an earlier call with the same idempotency key performed the action.
    public let isReplay: Bool
    /// True if the action has changed what is in memory only.
    package var isUnkept = false
}

extension Answer {
    /// The value that the action answers, as JSON text; nil for none.
    public var resultText: String? { result.isEmpty ? nil : String(decoding: result, as: UTF8.self) }
}
