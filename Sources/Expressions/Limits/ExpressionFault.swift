/// The fault of a formula that cannot be compiled.
public struct ExpressionFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// The description of the fault and its remedy.
    public let description: String
    /// The position of the fault in the source, in Unicode code points.
    public let offset: Int

    init(_ description: String, at offset: Int) {
        self.description = description
        self.offset = offset
    }
}
