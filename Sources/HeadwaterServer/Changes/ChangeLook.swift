import HTTP
import StateStore

/// One request for the commits of a space after a version.
final class ChangeLook: RowLook {
    private let permit: CommitPermit
    private let version: Int
    /// The greatest number of commits of the answer.
    private let limit: Int
    /// The tags of the versions that the client has, if it names some.
    private let known: EntityTags?
    private let feed: ChangeFeed

    init(
        _ responder: Responder, _ permit: CommitPermit, after version: Int, limit: Int, _ known: EntityTags?,
        wait seconds: Int?, _ feed: ChangeFeed
    ) {
        (self.permit, self.version, self.limit, self.known, self.feed) = (permit, version, limit, known, feed)
        super.init(responder, wait: seconds)
    }

    var space: SpaceName { permit.space }

    override func follow() { feed.add(self) }

    override func unfollow() { feed.remove(self) }

    override func read(_ take: @escaping (LookedRows) -> Void) {
        feed.read(space, after: version, limit: limit, for: permit) { [self] result in
            switch result {
            case .failure(let failure): take(.refused(Problem(failure)))
            case .success(.gone(let oldest)): take(.refused(.gone(oldest: oldest)))
            case .success(.commits(let records, let isWhole)):
                let last = records.last?.version ?? version
                let tag = feed.tags.tag(of: last, in: space)
                let isKnown =
                    known.map { feed.tags.matches($0, last, of: space) } ?? (seconds != nil && records.isEmpty)
                take(
                    .rows(
                        content: { [self] in .array(of: records) { feed.append($0, permit, to: &$1) } },
                        tag: tag, mark: tag, isKnown: isKnown, isFull: !isWhole))
            }
        }
    }
}
