package import StateStore

/// A step of a copy of a log: what one entry of the log changes.
package enum CopyStep: Sendable {
    /// Commits that are next in their spaces.
    case commits([CommitRecord], at: LogPlace? = nil)
    /// The deletion of a space.
    case forget(SpaceName, at: LogPlace? = nil)

    /// True if commits of the step erase rows.
    var erases: Bool {
        if case .commits(let commits, _) = self { commits.contains(where: \.erases) } else { false }
    }
}

/// The place of an entry in a log that several machines share.
package struct LogPlace: Hashable, Sendable {
    /// The index of the lane.
    package let lane: Int
    /// The number of the entry in its lane.
    package let number: Int

    /// A place.
    package init(lane: Int, number: Int) {
        self.lane = lane
        self.number = number
    }

    /// The number of runs that an entry has at most.
    private static let runs = 8_192

    /// Returns the place of a run of the entry. All copies divide the commits of an entry into the same runs.
    func place(ofRun index: Int) -> Int { number &* Self.runs | min(index, Self.runs - 1) }
}

/// A named text that a copy stores together with the steps that it belongs to.
package struct CopyRow: Hashable, Sendable {
    /// The name.
    package let name: String
    /// The text: letters, digits, spaces, `.`, `-` and `_`.
    package let value: String

    /// A row.
    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

/// The rows of a copy in the table `meta`.
enum CopyRows {
    /// The beginning of their names there.
    static let prefix = "copy "
}
