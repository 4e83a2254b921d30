import HTTP
import JSON
import StateStore

/// Views of a space on their way to whoever reads them together: by a look, by waiting for a change, or as a stream.
///
/// A value is encoded once, whatever the number of readers; who cannot keep up gets the values of the time when they can.
final class Relay: StreamSource, Settling, Waiter {
    let space: SpaceName
    let views: [String]
    /// Whether it is one view by itself, or an object of several.
    let isSingle: Bool
    private let delivery: Delivery
    /// From how many bytes on the first event of a stream is shared by all readers.
    private static let sharedBytesAtLeast = 16 * 1_024

    private var watch: Watch?
    private var values: [Frame?]
    private var digests: [Digest?]
    /// The life in which the space began, as the tag has it.
    private var life: Life?
    /// In which step each view changed last.
    private var changedAt: [Int]
    /// Counts the changes that were passed on.
    private var step = 0
    private(set) var tag = "" { didSet { quotedTag = Array("\"\(tag)\"".utf8) } }
    /// The tag as fields hold it.
    private(set) var quotedTag: [UInt8] = []
    private(set) var failure: (view: String, failure: ViewFailure)?
    /// What the space was like when it was read last without being watched.
    private var stamp: Stamp?
    private var hasValues = false
    /// Whether its watch has told it the first values.
    private var isTold = false
    private var isReading = false
    private var isChanged = false
    private var isDirty = false
    /// What waits for the first values, or for newer ones.
    private var waiting: [(Refusal?) -> Void] = []
    private var readers: [Connection] = []
    private var pollers: [Exchange] = []
    /// The newest event, and one for readers that have missed some, from a step on.
    private var event: Piece?
    private var catchUp: (from: Int, piece: Piece)?
    /// The event that has all values.
    private var whole: Piece?
    private var snapshot: (fields: [UInt8], content: [UInt8])?
    /// Since when nobody reads.
    private(set) var unusedSince: Int64 = 0

    /// Values that a stream has yet to get: all, all after those that were current when it came, or none.
    private enum Mark {
        static let new = -1
        static let resumed = -2
        /// A new reader that was told when to return, and has yet to get the values.
        static let begun = -3
    }

    init(_ space: SpaceName, _ views: [String], isSingle: Bool, _ delivery: Delivery) {
        self.space = space
        self.views = views
        self.isSingle = isSingle
        self.delivery = delivery
        values = Array(repeating: nil, count: views.count)
        digests = Array(repeating: nil, count: views.count)
        changedAt = Array(repeating: 0, count: views.count)
    }

    /// Whether nobody reads.
    var isUnused: Bool { readers.isEmpty && pollers.isEmpty && waiting.isEmpty }
    /// Whether one of its views does not exist any more. Requests are answered 404 then.
    var isGone: Bool { failure?.failure.isGone ?? false }
    /// Whether it watches the space.
    var isWatching: Bool { watch != nil }

    /// Forgets the values, unless they are read or watched just now; whether it did.
    func forget() -> Bool {
        guard isUnused, !isWatching, !isReading else { return false }
        hasValues = false
        stamp = nil
        values = Array(repeating: nil, count: views.count)
        digests = Array(repeating: nil, count: views.count)
        event = nil
        catchUp = nil
        whole = nil
        snapshot = nil
        failure = nil
        return true
    }

    // MARK: Values

    /// Does something when the values are those of now.
    @inline(__always)
    func whenFresh(_ body: @escaping (Refusal?) -> Void) {
        if isFresh { return body(nil) }
        waiting.append(body)
        if watch == nil { read() }
    }

    /// Whether the values are those of now.
    var isFresh: Bool { hasValues && (watch != nil ? isTold : stamp != nil && stamp == delivery.store.stamp(of: space)) }

    private func read() {
        guard !isReading else { return }
        isReading = true
        delivery.store.read(views, in: space) { [self] result in
            isReading = false
            switch result {
            case .failure(let refusal): letIn(refusal)
            case .success(let reading):
                take(reading.views)
                passOn()
                stamp = delivery.store.stamp(of: space)
                letIn(nil)
            }
        }
    }

    private func letIn(_ refusal: Refusal?) {
        let bodies = waiting
        waiting = []
        for body in bodies { body(refusal) }
    }

