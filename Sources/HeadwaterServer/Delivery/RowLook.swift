import HTTP
import StateStore

/// The rows that a request asks for.
enum LookedRows {
    /// The array of the rows, and the tag of the answer. `mark` differs if the rows do, `isKnown` is true if the client
    /// has them, and `isFull` if the answer takes no more: then nothing that comes later changes it.
    case rows(content: () -> [UInt8], tag: String, mark: String, isKnown: Bool, isFull: Bool)
    /// There may be further rows for this answer: the next read brings them.
    case more
    /// The rows cannot be read now. The request, which waits, reads them when it is told of news.
    case later
    case refused(Problem)
}

/// One request for rows in their order: it is answered with those that there are or, if its client has them all and may
/// wait, once there are others.
class RowLook: Subscriber, Waiter {
    let responder: Responder
    /// The seconds that the client would wait; nil if it does not wait.
    let seconds: Int?
    private var isReading = false
    /// True if there was news during a read.
    private var hasNews = false
    private(set) var isWaiting = false
    /// True if no news can change the answer.
    private var isFull = false
    private var isDone = false
    /// The tag of the rows that the client has, and their mark; nil until they were read.
    private var unchangedTag = ""
    private var unchangedMark: String?

    init(_ responder: Responder, wait seconds: Int?) {
        self.responder = responder
        self.seconds = seconds
        super.init(responder)
    }

    /// True if the request hears of news, and waits if its client has all rows.
    final var mayWait: Bool { (seconds ?? 0) > 0 }

    // MARK: The rows

    /// Reads the rows that there are.
    func read(_ take: @escaping (LookedRows) -> Void) { preconditionFailure("a request for rows reads them") }

    /// Hears of news from now on.
    func follow() { preconditionFailure("a request that waits hears of news") }

    /// Hears of no more news.
    func unfollow() { preconditionFailure("a request that has waited hears of no more news") }

    // MARK: The way of a request

    /// Reads the rows, and answers or waits.
    final func begin() {
        // No row falls between the read and the wait.
        if mayWait { follow() }
        look()
    }

    private func look() {
        (isReading, hasNews) = (true, false)
        // The closure keeps the request until it is answered.
        read { [self] looked in
            isReading = false
            guard !isDone else { return }
            guard responder.isOpen else { return finish { _ in } }
            take(looked)
        }
    }

    private func take(_ looked: LookedRows) {
        switch looked {
        case .more: look()
        case .later: break
        case .refused(let problem): end(with: problem)
        case .rows(let content, let tag, let mark, let isKnown, let isFull):
            guard unchangedMark.map({ $0 == mark }) ?? isKnown else {
                return finish { [seconds] in Self.send(content(), tag, wait: seconds, $0) }
            }
            (unchangedTag, unchangedMark) = (tag, mark)
            self.isFull = isFull
            guard mayWait, let seconds else { return waited() }
            if hasNews, !isFull { return look() }
            guard !isWaiting else { return }
            isWaiting = true
            responder.wait(self, seconds: seconds)
        }
    }

    private static func send(_ content: [UInt8], _ tag: String, wait: Int?, _ responder: Responder) {
        responder.answer(.ok, "application/json", content) { writer in
            writer.quoted("ETag", tag)
            writer.field("Cache-Control", "no-cache")
            writer.field("Vary", "Accept")
            if let wait { Responder.addWait(wait, &writer) }
        }
    }

    /// Looks again, because there may be other rows.
    final func noteNews() {
        if isReading { hasNews = true } else if isWaiting, !isFull { look() }
    }

    /// Ends the request with a problem.
    final func end(with problem: Problem) { finish { $0.answer(problem) } }

    /// Ends the request with the answer that `body` gives.
    private func finish(_ body: (Responder) -> Void) {
        guard !isDone else { return }
        (isDone, isWaiting) = (true, false)
        if mayWait { unfollow() }
        release()
        body(responder)
    }

    final func waited() {
        finish { [seconds, unchangedTag] in $0.answerUnchanged(tag: unchangedTag, wait: seconds) }
    }

    final func left() { finish { _ in } }

    final override func withdraw() { waited() }
}

extension [UInt8] {
    /// A JSON array of written elements.
    static func array<Elements: Sequence>(
        of elements: Elements, _ append: (Elements.Element, inout [UInt8]) -> Void
    ) -> [UInt8] {
        var content: [UInt8] = [UInt8(ascii: "[")]
        for element in elements {
            if content.count > 1 { content.append(UInt8(ascii: ",")) }
            append(element, &content)
        }
        content.append(UInt8(ascii: "]"))
        return content
    }
}
