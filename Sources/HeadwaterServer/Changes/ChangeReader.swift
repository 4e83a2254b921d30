import HTTP
import JSON
import StateStore

/// One stream of all commits of a space in their order. A new commit is sent as it comes, as one event for all readers
/// that may see the same of it.
final class ChangeReader: RowStream {
    private unowned let feed: ChangeFeed
    /// The version up to which the commits were read.
    private var version: Int
    /// The newest version heard of during a read; 0 for none.
    private var heard = 0
    let permit: CommitPermit

    init(
        _ feed: ChangeFeed, after version: Int, isReset: Bool, _ connection: Connection, _ place: StreamPlace,
        _ permit: CommitPermit
    ) {
        self.feed = feed
        self.version = version
        self.permit = permit
        super.init(feed.delivery, connection, place, isReset: isReset)
    }

    var space: SpaceName { permit.space }

    /// Takes a commit that the journal has just written.
    func hear(_ record: CommitRecord, _ piece: () -> Piece) {
        guard record.version > version, !hasEnded else { return }
        if isReading {
            heard = record.version
            return
        }
        guard record.version == version + 1 else { return noteNews() }
        if push(piece) { version = record.version }
    }

    override func readPage(_ take: @escaping (@autoclosure () -> RowPage) -> Void) {
        feed.read(space, after: version, limit: Self.rowsLimit, for: permit) { [weak self] result in
            guard let self else { return }
            switch result {
            case .success(.commits(let records, let isWhole)): take(page(records, isWhole))
            case .success(.gone(let oldest)): take(.refused(.gone(oldest: oldest)))
            case .failure(let failure): take(.refused(Problem(failure)))
            }
        }
    }

    private func page(_ records: [CommitRecord], _ isWhole: Bool) -> RowPage {
        var (events, size): ([Piece], Int) = ([], 0)
        for record in records where size < Self.bytesLimit {
            let piece = feed.piece(record, permit)
            size += piece.count
            version = record.version
            events.append(piece)
        }
        // The read may have begun before a commit that was heard of. A second read has it.
        let isOutdated = heard > version
        heard = 0
        return .events(events, isWhole: isWhole && events.count == records.count && !isOutdated)
    }

    override func rewind() { (version, heard) = (0, 0) }

    override func noteEnd() { feed.remove(self) }
}

extension Problem {
    /// Commits are asked for that are not kept any more.
    static func gone(oldest: Int) -> Problem {
        var problem = Problem(
            .gone,
            "these commits are no longer stored: read the views again, or continue with since=\(oldest)")
        problem.extra["oldest"] = .number(JSON.Number(oldest))
        return problem
    }
}