    private func startWatching() {
        guard watch == nil else { return }
        isTold = false
        watch = delivery.store.watch(views, in: space) { [unowned self] result in
            switch result {
            case .success(let news):
                isTold = true
                take(news)
                if !isDirty {
                    isDirty = true
                    delivery.noteDirty(self)
                }
            case .failure(let refusal): fail(refusal)
            }
        }
        delivery.noteWatching(self)
    }

    /// The space was forgotten: those who watch are told what is so, under another tag.
    func noteForgotten() {
        guard isTold, watch != nil, !isDirty else { return }
        isDirty = true
        delivery.noteDirty(self)
    }

    /// Ends what nobody needs any more.
    func stopWatching() {
        watch = nil
        stamp = delivery.store.stamp(of: space)
    }

    private func fail(_ refusal: Refusal) {
        watch = nil
        stamp = nil
        letIn(refusal)
        let poorPollers = pollers
        pollers = []
        for poller in poorPollers { delivery.answer(poller, Problem(refusal)) }
        for reader in readers { reader.endStream() }
    }

    private func take(_ news: ViewFrames) {
        var next = 0
        for (view, frame) in news {
            guard let index = views.indices.first(where: { ($0 >= next || next == 0) && views[$0] == view }) else { continue }
            next = index + 1
            let digest = delivery.tags.digest(of: frame)
            guard digests[index] != digest else { continue }
            digests[index] = digest
            values[index] = frame
            if watch == nil { delivery.noteTaken(frame.size) }
            changedAt[index] = step + 1
            isChanged = true
        }
    }

    /// Passes on what a turn has changed, at its end, and lets those in who waited for it.
    func settle() {
        passOn()
        letIn(nil)
    }

    private func passOn() {
        isDirty = false
        hasValues = true
        let life = delivery.tags.life(of: space)
        guard isChanged || life != self.life else { return }
        isChanged = false
        let previous = failure
        failure = currentFailure
        // The readers of several views know already that one is gone; they get all values when it is back.
        if !isSingle, let failure, previous?.view == failure.view { return }
        step += 1
        if !isSingle, previous != nil, failure == nil { for index in changedAt.indices { changedAt[index] = step } }
        if life != self.life {
            self.life = life
            for index in changedAt.indices { changedAt[index] = step }
        }
        event = nil
        catchUp = nil
        whole = nil
        snapshot = nil
        tag = delivery.tags.tag(of: digests, views, in: life)
        for reader in readers {
            // What one has yet to take of the step before is now replaced.
            if reader.mark < step - 1 { delivery.metrics.conflated += 1 }
            reader.wake()
        }
        guard !pollers.isEmpty else { return }
        let told = pollers
        pollers = []
        for poller in told { answer(poller, wait: poller.connection.mark) }
    }

    /// The failure that is told in place of the values: that of a single view or, of several, the first view that is gone.
    private var currentFailure: (view: String, failure: ViewFailure)? {
        for (view, frame) in zip(views, values) {
            if case .failure(let failure)? = frame?.value, isSingle || failure.isGone { return (view, failure) }
        }
        return nil
    }

    /// The value of a view; one of several that has failed is null.
    private func bytes(of index: Int) -> [UInt8] {
        if case .success(let bytes) = values[index]?.value { return bytes }
        return Array("null".utf8)
    }

    /// The views that have changed after a step, as they are sent.
    private func content(after step: Int) -> [UInt8] {
        if isSingle { return bytes(of: 0) }
        var writer = JSONWriter()
        writer.object { writer in
            for index in views.indices where changedAt[index] > step { writer.field(views[index], written: bytes(of: index)) }
        }
        do {
            return try writer.finish()
        } catch {
            preconditionFailure("values that were written cannot be put together: \(error)")
        }
    }

    // MARK: Reading once

    /// Answers with the values as they are; `wait` is what a client that would have waited is told.
    func answer(_ exchange: Exchange, wait: Int?) {
        if let failure { return delivery.answer(exchange, Problem(failure.failure, of: failure.view)) }
        let (fields, content) = prepared()
        exchange.answer(.ok, prepared: fields, content) { [delivery] writer in
            if let wait { Delivery.addWait(wait, &writer) }
            delivery.addOriginFields(exchange.connection, &writer)
        }
    }

