import HTTP
import StateStore

/// A request for the commits of all spaces after a cursor.
struct FeedQuery {
    let start: FeedCursor?
    /// The cursors that the client has, if it names some.
    let tags: EntityTags?
    /// The seconds that the client would wait for the next row.
    let wait: Int?

    /// Returns true if the client has all rows up to a cursor. Readers of one place can have different texts for it.
    func knows(_ end: FeedCursor) -> Bool? {
        guard let tags else { return nil }
        return tags.isAny
            || tags.tags.contains { text in
                FeedCursor(text).map { $0.cursor.isAt(end.cursor) && $0.era == end.era } ?? false
            }
    }
}
