import HTTP

/// One request that waits for the next commit of any space.
final class FeedPoll: Waiter, TokenReader {
    private let responder: Responder
    private let query: FeedQuery
    /// The cursor up to which the client has all rows.
    private var end: FeedCursor
    private unowned let changes: AllChanges
    private var use: TokenUse?
    private var isReading = false
    private var isOver = false
    /// The news that the last read has seen.
    private var seenNews = 0

    init(_ responder: Responder, _ query: FeedQuery, after end: FeedCursor, _ changes: AllChanges) {
        self.responder = responder
        self.query = query
        self.end = end
        self.changes = changes
    }

    func begin(seconds: Int) {
        use = responder.wait(self, seconds: seconds)
    }

    /// Looks whether the token covers a new row.
    func noteNews() {
        guard !isReading, !isOver else { return }
        isReading = true
        seenNews = changes.newsCount
        changes.read(after: end, limit: 1, of: responder.account.reader) { [self] result in
            isReading = false
            guard !isOver else { return }
            guard case .success(.rows(let rows, let end, let isWhole)) = result, rows.isEmpty else {
                finish()
                return changes.answerAtOnce(responder, query)
            }
            self.end = end
            if !isWhole || seenNews != changes.newsCount { noteNews() }
        }
    }

    private func finish() {
        isOver = true
        changes.remove(self)
        use?.end()
    }

    func waited() {
        finish()
        responder.answerUnchanged(tag: end.text, wait: query.wait)
    }

    func left() { finish() }

    func tokenWithdrawn() { waited() }
}