    private func prepared() -> (fields: [UInt8], content: [UInt8]) {
        if let snapshot { return snapshot }
        let content = content(after: -1)
        let fields = Array(
            "Content-Type: application/json\r\nCache-Control: no-cache\r\nVary: Accept\r\nETag: \"\(tag)\"\r\nContent-Length: \(content.count)\r\n"
                .utf8)
        snapshot = (fields, content)
        if !isSingle { delivery.noteTaken(content.count) }
        return (fields, content)
    }

    /// Has somebody wait who has the values as they are.
    func wait(_ exchange: Exchange, seconds: Int) {
        startWatching()
        exchange.connection.waiter = self
        // What the client is told of its wait, whenever that ends.
        exchange.connection.mark = seconds
        pollers.append(exchange)
        exchange.wait(seconds: seconds)
    }

    /// Somebody has waited for as long as it would.
    func waited(_ exchange: Exchange) {
        pollers.removeAll { $0.connection === exchange.connection }
        noteUse()
        delivery.sendUnchanged(exchange, tag: tag, wait: exchange.connection.mark)
    }

    var pollersCount: Int { pollers.count }

    // MARK: Streams

    /// Begins a stream, with the values as they are unless `lastTag` says that the reader has them.
    func stream(_ exchange: Exchange, lastTag: String?) {
        startWatching()
        whenFresh { [self] refusal in
            if let refusal { return delivery.answer(exchange, Problem(refusal)) }
            guard exchange.isOpen else { return }
            if isDirty { passOn() }
            if isGone { return answer(exchange, wait: nil) }
            let connection = exchange.connection
            let isResumed = lastTag.map { EntityTags(tag: $0).matches(tag) } ?? false
            connection.mark = isResumed ? Mark.resumed : Mark.new
            if lastTag != nil { delivery.metrics.resumes[isResumed ? 0 : 1] += 1 }
            connection.place = readers.count
            readers.append(connection)
            delivery.metrics.streams += 1
            exchange.stream(self, "text/event-stream") { [delivery] writer in
                writer.field("Cache-Control", "no-store")
                writer.field("X-Accel-Buffering", "no")
                writer.field("Vary", "Accept")
                delivery.addOriginFields(connection, &writer)
            }
        }
    }

    func next(for connection: Connection) -> Piece? {
        let mark = connection.mark
        guard mark != step else { return nil }
        connection.mark = step
        switch mark {
        case Mark.new, Mark.resumed:
            var text: [UInt8] = []
            EventText.retry(milliseconds: delivery.retryMilliseconds(), appendingTo: &text)
            guard mark == Mark.new else { return Piece(text, isNewest: true) }
            // A large event goes by itself, shared by all who come; a small one saves a write.
            guard (values.reduce(0) { $0 + ($1?.size ?? 0) }) < Self.sharedBytesAtLeast else {
                connection.mark = Mark.begun
                return Piece(text)
            }
            append(after: -1, to: &text)
            delivery.metrics.frames += 1
            return Piece(text, isNewest: true)
        case Mark.begun:
            delivery.metrics.frames += 1
            let piece = whole ?? piece(after: -1)
            whole = piece
            return piece
        case step - 1:
            delivery.metrics.frames += 1
            if let event { return event }
            let piece = piece(after: mark)
            event = piece
            return piece
        default:
            delivery.metrics.frames += 1
            if let catchUp, catchUp.from == mark { return catchUp.piece }
            let piece = piece(after: mark)
            catchUp = (mark, piece)
            return piece
        }
    }

    private func piece(after step: Int) -> Piece {
        var text: [UInt8] = []
        append(after: step, to: &text)
        return Piece(text, isNewest: true)
    }

    private func append(after step: Int, to text: inout [UInt8]) {
        if let failure {
            let problem = Problem(failure.failure, of: failure.view)
            return EventText.event(id: tag, name: "error", data: problem.bytes, appendingTo: &text)
        }
        EventText.event(id: tag, data: content(after: step), appendingTo: &text)
    }

    func left(_ connection: Connection) {
        let place = connection.place
        guard place < readers.count, readers[place] === connection else { return }
        let last = readers.removeLast()
        if last !== connection {
            readers[place] = last
            last.place = place
        }
        delivery.streamLeft(connection)
        noteUse()
    }

    private func noteUse() {
        guard isUnused else { return }
        unusedSince = delivery.now
        if isWatching { delivery.noteUnused() }
    }
}
