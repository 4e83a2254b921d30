import HTTP
import StateStore

/// One request for the history of a view: it is answered with the rows that there are or, if it may wait, with the next
/// ones.
final class HistoryLook: Subscriber, Waiter, HistoryListener {
    private let responder: Responder
    private let question: HistoryFeed.Question
    /// The start and the limit in one text: the tag of the answer depends on them.
    private let name: String
    private let limit: Int
    /// The tags that the client has, if it names some, and the seconds that it would wait.
    private let known: EntityTags?
    private let seconds: Int?
    private unowned let feed: HistoryFeed
    private var start: HistoryStart
    /// The point that the request named, until its life is checked.
    private var point: PointParameter?
    private var rows: HistoryRows?
    private var isReading = false
    /// True if a commit was heard of during a read.
    private var isBehind = false
    private(set) var isWaiting = false
    private var isDone = false

    init(
        _ responder: Responder, _ question: HistoryFeed.Question, _ start: HistoryStart, _ point: PointParameter?,
        name: String, limit: Int, _ known: EntityTags?, wait seconds: Int?, _ feed: HistoryFeed
    ) {
        self.responder = responder
        self.question = question
        self.start = start
        self.point = point
        self.name = name
        self.limit = limit
        self.known = known
        self.seconds = seconds
        self.feed = feed
        super.init(responder)
    }

    private var mayWait: Bool { (seconds ?? 0) > 0 }

    /// Reads the first rows.
    func begin() {
        if mayWait { feed.add(self, to: question.space) }
        read()
    }

    private func read() {
        isReading = true
        isBehind = false
        let count = rows?.rows.count ?? 0
        let bytes = rows?.bytes ?? 0
        feed.read(question, start, from: point, rows: limit - count, bytes: HistoryFeed.bytesLimit - bytes) {
            // The closure keeps the request until it is answered.
            [self] result in
            isReading = false
            guard !isDone else { return }
            guard responder.isOpen else { return finish { _ in } }
            switch result {
            case .failure(.busy) where isWaiting:
                isBehind = true
                feed.lookAgain(self)
            case .failure(let refusal): finish { $0.answer(Problem(refusal)) }
            case .success(let next): take(next)
            }
        }
    }

    private func take(_ next: HistoryRows) {
        point = nil
        start = .after(.moment(next.end))
        if rows == nil { rows = next } else { rows?.append(next) }
        guard let rows else { return }
        if rows.rows.count < limit, rows.bytes < HistoryFeed.bytesLimit, !rows.isWhole { return read() }
        let content = rows.content
        let opaque = feed.delivery.tags.opaque(of: content, named: name, in: question.space)
        let tag = "\(ShownVersions(rows.end, of: question.space).text)-\(opaque)"
        let isKnown = known.map { $0.mean(opaque: opaque) } ?? (mayWait && rows.rows.isEmpty)
        guard isKnown else { return finish { [seconds] in Self.send(content, tag, wait: seconds, $0) } }
        guard mayWait, let seconds, rows.rows.count < limit else {
            return finish { [seconds] in $0.answerUnchanged(tag: tag, wait: seconds) }
        }
        unchangedTag = tag
        if isBehind { return read() }
        if rows.waitsForCommon { feed.lookAgain(self) }
        guard !isWaiting else { return }
        isWaiting = true
        responder.wait(self, seconds: seconds)
    }

    /// The tag of the answer that the client has.
    private var unchangedTag = ""

    private static func send(_ content: [UInt8], _ tag: String, wait: Int?, _ responder: Responder) {
        responder.answer(.ok, "application/json", content) { writer in
            writer.quoted("ETag", tag)
            writer.field("Cache-Control", "no-cache")
            writer.field("Vary", "Accept")
            if let wait { Responder.addWait(wait, &writer) }
        }
    }

    func noteCommit() {
        if isReading { isBehind = true } else if isWaiting { read() }
    }

    func noteForgotten() {
        finish { [space = question.space] in $0.answer(Problem(.gone(space, oldest: 0))) }
    }

    /// Ends the request with the answer that `body` gives.
    private func finish(_ body: (Responder) -> Void) {
        guard !isDone else { return }
        isDone = true
        isWaiting = false
        if mayWait { feed.remove(self, from: question.space) }
        release()
        body(responder)
    }

    func waited() {
        finish { [seconds, unchangedTag] in $0.answerUnchanged(tag: unchangedTag, wait: seconds) }
    }

    func left() {
        finish { _ in }
    }

    override func withdraw() { waited() }
}
