/// The log of a server, for lines of features.
public struct FeatureLog: Sendable {
    private let writeInfo: @Sendable (String) -> Void
    private let writeWarning: @Sendable (String) -> Void

    /// A log that hands its lines to closures.
    package init(
        info: @escaping @Sendable (String) -> Void, warning: @escaping @Sendable (String) -> Void
    ) {
        (writeInfo, writeWarning) = (info, warning)
    }

    /// A log that drops its lines.
    package static let silent = FeatureLog(info: { _ in }, warning: { _ in })

    /// Writes a line that an operator reads when looking for something.
    public func info(_ message: String) { writeInfo(message) }

    /// Writes a line that an operator should see.
    public func warning(_ message: String) { writeWarning(message) }
}
