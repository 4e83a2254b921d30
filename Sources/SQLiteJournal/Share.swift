internal import StateStore

/// What one space has in a batch of commits.
struct Share {
    let space: SpaceName
    /// The head of the space, with those commits; nil while nothing is kept of it.
    var head: Head?
    /// Those that are kept.
    var commits: [CommitRecord] = []
    /// Whether one was not kept.
    var isBroken = false
}

/// What the spaces of a batch have in it, in the order in which they came.
struct Shares {
    private(set) var all: [Share] = []
    private var places: [SpaceName: Int] = [:]
    private var latest = 0

    subscript(place: Int) -> Share {
        get { all[place] }
        _modify { yield &all[place] }
    }

    /// The place of a space's. Where it has none yet, `head` finds its head.
    mutating func place(of space: SpaceName, _ head: (SpaceName) throws(JournalFailure) -> Head?) throws(JournalFailure) -> Int {
        // Mostly it is the one of the commit before.
        if latest < all.count, all[latest].space == space { return latest }
        if let place = places[space] {
            latest = place
            return place
        }
        latest = all.count
        places[space] = latest
        all.append(Share(space: space, head: try head(space)))
        return latest
    }
}
