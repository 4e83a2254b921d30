/// The place of a reader in the commits of all spaces. Places are in order of keeping.
package struct JournalCursor: Hashable, Sendable {
    /// The place of the last commit that the reader has; 0 before the first.
    package let place: Int
    /// The newest place when the reader began. The journal uses it to tell the commits that were dropped before from
    /// those that the reader has missed.
    package let begun: Int
    /// In a cluster, the place of the last commit that the reader has in the log of each lane; empty otherwise. Nodes
    /// have the commits of different lanes in different orders, so only these places mean the same on all of them.
    package let shares: [Int]

    /// A cursor.
    package init(place: Int, begun: Int, shares: [Int] = []) {
        self.place = place
        self.begun = begun
        self.shares = shares
    }

    /// A cursor of another node of a cluster.
    package init(shares: [Int]) {
        self.init(place: -1, begun: -1, shares: shares)
    }

    /// True if a reader of another node of a cluster has sent the cursor: its places here are not known.
    package var isForeign: Bool { place < 0 }

    /// Returns true if two readers have the same commits, whenever they began.
    package func isAt(_ other: JournalCursor) -> Bool {
        shares.isEmpty && other.shares.isEmpty ? place == other.place : shares == other.shares
    }
}

/// The result of reading the commits of all spaces.
package enum AllCommits: Hashable, Sendable {
    /// The rows in order of keeping, and the cursor after the last place that was examined. `isWhole` is true if there
    /// were no later rows.
    case rows([Row], end: JournalCursor, isWhole: Bool)
    /// The journal has dropped a commit after the cursor that the reader has not seen, or never had the place. A reader
    /// that begins anew with `oldest` gets everything that is stored.
    case gone(oldest: JournalCursor)

    /// A commit, or the deletion of a space.
    package struct Row: Hashable, Sendable {
        /// The cursor after this row.
        package let cursor: JournalCursor
        /// The event.
        package let event: JournalEvent

        /// A row.
        package init(cursor: JournalCursor, event: JournalEvent) {
            self.cursor = cursor
            self.event = event
        }
    }

    /// The content of a row in the commits of all spaces.
    package enum JournalEvent: Hashable, Sendable {
        /// A stored commit.
        case commit(CommitRecord)
        /// The space was deleted.
        case forgotten(SpaceName)
        /// Commits of the space are stored here that cannot be read.
        case damaged(SpaceName)

        /// The space of the event.
        package var space: SpaceName {
            switch self {
            case .commit(let record): record.space
            case .forgotten(let space), .damaged(let space): space
            }
        }
    }
}
