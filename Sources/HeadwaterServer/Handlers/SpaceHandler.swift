import Ground
import HTTP
import JSON
import Sockets
import StateStore

/// The handler of spaces: it describes, deletes and lists them.
final class SpaceHandler {
    /// The spaces of one page at most.
    static let listLimit = 1_000

    private let store: Store
    private let changes: ChangeFeed
    private let delivery: Delivery
    private let histories: HistoryFeed
    private let journalWriter: any JournalWriter
    private let executor: LoopExecutor
    private let cursors: Cursors

    init(
        _ changes: ChangeFeed, _ histories: HistoryFeed, _ journalWriter: any JournalWriter, _ executor: LoopExecutor,
        _ cursors: Cursors
    ) {
        self.changes = changes
        self.histories = histories
        self.journalWriter = journalWriter
        self.executor = executor
        self.cursors = cursors
        delivery = changes.delivery
        store = delivery.store
    }

    func describe(_ request: borrowing Request, _ space: SpaceName, _ responder: Responder) {
        guard let known = KnownTags(of: request, .ifNoneMatch, responder) else { return }
        let tags = known.tags
        store.read([], in: space) { [changes] result in
            switch result {
            case .failure(let refusal): responder.answer(Problem(refusal))
            case .success(let reading):
                let version = space == .common ? reading.moment.common : reading.moment.version
                let tag = changes.tags.tag(of: version, in: space)
                if let tags, changes.tags.matches(tags, version, of: space) {
                    // The tag as the client has sent it.
                    let element = tags.element { changes.tags.isAny(of: [$0], version, of: space) } ?? "\"\(tag)\""
                    return responder.answerUnchanged(wait: nil) { $0.field("ETag", element) }
                }
                responder.answer(Self.description(of: space, at: version), tag: tag)
            }
        }
    }

    /// Returns the description of a space at a version.
    static func description(of space: SpaceName, at version: Int) -> [UInt8] {
        let path = "/v1/spaces/\(space)"
        let content: JSON = [
            "name": .string(space.description), "version": .number(Decimal(version)),
            "links": [
                "self": .string(path), "views": .string("\(path)/views"), "changes": .string("\(path)/changes"),
                "index": "/v1",
            ],
        ]
        return content.written
    }

    /// Deletes a space; with `If-Match` only if its version has one of the tags.
    func delete(_ request: borrowing Request, _ space: SpaceName, _ responder: Responder) {
        guard responder.hasRight(.admin, for: "this"), let demanded = KnownTags(of: request, .ifMatch, responder) else {
            return
        }
        guard let tags = demanded.tags else { return delete(space, responder) }
        store.read([], in: space) { [self] result in
            switch result {
            case .failure(let refusal): responder.answer(Problem(refusal))
            case .success(let reading):
                let version = reading.moment.version
                guard tags.isAny ? version > 0 : changes.tags.isAny(of: tags.tags, version, of: space) else {
                    let tag = changes.tags.tag(of: version, in: space)
                    return responder.answer(Problem(Refusal.changed(version: version))) { $0.quoted("ETag", tag) }
                }
                delete(space, responder)
            }
        }
    }

    private func delete(_ space: SpaceName, _ responder: Responder) {
        store.forget(space) { [self] result in
            switch result {
            case .failure(let refusal): responder.answer(Problem(refusal))
            case .success(false):
                responder.answer(Problem(.noSuchSpace, "there is no space \(space): its first action creates it"))
            case .success(true):
                changes.noteForgotten(space)
                histories.noteForgotten(space)
                delivery.noteForgotten(space)
                if let audit = responder.context.audit {
                    var event = responder.event(.action)
                    event.space = space
                    event.action = "space/delete"
                    event.outcome = "ok"
                    audit.write(event)
                }
                responder.answerNothing()
            }
        }
    }

    /// Answers with a page of the spaces that the token covers.
    func list(_ route: Route, _ responder: Responder) {
        guard responder.hasRight(.admin, for: "this") else { return }
        var limit = 100
        if let text = route["limit"] {
            guard text.utf8.allSatisfy({ (48...57).contains($0) }), let number = Int(text),
                (1...Self.listLimit).contains(number)
            else {
                return responder.answer(Problem(.invalid, "limit must be a number from 1 to \(Self.listLimit)"))
            }
            limit = number
        }
        var after: SpaceName?
        if let text = route["after"], !text.isEmpty {
            guard let name = SpaceName(text) ?? cursors.name(of: text) else {
                return responder.answer(
                    Problem(.invalid, "after must be the name of a space, or the value of next in an earlier answer"))
            }
            after = name
        }
        let owned = Confined((handler: self, responder: responder))
        journalWriter.read(
            for: executor,
            { [limit, after, token = responder.account.token] journal in
                do throws(JournalFailure) {
                    return Result<SpacePage, JournalFailure>.success(
                        try SpacePage(after: after, limit: limit, of: token, journal))
                } catch {
                    return .failure(error)
                }
            },
            then: { [limit] result in
                let (handler, responder) = owned.value
                handler.send(result, limit, responder)
            })
    }

    private func send(_ result: Result<SpacePage, JournalFailure>, _ limit: Int, _ responder: Responder) {
        switch result {
        case .failure(let failure): responder.answer(Problem(failure))
        case .success(let page):
            var content = JSON.Object()
            content["spaces"] = .array(
                page.spaces.map { space in
                    ["name": .string(space.name.description), "version": .number(Decimal(space.version))]
                })
            if let last = page.last {
                // The last name that was looked at may be one that the token does not cover.
                let after = page.spaces.last?.name == last ? last.description : cursors.text(of: last)
                content["next"] = .string("/v1/spaces?after=\(after)&limit=\(limit)")
            }
            responder.answer(now: .object(content))
        }
    }
}
