/// The greatest size that the operator allows each space. A commit that makes a space larger than that is refused; one
/// that makes it smaller, or leaves it as large as it is, passes.
package struct SpaceQuota: Hashable, Sendable {
    /// The rows of all tables of a space; nil for no limit.
    package var rows: Int?
    /// The bytes of the stored state of a space; nil for no limit.
    package var bytes: Int?

    /// No limits.
    package init() {}

    /// True if there is a limit.
    package var isSet: Bool { rows != nil || bytes != nil }

    /// A measure of the size of a space.
    package enum Unit: String, Sendable {
        case rows, bytes
    }

    /// The limit that a space would exceed.
    package struct Excess: Hashable, Sendable, CustomStringConvertible {
        /// The measure that the limit is about.
        package let unit: Unit
        /// The limit.
        package let limit: Int

        init(_ unit: Unit, limit: Int) {
            self.unit = unit
            self.limit = limit
        }

        package var description: String {
            "the space would have more than the \(limit) \(unit) that each space may have (--quota-\(unit)): remove rows first"
        }
    }

    /// Returns the limit that a commit exceeds which changes the size of a space.
    package func excess(from before: SpaceSize, to after: SpaceSize) -> Excess? {
        if let rows, after.rows > rows, after.rows > before.rows { return Excess(.rows, limit: rows) }
        if let bytes, after.bytes > bytes, after.bytes > before.bytes { return Excess(.bytes, limit: bytes) }
        return nil
    }
}
