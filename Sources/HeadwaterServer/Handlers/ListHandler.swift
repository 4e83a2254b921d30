import Ground
import HTTP
import JSON
import Sockets
import StateStore

/// The reads of list views as files.
final class ListHandler {
    private let names: ViewNames
    private let store: Store
    private let past: PastReader
    private let executor: LoopExecutor

    init(_ names: ViewNames, _ store: Store, _ past: PastReader, _ executor: LoopExecutor) {
        (self.names, self.store, self.past, self.executor) = (names, store, past, executor)
    }

    /// Answers with the rows of a view, or of a window of it, as a file.
    func read(_ permit: ReadPermit, _ form: ListFile.FileForm, _ route: Route, _ responder: Responder) {
        guard let view = permit.names.first, let schema = names.registry.view(named: view.base)?.value,
            isList(schema)
        else {
            return responder.answer(
                Problem(
                    .notAcceptable,
                    "this view is no list, so it is available as application/json and as text/event-stream",
                    allowed: ["application/json", "text/event-stream"]))
        }
        store.read(permit, isWanted: { responder.isOpen }) { [self] result in
            guard responder.isOpen else { return }
            switch result {
            case .failure(let refusal): responder.answer(Problem(refusal))
            case .success(let snapshot):
                switch snapshot.views.first?.frame.value {
                case .success(let value)?: write(value, view, ListFile(form, schema: schema), route, responder)
                case .failure(let failure)?: responder.answer(Problem(failure, of: "\(view)"))
                case nil: responder.answer(Problem(Refusal.noSuchView("\(view)")))
                }
            }
        }
    }

    private func isList(_ schema: JSON) -> Bool {
        schema["type"] == "array" || schema["items"] != nil || schema == [:]
    }

    /// Makes the file on the thread of the past, because a list can be long, and answers with it.
    private func write(
        _ value: ViewValue, _ view: ViewKey, _ file: ListFile, _ route: Route, _ responder: Responder
    ) {
        let owned = Confined((route: route, responder: responder))
        past.run(
            for: executor,
            { _ throws(PastRefusal) -> (parts: [[UInt8]], next: String?)? in
                guard let json = try? JSON(parsing: value.bytes, depth: JSONReader.greatestDepthLimit) else {
                    return nil
                }
                if case .array(let elements) = json { return (file.parts(of: elements), nil) }
                guard case .array(let elements)? = json["items"] else { return nil }
                var next: String?
                if case .string(let text)? = json["next"] { next = text }
                return (file.parts(of: elements), next)
            },
            then: { result in
                let (route, responder) = owned.value
                guard responder.isOpen else { return }
                switch result {
                case .failure(let refusal): responder.answer(Problem(refusal))
                case .success(nil):
                    responder.answer(
                        Problem(
                            .notAcceptable,
                            "the value of this view is no list now: it is available as application/json",
                            allowed: ["application/json", "text/event-stream"]))
                case .success((let parts, let next)?):
                    responder.answer(file.type, parts) { writer in
                        writer.field("Cache-Control", "no-cache")
                        writer.field("Vary", "Accept")
                        if let next { writer.field("Link", Self.link(to: next, route)) }
                    }
                }
            })
    }

    /// The link to the next window: the same target with another `after`.
    private static func link(to next: String, _ route: Route) -> String {
        let path = String(decoding: route.target.prefix { $0 != UInt8(ascii: "?") }, as: UTF8.self)
        var pairs = route.parameters.filter { $0.name != "after" && !QueryParameters.credentials.contains($0.name) }
        pairs.append((name: "after", value: next))
        let query = pairs.map { "\(QueryText.encoded($0.name))=\(QueryText.encoded($0.value))" }
        return "<\(path)?\(query.joined(separator: "&"))>; rel=\"next\""
    }
}
