/// The places of the names in the frames of actions, schedules and views. Those of `let` and `each` follow.
enum NamePlace {
    static let state = 0
    static let given = 1
    static let input = 2
    static let space = 3
    static let token = 4
    static let now = 5
    static let newID = 6
    /// A row, and its key.
    static let row = 7
    static let key = 8
    /// The rows that a row is joined with.
    static let joined = 9
    /// The views that a view reads.
    static let views = 10
    /// The indexes. All their names have this place.
    static let index = 11
    static let newSecret = 12
    static let count = 13
}
