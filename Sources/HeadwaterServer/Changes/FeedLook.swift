import HTTP
import StateStore

/// One request for the commits of all spaces after a cursor.
final class FeedLook: RowLook {
    private let changes: AllChanges
    private let start: FeedCursor?
    /// The cursors that the client has, if it names some.
    private let known: EntityTags?
    /// The cursor up to which the rows were read.
    private var end: FeedCursor?
    /// True if the client has all rows up to there,
    private var isKnown = false
    /// and true if a row has come after them.
    private var hasNewRow = false

    init(
        _ responder: Responder, after start: FeedCursor?, _ known: EntityTags?, wait seconds: Int?,
        _ changes: AllChanges
    ) {
        (self.start, self.known, self.changes) = (start, known, changes)
        super.init(responder, wait: seconds)
    }

    override func follow() { changes.add(self) }

    override func unfollow() { changes.remove(self) }

    /// Reads the rows of one answer, past those that the token does not cover; for a client that has them all, only
    /// whether there is a new one.
    override func read(_ take: @escaping (LookedRows) -> Void) {
        let looksOnly = isKnown && !hasNewRow
        let limit = looksOnly ? 1 : FeedPage.rowsLimit
        changes.read(after: end ?? start, limit: limit, of: responder.account.reader) { [self] result in
            switch result {
            case .failure(let failure): take(.refused(Problem(failure)))
            case .success(.gone(let oldest)): take(.refused(.gone(oldest: oldest)))
            case .success(.rows(let rows, let end, let isWhole)):
                if looksOnly, !rows.isEmpty {
                    // The answer has all rows after the start.
                    (hasNewRow, self.end) = (true, nil)
                    return take(.more)
                }
                self.end = end
                guard !rows.isEmpty || isWhole else { return take(.more) }
                isKnown = isKnown || knows(end) ?? (seconds != nil && rows.isEmpty)
                take(
                    .rows(
                        content: { .array(of: rows) { $1.append(contentsOf: $0.text) } }, tag: end.text,
                        mark: "\(hasNewRow)", isKnown: isKnown, isFull: !isWhole))
            }
        }
    }

    /// Returns true if the client has all rows up to a cursor; nil if it names none. Readers of one place can have different
    /// texts for it.
    private func knows(_ end: FeedCursor) -> Bool? {
        known.map { known in
            known.isAny
                || known.tags.contains { text in
                    FeedCursor(text).map { $0.cursor.isAt(end.cursor) && $0.era == end.era } ?? false
                }
        }
    }
}
