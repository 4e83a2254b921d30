internal import StateStore

/// The part of a batch that belongs to one space.
struct BatchEntry {
    let space: SpaceName
    /// The head of the space after these commits; nil if the space does not exist yet.
    var head: SpaceHead?
    /// The accepted commits.
    var commits: [CommitRecord] = []
    /// The commits whose answers stand with the entry of the log.
    var answered: [CommitRecord] = []
    /// True if a commit of the space was rejected.
    var isRejected = false
}

/// The parts of a batch, in the order of the first commit of each space.
struct BatchEntries {
    private(set) var all: [BatchEntry] = []
    private var places: [SpaceName: Int] = [:]
    private var latest = 0

    subscript(place: Int) -> BatchEntry {
        get { all[place] }
        _modify { yield &all[place] }
    }

    /// Returns the index of the entry of a space. A new entry gets its head from `head`.
    mutating func place(
        of space: SpaceName, _ head: (SpaceName) throws(JournalFailure) -> SpaceHead?
    ) throws(JournalFailure) -> Int {
        // Most commits are of the same space as the one before.
        if latest < all.count, all[latest].space == space { return latest }
        if let place = places[space] {
            latest = place
            return place
        }
        latest = all.count
        places[space] = latest
        all.append(BatchEntry(space: space, head: try head(space)))
        return latest
    }
}
