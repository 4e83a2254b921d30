import HTTP
import JSON
import StateStore

/// Some views of a space that are read together: once, by a wait for a change, or as streams.
///
/// A value is encoded once for all readers. A reader that is too slow misses values, and gets the newest when it can
/// take one.
final class ViewBroadcaster: TurnEndTask {
    let space: SpaceName
    let views: [String]
    /// True for one view by itself, false for an object of several.
    let isSingle: Bool
    private let delivery: Delivery
    private var watch: Watch?
    private var values: [Frame?]
    private var digests: [Digest?]
    /// The life of the space that the tag holds.
    private var life: Life?
    /// The step in which each view changed last.
    private var changedAt: [Int]
    /// The number of changes that were sent.
    private var step = 0
    private(set) var tag = "" { didSet { quotedTag = Array("\"\(tag)\"".utf8) } }
    /// The tag in quotation marks.
    private(set) var quotedTag: [UInt8] = []
    private(set) var failure: (view: String, failure: ViewFailure)?
    /// The stamp of the space when its values were read without a watch.
    private var stamp: Stamp?
    private var hasValues = false
    /// True once the watch has told the first values.
    private var isTold = false
    private var isReading = false
    private var isChanged = false
    private var isDirty = false
    /// The requests that wait for the first values, or for newer ones.
    private var waiting: [(Refusal?) -> Void] = []
    private var readers: [ViewReader] = []
    private var polls: [ViewPoll] = []
    /// The newest event, and one for readers that have missed events since a step.
    private var event: Piece?
    private var catchUp: (from: Int, piece: Piece)?
    /// The event that has all values.
    private var whole: Piece?
    private var snapshot: (fields: [UInt8], content: Rope)?
    /// The same in gzip, once a request has asked for it.
    private var gzipSnapshot: (fields: [UInt8], content: Rope)?
    /// The time at which the last reader left.
    private(set) var unusedSince: Int64 = 0

    init(_ space: SpaceName, _ views: [String], isSingle: Bool, _ delivery: Delivery) {
        self.space = space
        self.views = views
        self.isSingle = isSingle
        self.delivery = delivery
        values = Array(repeating: nil, count: views.count)
        digests = Array(repeating: nil, count: views.count)
        changedAt = Array(repeating: 0, count: views.count)
    }

    /// True if no request reads or waits.
    var isUnused: Bool { readers.isEmpty && polls.isEmpty && waiting.isEmpty }
    /// True if one of the views does not exist any more. Requests are answered 404 then.
    var isGone: Bool { failure?.failure.isGone ?? false }
    /// True while it watches the space.
    var isWatching: Bool { watch != nil }

    /// Forgets the values, unless they are read or watched. Returns true if it did.
    func forget() -> Bool {
        guard isUnused, !isWatching, !isReading else { return false }
        hasValues = false
        stamp = nil
        values = Array(repeating: nil, count: views.count)
        digests = Array(repeating: nil, count: views.count)
        event = nil
        catchUp = nil
        whole = nil
        forgetSnapshots()
        failure = nil
        return true
    }

    // MARK: Values

    /// Calls `body` as soon as the values are current.
    @inline(__always)
    func whenFresh(_ body: @escaping (Refusal?) -> Void) {
        if isFresh { return body(nil) }
        waiting.append(body)
        if watch == nil { read() }
    }

    /// True if the values are current.
    var isFresh: Bool {
        hasValues && (watch != nil ? isTold : stamp != nil && stamp == delivery.store.stamp(of: space))
    }

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

    /// Sends the values again, under another tag: the space was deleted.
    func noteForgotten() {
        guard isTold, watch != nil, !isDirty else { return }
        isDirty = true
        delivery.noteDirty(self)
    }

    /// Ends the watch.
    func stopWatching() {
        watch = nil
        stamp = delivery.store.stamp(of: space)
    }

    private func fail(_ refusal: Refusal) {
        watch = nil
        stamp = nil
        letIn(refusal)
        let ended = polls
        polls = []
        for poll in ended { poll.end { $0.answer(Problem(refusal)) } }
        for reader in readers { reader.end() }
    }

