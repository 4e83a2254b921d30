import HTTP
import StateStore

/// One request that waits for the next commit of a space.
final class ChangePoll: Waiter, TokenReader {
    private let responder: Responder
    let query: ChangeQuery
    private let space: SpaceName
    /// The version that the client knows.
    private let known: Int
    private unowned let feed: ChangeFeed
    private var use: TokenUse?

    init(_ responder: Responder, _ query: ChangeQuery, of space: SpaceName, known: Int, _ feed: ChangeFeed) {
        self.responder = responder
        self.query = query
        self.space = space
        self.known = known
        self.feed = feed
    }

    func begin(seconds: Int) {
        use = responder.wait(self, seconds: seconds)
    }

    /// Ends the wait with the answer that `body` gives.
    func end(_ body: (Responder) -> Void) {
        use?.end()
        body(responder)
    }

    func waited() {
        feed.remove(self)
        end { $0.answerUnchanged(tag: feed.tags.tag(of: known, in: space), wait: query.wait) }
    }

    func left() {
        feed.remove(self)
        use?.end()
    }

    func tokenWithdrawn() { waited() }
}
