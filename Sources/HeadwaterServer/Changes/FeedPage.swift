import StateStore

/// Commits and deletions of the spaces that a token covers, in order of keeping, as JSON.
enum FeedPage: Sendable {
    /// The maximum number of rows of one answer.
    static let rowsLimit = 10_000
    /// The number of bytes at which an answer ends: the row that reaches it is the last.
    static let bytesLimit = 4 * 1_024 * 1_024
    /// The maximum number of rows of one read from the journal,
    private static let windowLimit = 256
    /// and of all reads for one page.
    private static let scanLimit = 16_384

    /// Rows; `end` is the cursor after the last row that was looked at, which the token need not cover. `isWhole` is
    /// true if the journal has no later rows.
    case rows([FeedRow], end: FeedCursor, isWhole: Bool)
    /// The journal dropped rows after the cursor, or never gave it.
    case gone(oldest: FeedCursor)

    /// A row.
    struct FeedRow: Sendable {
        let cursor: FeedCursor
        let text: [UInt8]
    }

    /// Reads the first rows after a cursor, up to the limits. Without a cursor, begins with the oldest row.
    init(
        after start: FeedCursor?, limit: Int = rowsLimit, bytesLimit: Int = bytesLimit, of reader: Reader,
        _ registry: Registry, _ journal: any Journal
    ) throws(JournalFailure) {
        let era = journal.life.era
        var rows: [FeedRow] = []
        var (end, bytes, scanned) = (start?.cursor, 0, 0)
        if let start, start.era != era {
            // The journal answers a place that it never gave with the oldest one.
            let place = JournalCursor(place: .max, begun: .max)
            guard case .gone(let oldest) = try journal.readAll(after: place, limit: 1) else {
                self = .gone(oldest: FeedCursor(JournalCursor(place: 0, begun: 0), era: era))
                return
            }
            self = .gone(oldest: FeedCursor(oldest, era: era))
            return
        }
        while true {
            switch try journal.readAll(after: end, limit: Self.windowLimit) {
            case .gone(let oldest):
                guard let last = rows.last else {
                    self = .gone(oldest: FeedCursor(oldest, era: era))
                    return
                }
                // The journal may drop rows between two reads. The rows that were read are still in order.
                self = .rows(rows, end: last.cursor, isWhole: false)
                return
            case .rows(let window, let reached, let isWhole):
                end = reached
                scanned += window.count
                var isCut = false
                for row in window where reader.administers(row.event.space) {
                    if rows.count == limit {
                        (end, isCut) = (rows.last?.cursor.cursor ?? end, true)
                        break
                    }
                    let cursor = FeedCursor(row.cursor, era: era)
                    let text = Self.text(of: row, cursor, for: reader, registry)
                    rows.append(FeedRow(cursor: cursor, text: text))
                    bytes += text.count
                }
                let isFull = rows.count >= limit || bytes >= bytesLimit || scanned >= Self.scanLimit
                if isWhole || isFull, let end {
                    self = .rows(rows, end: FeedCursor(end, era: era), isWhole: isWhole && !isCut)
                    return
                }
            }
        }
    }

    private static func text(
        of row: AllCommits.Row, _ cursor: FeedCursor, for reader: Reader, _ registry: Registry
    ) -> [UInt8] {
        var text: [UInt8] = []
        switch row.event {
        case .commit(let record):
            // The reader administers the space, so it has a permit.
            guard let permit = try? CommitPermit.issue(in: record.space, to: reader) else { break }
            ChangeText.append(permit.shown(record, by: registry), cursor: cursor.text, to: &text)
        case .forgotten(let space): ChangeText.append("forgotten", space, cursor: cursor.text, to: &text)
        case .damaged(let space): ChangeText.append("damaged", space, cursor: cursor.text, to: &text)
        }
        return text
    }
}
