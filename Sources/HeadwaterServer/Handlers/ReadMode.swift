import HTTP

/// The way in which a request reads: once, once with a wait for a change, or as a stream.
enum ReadMode {
    case look
    case wait(Int)
    case stream

    /// The longest wait, in seconds.
    static let waitLimit = 60

    /// The mode that a request asks for. If there is none, answers why, and returns nil.
    init?(of request: borrowing Request, _ route: borrowing Route, _ responder: borrowing Responder) {
        let acceptance = Self.acceptance(of: request)
        if route.wantsEvents || acceptance.map(Self.prefersEvents) ?? false {
            self = .stream
            return
        }
        if let acceptance {
            guard acceptance.quality(of: "application", "json") > 0 else {
                responder.answer(
                    Problem(
                        .notAcceptable,
                        "it is available as application/json and as text/event-stream, and a list view as text/csv too",
                        allowed: ["application/json", "text/event-stream"]))
                return nil
            }
        }
        if let text = route.wait {
            guard !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }) else {
                responder.answer(Problem(.invalid, "wait must be a number of seconds, at most \(Self.waitLimit)"))
                return nil
            }
            self = .wait(min(Int(text) ?? Self.waitLimit, Self.waitLimit))
        } else if let value = request.field(.prefer), let seconds = Preference.wait(in: value) {
            self = .wait(min(seconds, Self.waitLimit))
        } else {
            self = .look
        }
    }

    /// Returns true if a request is answered with a stream, unless it is refused.
    static func isStream(_ request: borrowing Request, _ route: borrowing Route, _ resource: Resource) -> Bool {
        resource.row.traits.contains(.stream) || route.wantsEvents
            || acceptance(of: request).map(prefersEvents) ?? false
    }

    /// Returns what a request accepts; nil if that is everything.
    private static func acceptance(of request: borrowing Request) -> Acceptance? {
        guard request.has(.accept), !request.is(.accept, "*/*") else { return nil }
        return request.field(.accept).map { Acceptance($0) }
    }

    private static func prefersEvents(_ acceptance: Acceptance) -> Bool {
        let json = acceptance.quality(of: "application", "json")
        let events = acceptance.quality(of: "text", "event-stream")
        // If both are as welcome, a client that names events gets events.
        let isNamed = acceptance.names("text", "event-stream") && !acceptance.names("application", "json")
        return events > 0 && (isNamed ? events >= json : events > json)
    }

    /// The seconds of a wait.
    var seconds: Int? { if case .wait(let seconds) = self { seconds } else { nil } }
    var isStream: Bool { if case .stream = self { true } else { false } }
}
