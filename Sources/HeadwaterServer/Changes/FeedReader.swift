import HTTP
import StateStore

/// One stream of the commits of all spaces, in order of keeping.
final class FeedReader: RowStream {
    private unowned let changes: AllChanges
    /// The cursor up to which the rows were read.
    private var end: FeedCursor?

    init(_ changes: AllChanges, after start: FeedCursor?, _ connection: Connection, _ place: StreamPlace) {
        self.changes = changes
        end = start
        super.init(changes.delivery, connection, place)
    }

    override func readPage(_ take: @escaping (@autoclosure () -> RowPage) -> Void) {
        changes.read(after: end, limit: Self.rowsLimit, bytesLimit: Self.bytesLimit, of: account.reader) {
            [weak self] result in
            guard let self else { return }
            switch result {
            case .success(.rows(let rows, let end, let isWhole)): take(page(rows, upTo: end, isWhole))
            case .success(.gone(let oldest)): take(.refused(.gone(oldest: oldest)))
            case .failure(let failure): take(.refused(Problem(failure)))
            }
        }
    }

    private func page(_ rows: [FeedPage.FeedRow], upTo end: FeedCursor, _ isWhole: Bool) -> RowPage {
        self.end = end
        return .events(rows.map { .event(id: $0.cursor.text, data: $0.text) }, isWhole: isWhole)
    }

    override func noteEnd() { changes.remove(self) }
}
