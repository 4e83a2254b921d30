/// The position of a stream's reader among the steps of its values.
enum ReaderPosition {
    /// The reader has taken no event; with `isReset` its client has values of another life.
    case new(isReset: Bool)
    /// The client has reconnected with the tag or the id of a step.
    case resumed(Int)
    /// The reader has taken the reconnection delay, but no values.
    case begun
    /// The reader has taken the values of a step.
    case at(Int)
}
