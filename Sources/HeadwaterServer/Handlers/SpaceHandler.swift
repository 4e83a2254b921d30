import HTTP
import JSON
import StateStore

/// The handler of one space: it describes and deletes it.
final class SpaceHandler {
    private let store: Store
    private let names: ViewNames
    private let changes: ChangeFeed
    private let delivery: Delivery
    private let histories: HistoryFeed

    init(_ names: ViewNames, _ changes: ChangeFeed, _ histories: HistoryFeed) {
        self.names = names
        self.changes = changes
        self.histories = histories
        delivery = changes.delivery
        store = delivery.store
    }

    func describe(_ request: borrowing Request, _ space: SpaceName, _ responder: Responder) {
        guard let known = KnownTags(of: request, .ifNoneMatch, responder) else { return }
        let tags = known.tags
        guard let permit = names.permit([], in: space, responder) else { return }
        store.read(permit) { [changes] result in
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
        guard let permit = names.permit([], in: space, responder) else { return }
        store.read(permit) { [self] result in
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
}