    private func take(_ news: ViewFrames) {
        var next = 0
        for (view, frame) in news {
            guard let index = views.indices.first(where: { ($0 >= next || next == 0) && views[$0] == view }) else {
                continue
            }
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

    /// Sends the changes of a turn, and answers the requests that waited for the first values.
    func endTurn() {
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
        // Readers of several views know that one is gone, and get all values when it is back.
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
        forgetSnapshots()
        tag = delivery.tags.tag(of: digests, views, in: life)
        for reader in readers {
            // The event that the reader has yet to take is replaced by this one.
            if reader.step < step - 1 { delivery.metrics.conflated += 1 }
            reader.wake()
        }
        guard !polls.isEmpty else { return }
        let told = polls
        polls = []
        for poll in told { poll.end { answer($0, wait: poll.seconds) } }
    }

    /// The failure that replaces the values: that of a single view or, of several, of the first view that is gone.
    private var currentFailure: (view: String, failure: ViewFailure)? {
        for (view, frame) in zip(views, values) {
            if case .failure(let failure)? = frame?.value, isSingle || failure.isGone { return (view, failure) }
        }
        return nil
    }

    /// Returns the value of a view, or null if it has failed.
    private func bytes(of index: Int) -> [UInt8] {
        if case .success(let value) = values[index]?.value { return value.bytes }
        return Array("null".utf8)
    }

    /// Returns the views that have changed after a step, encoded.
    private func content(after step: Int) -> [UInt8] {
        if isSingle { return bytes(of: 0) }
        var writer = JSONWriter()
        writer.object { writer in
            for index in views.indices where changedAt[index] > step {
                writer.field(views[index], written: bytes(of: index))
            }
        }
        do {
            return try writer.finish()
        } catch {
            preconditionFailure("values that were written cannot be put together: \(error)")
        }
    }

    // MARK: Reading once

    /// Answers with the current values; `wait` is the number of seconds that the request could have waited.
    func answer(_ responder: Responder, wait: Int?) {
        if let failure { return responder.answer(Problem(failure.failure, of: failure.view)) }
        var prepared = prepared()
        if responder.exchange.compresses(prepared.content.count) {
            prepared = compressed(prepared.content, responder.exchange)
        }
        responder.answer(prepared: prepared.fields, prepared.content, wait: wait)
    }

    private func prepared() -> (fields: [UInt8], content: Rope) {
        if let snapshot { return snapshot }
        let content = Rope(content(after: -1))
        let prepared = (fields: fields(for: content), content: content)
        snapshot = prepared
        if !isSingle { delivery.noteTaken(content.count) }
        return prepared
    }

    /// Returns the prepared answer in gzip. The first request for it has it made.
    private func compressed(_ content: Rope, _ exchange: Exchange) -> (fields: [UInt8], content: Rope) {
        if let gzipSnapshot { return gzipSnapshot }
        let gzip = Rope(exchange.gzip(content))
        let prepared = (fields: fields(for: gzip) + Array("Content-Encoding: gzip\r\n".utf8), content: gzip)
        gzipSnapshot = prepared
        delivery.noteTaken(gzip.count)
        return prepared
    }

    private func fields(for content: Rope) -> [UInt8] {
        Array(
            "Content-Type: application/json\r\nCache-Control: no-cache\r\nVary: Accept, Accept-Encoding\r\nETag: \"\(tag)\"\r\nContent-Length: \(content.count)\r\n"
                .utf8)
    }

    private func forgetSnapshots() {
        snapshot = nil
        gzipSnapshot = nil
    }

    /// Lets a request wait whose client has the current values.
    func wait(_ responder: Responder, seconds: Int) {
        startWatching()
        let poll = ViewPoll(responder, self, seconds: seconds)
        poll.place = polls.count
        polls.append(poll)
        poll.begin()
    }

    /// Removes a poll that has come to its end, in O(1).
    func remove(_ poll: ViewPoll) {
        guard poll.place < polls.count, polls[poll.place] === poll else { return }
        let last = polls.removeLast()
        if last !== poll {
            polls[poll.place] = last
            last.place = poll.place
        }
        noteUse()
    }

    var pollersCount: Int { polls.count }

    // MARK: Streams

    /// Begins a stream: with the current values, unless `lastTag` says that the reader has them.
    func stream(_ responder: Responder, _ use: TokenUse, lastTag: String?) {
        startWatching()
        whenFresh { [self] refusal in
            if let refusal { return responder.answer(Problem(refusal)) }
            guard responder.isOpen else { return }
            if isDirty { passOn() }
            if isGone { return answer(responder, wait: nil) }
            let isResumed = lastTag.map { EntityTags(tag: $0).matches(tag) } ?? false
            if lastTag != nil { delivery.metrics.resumes[isResumed ? 0 : 1] += 1 }
            let reader = ViewReader(responder.exchange.connection, self, use, isResumed: isResumed)
            reader.place = readers.count
            readers.append(reader)
            responder.stream(reader, isNegotiated: true)
        }
    }

    /// Returns the next piece for a reader, or nil if it has taken the newest.
    func next(for reader: ViewReader) -> Piece? {
        let taken = reader.step
        guard taken != step else { return nil }
        reader.step = step
        switch taken {
        case ViewReader.new, ViewReader.resumed:
            var text: [UInt8] = []
            EventText.retry(milliseconds: delivery.retryMilliseconds(), appendingTo: &text)
            guard taken == ViewReader.new else { return Piece(text, isNewest: true) }
            // The connection sends the event that all readers share in the same write.
            reader.step = ViewReader.begun
            return Piece(text)
        case ViewReader.begun:
            delivery.metrics.frames += 1
            let piece = whole ?? piece(after: -1)
            whole = piece
            return piece
        case step - 1:
            delivery.metrics.frames += 1
            if let event { return event }
            let piece = piece(after: taken)
            event = piece
            return piece
        default:
            delivery.metrics.frames += 1
            if let catchUp, catchUp.from == taken { return catchUp.piece }
            let piece = piece(after: taken)
            catchUp = (taken, piece)
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

    /// Removes a reader whose stream has ended, in O(1).
    func remove(_ reader: ViewReader) {
        guard reader.place < readers.count, readers[reader.place] === reader else { return }
        let last = readers.removeLast()
        if last !== reader {
            readers[reader.place] = last
            last.place = reader.place
        }
        delivery.metrics.streams -= 1
        noteUse()
    }

    private func noteUse() {
        guard isUnused else { return }
        unusedSince = delivery.now
        if isWatching { delivery.noteUnused() }
    }
}
