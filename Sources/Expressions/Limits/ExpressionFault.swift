/// The fault of a formula that cannot be compiled.
package struct ExpressionFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// The description of the fault and its remedy.
    package let description: String
    /// The position of the fault in the source, in Unicode code points.
    package let offset: Int
    /// The characters of the part that has the fault, in Unicode code points; empty if only its position is known.
    package let range: Range<Int>
    /// The names or signatures that are allowed, if they can be listed.
    package let allowed: [String]

    init(_ description: String, at offset: Int) {
        self.init(description, at: offset, in: offset..<offset)
    }

    /// Returns the fault at a place in a greater text.
    func moved(by distance: Int) -> ExpressionFault {
        ExpressionFault(
            description, at: offset + distance, in: (range.lowerBound + distance)..<(range.upperBound + distance),
            allowed: allowed)
    }

    init(_ description: String, at offset: Int, in range: Range<Int>, allowed: [String] = []) {
        self.description = description
        self.offset = offset
        self.range = range
        self.allowed = allowed
    }
}
