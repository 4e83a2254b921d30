import HTTP
import JSON
import StateStore
import Sockets

/// The commits of spaces, for whoever reads or follows them, of one loop.
final class ChangeFeed {
    /// How many commits one answer has at the most,
    static let answerLimit = 10_000
    /// and about how many bytes.
    static let answerBytesLimit = 16 * 1_024 * 1_024

    let delivery: Delivery
    private let keeper: any JournalWriter
    private let home: LoopHome
    private var following: JournalSubscription?
    private var readers: [SpaceName: [ChangeReader]] = [:]
    /// Those who wait: after which version they ask, and up to which they know.
    private var pollers: [SpaceName: [(exchange: Exchange, version: Int, known: Int)]] = [:]
    /// The newest version heard of, of spaces that somebody follows.
    private var newest: [SpaceName: Int] = [:]

    init(_ delivery: Delivery, _ keeper: any JournalWriter, _ home: LoopHome) {
        self.delivery = delivery
        self.keeper = keeper
        self.home = home
    }

    /// The field of a tag up to its version.
    private static let tagStart = Array("ETag: \"".utf8)
    /// The rest of it after the version, in a life.
    private var tagEnd: (life: Life, bytes: [UInt8])?

    private var life: Life { keeper.journal.life }

    func piece(_ record: CommitRecord) -> Piece {
        var data: [UInt8] = []
        ChangeText.append(record, to: &data)
        var text: [UInt8] = []
        EventText.event(id: tag(of: record.version), data: data, appendingTo: &text)
        return Piece(text)
    }

    func hasNewer(than version: Int, in space: SpaceName) -> Bool { newest[space] ?? 0 > version }

    /// Reads commits from the journal.
    func read(_ space: SpaceName, after version: Int, limit: Int, _ then: @escaping (Result<CommitHistory, JournalFailure>) -> Void) {
        let owned = OnLoop(then)
        keeper.read(
            for: home,
            { journal in
                do throws(JournalFailure) {
                    return Result<CommitHistory, JournalFailure>.success(try journal.read(space, after: version, limit: limit))
                } catch {
                    return .failure(error)
                }
            },
            then: { owned.value($0) })
    }

    // MARK: Following

    private func follow() {
        guard following == nil else { return }
        let owned = OnLoop(Unowned(self))
        following = keeper.journal.follow { [home] records in home.post { owned.value.object?.hear(records) } }
    }

    private final class Unowned {
        weak var object: ChangeFeed?
        init(_ object: ChangeFeed) { self.object = object }
    }

    private func hear(_ records: [CommitRecord]) {
        for record in records where !record.facts.isEmpty {
            if newest[record.space] != nil { newest[record.space] = record.version }
            if let readers = readers[record.space] {
                var piece: Piece?
                for reader in readers {
                    reader.hear(record) {
                        if let piece { return piece }
                        let made = self.piece(record)
                        piece = made
                        return made
                    }
                }
            }
            if let waiting = pollers.removeValue(forKey: record.space) {
                for poller in waiting {
                    answer(poller.exchange, record.space, after: poller.version, tags: nil, wait: poller.exchange.connection.mark)
                }
                forgetIfUnused(record.space)
            }
        }
    }

    private func forgetIfUnused(_ space: SpaceName) {
        if readers[space] == nil, pollers[space] == nil { newest[space] = nil }
        if readers.isEmpty, pollers.isEmpty { following = nil }
    }

    // MARK: Reading once

    /// Answers with the commits after a version; a client that has them all waits for more, where it would.
    func answer(_ exchange: Exchange, _ space: SpaceName, after version: Int, tags: EntityTags?, wait: Int?, mayWait: Bool = false) {
        if mayWait {
            exchange.connection.waiter = ChangeWaiter(self, space)
            // Heard of from here on, so that nothing falls between the look and the wait.
            follow()
            newest[space] = newest[space] ?? 0
        }
        read(space, after: version, limit: Self.answerLimit) { [self] result in
            guard exchange.isOpen else { return forgetIfUnused(space) }
            switch result {
            case .failure(let failure): delivery.answer(exchange, Problem(failure))
            case .success(.gone(let oldest)): delivery.answer(exchange, .gone(oldest: oldest))
            case .success(.commits(let records)):
                let last = records.last?.version ?? version
                let tag = tag(of: last)
                let isKnown = tags.map { matches($0, last, of: space) } ?? (mayWait && records.isEmpty)
                guard isKnown else { return send(records, exchange, tag, wait) }
                guard mayWait, let wait, wait > 0 else { return delivery.sendUnchanged(exchange, tag: tag, wait: wait) }
                guard !hasNewer(than: last, in: space) else {
                    return answer(exchange, space, after: version, tags: tags, wait: wait, mayWait: mayWait)
                }
                exchange.connection.mark = wait
                pollers[space, default: []].append((exchange, version, last))
                exchange.wait(seconds: wait)
            }
        }
    }

