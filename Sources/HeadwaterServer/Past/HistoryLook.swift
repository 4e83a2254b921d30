import HTTP
import StateStore

/// One request for the history of a view.
final class HistoryLook: RowLook, HistoryListener {
    private let question: HistoryFeed.Question
    /// The start and the limit in one text: the tag of the answer depends on them.
    private let name: String
    private let limit: Int
    /// The tags that the client has, if it names some.
    private let known: EntityTags?
    private let feed: HistoryFeed
    private var start: HistoryStart
    /// The point that the request named, until its life is checked.
    private var point: PointParameter?
    private var rows: HistoryRows?

    init(
        _ responder: Responder, _ question: HistoryFeed.Question, _ start: HistoryStart, _ point: PointParameter?,
        name: String, limit: Int, _ known: EntityTags?, wait seconds: Int?, _ feed: HistoryFeed
    ) {
        (self.question, self.start, self.point, self.name) = (question, start, point, name)
        (self.limit, self.known, self.feed) = (limit, known, feed)
        super.init(responder, wait: seconds)
    }

    override func follow() { feed.add(self, to: question.space) }

    override func unfollow() { feed.remove(self, from: question.space) }

    func noteCommit() { noteNews() }

    func noteForgotten() { end(with: Problem(.gone(question.space, oldest: 0))) }

    override func read(_ take: @escaping (LookedRows) -> Void) {
        let (count, bytes) = (rows?.rows.count ?? 0, rows?.bytes ?? 0)
        feed.read(question, start, from: point, rows: limit - count, bytes: HistoryFeed.bytesLimit - bytes) {
            [self] result in
            switch result {
            case .failure(.busy) where isWaiting:
                feed.lookAgain(self)
                take(.later)
            case .failure(let refusal): take(.refused(Problem(refusal)))
            case .success(let next): take(looked(next))
            }
        }
    }

    /// Adds the rows of a read.
    private func looked(_ next: HistoryRows) -> LookedRows {
        point = nil
        start = .after(.moment(next.end))
        var rows = next
        if var all = self.rows {
            all.append(next)
            rows = all
        }
        self.rows = rows
        let isFull = rows.rows.count >= limit || rows.bytes >= HistoryFeed.bytesLimit
        guard isFull || rows.isWhole else { return .more }
        if mayWait, rows.waitsForCommon { feed.lookAgain(self) }
        let content = rows.content
        let opaque = feed.delivery.tags.opaque(of: content, named: name, in: question.space)
        return .rows(
            content: { content }, tag: "\(ShownVersions(rows.end, of: question.space).text)-\(opaque)", mark: opaque,
            isKnown: known.map { $0.mean(opaque: opaque) } ?? (mayWait && rows.rows.isEmpty), isFull: isFull)
    }
}
