/// A version at which the value of a view changed.
package struct HistoryRow: Sendable {
    /// The versions of the space and of `common` from which the view has the value.
    package let moment: Moment
    /// The commit that changed the value: of the space, or of `common`.
    package let head: CommitHead
    /// True if that commit is one of `common`.
    package let isOfCommon: Bool
    /// The value.
    package let frame: Frame
    /// True if the value shows private members, so that clients do not learn it here.
    package let isWithheld: Bool
}

/// The rows of a view's history after a moment, oldest first.
package struct HistoryPage: Sendable {
    /// The rows.
    package let rows: [HistoryRow]
    /// The moment up to which the history was read.
    package let end: Moment
    /// False if the journal has later commits.
    package let isWhole: Bool
    /// True if `common` has commits that the space has not shown yet.
    package let waitsForCommon: Bool
    /// True if the rules stopped allowing the view to its reader, after the rows; only if the rules were followed.
    package var isForbidden = false
}

/// The moment after which a history begins.
package enum HistoryStart: Hashable, Sendable {
    /// The oldest moment whose values the journal can still give.
    case oldest
    /// A point of the past.
    case after(PastPoint)
}

/// The bounds of a page.
package struct HistoryLimits: Sendable {
    /// The maximum number of rows.
    package let rows: Int
    /// The number of bytes of values at which the page ends.
    package let bytes: Int
    /// The last version of `common` that the space has shown with its newest version.
    package let common: Int

    package init(rows: Int, bytes: Int, common: Int) {
        self.rows = rows
        self.bytes = bytes
        self.common = common
    }
}
