import HTTP
import StateStore

/// The handler of live streams: views of several spaces on one connection.
final class LiveHandler {
    private let names: ViewNames
    private let live: LiveLoop

    init(_ names: ViewNames, _ live: LiveLoop) {
        self.names = names
        self.live = live
    }

    func read(_ request: borrowing Request, _ route: Route, _ responder: Responder) {
        guard let selection = selection(route, responder) else { return }
        guard route.wantsEvents || Self.namesEvents(request) else {
            return responder.answer(
                Problem(
                    .notAcceptable, "several spaces can be had as events: send Accept: text/event-stream, or events=1",
                    allowed: ["text/event-stream"]))
        }
        let delta = route["delta"] ?? Self.delta(request)
        guard delta == nil || delta == "json-patch" else {
            return responder.answer(
                Problem(.invalid, "delta is json-patch, or is left out", allowed: ["json-patch"]))
        }
        guard let place = responder.takeStream() else { return }
        live.broadcaster(for: selection).stream(
            responder, place, lastID: route.lastEventID(of: request), wantsPatches: delta != nil)
    }

    /// Returns the views of the parameters `watch`; answers why not, and returns nil.
    private func selection(_ route: Route, _ responder: Responder) -> LiveSelection? {
        let texts = route.parameters.filter { $0.name == "watch" }.map(\.value)
        guard (1...LiveSelection.limit).contains(texts.count) else {
            responder.answer(
                Problem(.invalid, "name 1 to \(LiveSelection.limit) views, each with watch=SPACE/feature.view"))
            return nil
        }
        var entries: [WatchedView] = []
        for text in texts {
            switch WatchedView.find(text, responder.account.token, names, live.journal.digestKey) {
            case .success(let entry): entries.append(entry)
            case .failure(let failure):
                responder.answer(failure.problem)
                return nil
            }
        }
        return LiveSelection(entries) { names.permit($0, in: $1, responder) }
    }

    /// Returns true if the client names events among what it accepts.
    private static func namesEvents(_ request: borrowing Request) -> Bool {
        request.field(.accept).map { Acceptance($0).names("text", "event-stream") } ?? false
    }

    /// Returns the parameter `delta` of the events that the client accepts.
    private static func delta(_ request: borrowing Request) -> String? {
        guard let accept = request.field(.accept) else { return nil }
        for range in accept.split(separator: ",") {
            let words = range.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" } }
            guard words.first?.lowercased() == "text/event-stream" else { continue }
            for word in words.dropFirst() where word.lowercased().hasPrefix("delta=") {
                return word.dropFirst(6).filter { $0 != "\"" }
            }
        }
        return nil
    }
}
