import HTTP
import JSON
import StateStore
import Streams

/// The handler of stream definitions: it reads, puts and removes them.
final class DefinitionHandler {
    private let definitions: Definitions
    private let actions: ActionHandler
    private let viewTags: ViewTags
    private let putting: ActionID?
    private let removing: ActionID?

    init(_ definitions: Definitions, _ actions: ActionHandler, _ viewTags: ViewTags, _ registry: Registry) {
        self.definitions = definitions
        self.actions = actions
        self.viewTags = viewTags
        putting = registry.action(feature: "streams", name: "put")
        removing = registry.action(feature: "streams", name: "remove")
    }

    func handle(_ request: borrowing Request, _ asked: StreamRequest) {
        switch request.method {
        case .put: put(request, asked)
        case .delete: remove(request, asked)
        default: read(request, asked)
        }
    }

    /// Answers with one definition as it was put.
    private func read(_ request: borrowing Request, _ asked: StreamRequest) {
        let known = request.field(.ifNoneMatch).flatMap { EntityTags($0) }
        definitions.withLibrary(of: asked.space, asked.responder) { [viewTags, definitions] library in
            guard let document = library[asked.id] else { return asked.answerMissing() }
            let content = document.written
            let opaque = viewTags.opaque(of: content, named: "streams/\(asked.id)", in: asked.space)
            let versions = ShownVersions(definitions.moment(of: asked.space), of: asked.space)
            let tag = "\(versions.text)-\(opaque)"
            if let known, known.mean(opaque: opaque) {
                let element = known.element { ViewTag($0).map { $0.opaque == opaque } ?? false }
                return asked.responder.answerUnchanged(wait: nil) { $0.field("ETag", element ?? "\"\(tag)\"") }
            }
            asked.responder.answer(content, tag: tag)
        }
    }

    /// Puts a definition, whose id is that of the path, in the place of the present one.
    private func put(_ request: borrowing Request, _ stream: StreamRequest) {
        guard let putting,
            let asked = ActionRequest(putting, in: stream.space, stream.route, stream.responder).permitted(
                .act, bytes: request.body.count),
            ActionBody.isJSON(request, asked.responder)
        else { return }
        var document: JSON
        do {
            document = try JSON(parsing: ActionBody.bytes(of: request) ?? [])
        } catch {
            return asked.responder.answer(Problem(Rejection(error)))
        }
        if case .object(var object) = document {
            if let own = object["id"], own != .string(stream.id) {
                let detail = "the id must be that of the path, \"\(stream.id)\", or be left out"
                return asked.responder.answer(Problem(.invalid, detail, at: "/id", allowed: [stream.id]))
            }
            object["id"] = .string(stream.id)
            document = .object(object)
        }
        guard let key = actions.key(of: request, asked.responder),
            let demand = demand(of: request, stream, asked.responder)
        else { return }
        actions.perform(
            asked,
            Call(
                putting, input: document.written, key: key.text, views: demand.views, condition: demand.condition,
                by: asked.responder.account.subject
            )
            .with(tree: document))
    }

    /// Removes a definition.
    private func remove(_ request: borrowing Request, _ stream: StreamRequest) {
        guard let removing,
            let asked = ActionRequest(removing, in: stream.space, stream.route, stream.responder).permitted(.act),
            let demand = demand(of: request, stream, asked.responder)
        else { return }
        let input: JSON = ["id": .string(stream.id)]
        let call = Call(
            removing, input: input.written, views: demand.views, condition: demand.condition,
            by: asked.responder.account.subject)
        definitions.withLibrary(of: stream.space, asked.responder) { [actions] library in
            guard library[stream.id] != nil else { return stream.answerMissing() }
            actions.perform(asked, call)
        }
    }

    /// The demands that a request has on the present definition.
    private struct Demand {
        var condition: Call.Condition?
        /// The views that the condition needs.
        var views: [String] { condition == nil ? [] : [Definitions.view] }
    }

    /// Returns the demand of If-Match and If-None-Match; answers 400 and returns nil if one of these cannot be read.
    ///
    /// If-Match demands that the definition, or the version of its space, has one of the tags; If-None-Match that the
    /// definition has none of them or, with `*`, does not exist.
    private func demand(of request: borrowing Request, _ stream: StreamRequest, _ responder: Responder) -> Demand? {
        guard let wanted = KnownTags(of: request, .ifMatch, responder),
            let unwanted = KnownTags(of: request, .ifNoneMatch, responder)
        else { return nil }
        guard wanted.tags != nil || unwanted.tags != nil else { return Demand() }
        let (wantedTags, unwantedTags, id, space) = (wanted.tags, unwanted.tags, stream.id, stream.space)
        let isOfSpace = wantedTags.map { actions.condition($0, of: space, isOfViews: false) }
        return Demand { [viewTags] version, news in
            // Definitions that cannot be read have no tag.
            guard case .success(let value)? = news.first?.frame.value,
                let library = try? DefinitionLibrary(parsing: value.bytes)
            else {
                return false
            }
            guard let document = library[id] else { return wantedTags == nil }
            let opaque = viewTags.opaque(of: document.written, named: "streams/\(id)", in: space)
            if let unwantedTags, unwantedTags.mean(opaque: opaque) { return false }
            guard let wantedTags, let isOfSpace else { return true }
            return wantedTags.mean(opaque: opaque) || isOfSpace(version, news)
        }
    }
}
