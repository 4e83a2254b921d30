/// The outcome of the wish of a client for a row.
package enum JoinOutcome: Sendable {
    /// The row is there. Its first adding is unknown if it is no row of a document.
    case present(FirstAdding)
    /// The row is not there.
    case refused(Refusal)

    /// The refusal; nil if the row is there.
    var refusal: Refusal? { if case .refused(let refusal) = self { refusal } else { nil } }
}
