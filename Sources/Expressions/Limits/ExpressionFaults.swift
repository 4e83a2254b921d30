/// The faults of a formula that its types reveal, or the one fault of its syntax. Never empty.
package struct ExpressionFaults: Error, Hashable, Sendable, CustomStringConvertible {
    /// The faults, in the order of the source.
    package let all: [ExpressionFault]

    init(_ all: [ExpressionFault]) { self.all = all }

    /// The faults, one line each.
    package var description: String { all.map(\.description).joined(separator: "\n") }
}
