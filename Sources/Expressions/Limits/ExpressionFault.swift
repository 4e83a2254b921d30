/// Why a formula cannot be.
public struct ExpressionFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong, and what would be right.
    public let description: String
    /// Where in the source it is, in Unicode code points.
    public let offset: Int

    init(_ description: String, at offset: Int) {
        self.description = description
        self.offset = offset
    }
}