    private func send(_ records: [CommitRecord], _ exchange: Exchange, _ tag: String, _ wait: Int?) {
        var content: [UInt8] = [UInt8(ascii: "[")]
        var last: CommitRecord?
        for record in records {
            if content.count > Self.answerBytesLimit { break }
            if last != nil { content.append(UInt8(ascii: ",")) }
            ChangeText.append(record, to: &content)
            last = record
        }
        content.append(UInt8(ascii: "]"))
        // A tag of what was sent, which may be less than there is.
        let sent = last.map { self.tag(of: $0.version) } ?? tag
        exchange.answer(.ok, "application/json", content) { [delivery] writer in
            writer.field("ETag", "\"\(sent)\"")
            writer.field("Cache-Control", "no-cache")
            writer.field("Vary", "Accept")
            if let wait { Delivery.addWait(wait, &writer) }
            delivery.addOriginFields(exchange.connection, &writer)
        }
    }

    /// A request has waited for commits for as long as it may.
    func endWait(_ exchange: Exchange, in space: SpaceName) {
        guard let waiting = pollers[space], let index = waiting.firstIndex(where: { $0.exchange.connection === exchange.connection }) else {
            return
        }
        let known = waiting[index].known
        pollers[space]?.remove(at: index)
        if pollers[space]?.isEmpty ?? false { pollers[space] = nil }
        forgetIfUnused(space)
        delivery.sendUnchanged(exchange, tag: tag(of: known), wait: exchange.connection.mark)
    }

    /// Writes the tag of a version as an answer's.
    func writeTag(of version: Int, _ writer: inout FieldWriter) {
        let life = life
        let end: [UInt8]
        if let tagEnd, tagEnd.life == life {
            end = tagEnd.bytes
        } else {
            end = Array("-\(SpaceTag.opaque(life))\"\r\n".utf8)
            tagEnd = (life, end)
        }
        writer.field(begunAs: Self.tagStart, version, end)
    }

    /// Whether one who names these has what a version is.
    func matches(_ tags: EntityTags, _ version: Int, of space: SpaceName) -> Bool {
        tags.isAny || isAnyOf(tags.tags, version, of: space)
    }

    /// Whether one of these is a tag of a version.
    func isAnyOf(_ tags: [String], _ version: Int, of space: SpaceName) -> Bool {
        let lives = keeper.journal.lives
        return tags.contains { SpaceTag($0)?.means(version, of: space, in: lives) ?? false }
    }

    /// Whether what is told by a tag can be gone on from.
    func isGood(_ tag: SpaceTag, for space: SpaceName) -> Bool { tag.isGood(for: space, in: keeper.journal.lives) }

    /// Says that what was asked for is not there any more, and what is.
    func answerGone(_ exchange: Exchange, _ space: SpaceName) {
        // Commits after none there is: the answer tells where they begin.
        read(space, after: -1, limit: 1) { [self] result in
            var oldest = 0
            if case .success(.gone(let found)) = result { oldest = found }
            delivery.answer(exchange, .gone(oldest: oldest))
        }
    }

    /// A space was forgotten: whoever follows it is at the end, and finds out what is so by coming back.
    func endAll(of space: SpaceName) {
        for reader in readers[space] ?? [] { end(reader) }
        for poller in pollers.removeValue(forKey: space) ?? [] { delivery.answer(poller.exchange, .gone(oldest: 0)) }
        forgetIfUnused(space)
    }

    /// The tag of a version.
    func tag(of version: Int) -> String { SpaceTag(version, in: life).text }

    // MARK: Streams

    /// Begins a stream of all commits that are kept. A reader who comes back from another life is told first that nothing it knows is so (`isReset`).
    func streamAnew(_ exchange: Exchange, _ space: SpaceName, isReset: Bool) {
        // Commits after none there is: the answer tells where they begin.
        read(space, after: -1, limit: 1) { [self] result in
            var oldest = 0
            if case .success(.gone(let found)) = result { oldest = found }
            stream(exchange, space, after: oldest, isReset: isReset)
        }
    }

    /// Begins a stream of all commits after a version, unless they are no longer kept.
    func stream(_ exchange: Exchange, _ space: SpaceName, after version: Int, isReset: Bool = false) {
        read(space, after: version, limit: 1) { [self] result in
            guard exchange.isOpen else { return }
            switch result {
            case .failure(let failure): return delivery.answer(exchange, Problem(failure))
            case .success(.gone(let oldest)): return delivery.answer(exchange, .gone(oldest: oldest))
            case .success(.commits): break
            }
            follow()
            newest[space] = newest[space] ?? 0
            let connection = exchange.connection
            let reader = ChangeReader(self, space, after: version, isReset: isReset, connection)
            readers[space, default: []].append(reader)
            delivery.metrics.streams += 1
            exchange.stream(reader, "text/event-stream") { [delivery] writer in
                writer.field("Cache-Control", "no-store")
                writer.field("X-Accel-Buffering", "no")
                writer.field("Vary", "Accept")
                delivery.addOriginFields(connection, &writer)
            }
        }
    }

    func remove(_ reader: ChangeReader) {
        readers[reader.space]?.removeAll { $0 === reader }
        if readers[reader.space]?.isEmpty ?? false { readers[reader.space] = nil }
        forgetIfUnused(reader.space)
    }

    /// Ends a stream, after this turn.
    func end(_ reader: ChangeReader) {
        let owned = OnLoop(reader)
        home.post { owned.value.connection?.endStream() }
    }

    var pollersCount: Int { pollers.values.reduce(0) { $0 + $1.count } }
}
