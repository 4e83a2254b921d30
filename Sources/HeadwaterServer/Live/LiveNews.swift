import StateStore

/// The news of one space for a live stream: values that changed, all of one moment.
struct LiveUpdate: Sendable {
    /// The index of the space among the parts of the selection.
    let part: Int
    let moment: Moment
    /// The lives of the space and of `common`.
    let lives: [Life]
    /// The changed values, by the index of the view in the part.
    let frames: [(view: Int, frame: Frame)]
}

/// What one loop tells a live stream at the end of a turn.
struct LiveNews: Sendable {
    let updates: [LiveUpdate]
    /// The version of `common` up to which the loop has told everything.
    let common: Int
    /// The number of the last request for news that the loop has answered: all commits that were answered before it are
    /// told.
    var refresh = 0
    /// The number of a request for news that waited for too long; nil for none.
    var late: Int?
    /// The reason why the loop tells nothing more, if it does not.
    var refusal: Refusal?
}

/// The name of a live stream's broadcaster among those of all loops.
struct LiveNumber: Hashable, Sendable {
    let loop: Int
    let number: Int
}
