import HTTP
import StateStore

/// The wait of one request for commits of a space.
final class ChangeWaiter: Waiter {
    private let feed: ChangeFeed
    private let space: SpaceName

    init(_ feed: ChangeFeed, _ space: SpaceName) {
        self.feed = feed
        self.space = space
    }

    func waited(_ exchange: Exchange) {
        feed.endWait(exchange, in: space)
    }
}
