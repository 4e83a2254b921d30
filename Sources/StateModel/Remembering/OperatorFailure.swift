/// The failure of an operator that remembers, as its memory keeps it.
struct OperatorFailure: Error, Equatable, CustomStringConvertible {
    /// The failure in words.
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
