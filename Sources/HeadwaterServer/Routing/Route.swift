import HTTP
import StateStore

/// A parsed target, and all properties that depend on the target alone. Routes are cached, because clients repeat
/// targets.
final class Route {
    /// The target in its original spelling.
    let target: [UInt8]
    /// The resource of the target, or the reason why it has none.
    let resource: Result<Resource, RouteFault>
    /// The space and the name of the resource; nil without one.
    let subject: RequestSubject?
    /// The loop that serves the target; nil for any loop.
    let loop: Int?
    let parameters: [(name: String, value: String)]
    /// The reason why the path refuses the parameters, if it does.
    let parameterFault: RouteFault?
    /// The requested views.
    let requested: RequestedViews
    /// The parameters that select the way of reading.
    let since: String?
    /// The point of the past that the parameter `at` names; nil for the present.
    let at: String?
    /// True if the request reads the past.
    let readsPast: Bool
    let wait: String?
    let wantsEvents: Bool
    let wantsPatches: Bool
    /// True if the request wants everything of an action but its commit.
    let isRehearsal: Bool
    /// True if the request wants a row in a table while its stream is open.
    let hasPresence: Bool
    /// The views that the parameter `view` names.
    let views: [ViewKey]
    /// The broadcaster of the views; nil before the first request for them.
    var broadcaster: ViewBroadcaster?
    /// The counts of the action's outcomes, once a request has performed it.
    var outcomes: Metrics.Outcomes?
    /// The beginning of an action's answer.
    let prefix: [UInt8]

    init(
        _ target: [UInt8], _ resource: Result<Resource, RouteFault>, loop: Int?,
        _ parameters: [(name: String, value: String)], _ requested: RequestedViews = RequestedViews(),
        viewParameters: [String] = []
    ) {
        self.target = target
        self.resource = resource
        subject = (try? resource.get()).map { RequestSubject($0.space, $0.name) }
        self.loop = loop
        self.parameters = parameters
        parameterFault = (try? resource.get()).flatMap {
            QueryParameters.fault(of: parameters, $0.row, viewParameters)
        }
        self.requested = requested
        func value(of name: String) -> String? { parameters.first { $0.name == name }?.value }
        since = value(of: "since")
        at = value(of: "at")
        let takesParameters = (try? resource.get()).map { $0.row.parameters != nil } ?? false
        readsPast = at != nil && takesParameters
        wait = value(of: "wait")
        wantsEvents = value(of: "events").map(Self.isOn) ?? false
        wantsPatches = value(of: "delta") == QueryParameters.delta
        isRehearsal = takesParameters && value(of: "rehearse") == "1"
        hasPresence = parameters.contains { ["presence", "as", "with"].contains($0.name) }
        views = requested.listed
        prefix =
            if case .success(let resource) = resource, let space = resource.space {
                Array("{\"space\":\"\(space)\",\"version\":".utf8)
            } else { [] }
    }

    /// Returns true if a parameter is present with a value other than `0` and `false`.
    func isOn(_ name: String) -> Bool { self[name].map(Self.isOn) ?? false }

    private static func isOn(_ value: String) -> Bool { value != "0" && value != "false" }

    /// The digest by which a ticket is bound to the target.
    var ticketTarget: [UInt8] {
        let text = String(decoding: target, as: UTF8.self)
        let named = Target(text)
        return Ticket.digest(named?.segments ?? [], named?.parameters ?? [])
    }

    /// Returns the id of the last event that the client of a request has, without its mark; nil if it names none.
    func lastEventID(of request: borrowing Request) -> String? {
        for id in lastEventIDs(of: request) {
            let bare = String(Substring(EventIDMark.dropped(from: id[...].utf8)))
            if !bare.isEmpty { return bare }
        }
        return nil
    }

    /// Returns true if a request names an id with a mark.
    func has(_ mark: EventIDMark, _ request: borrowing Request) -> Bool {
        lastEventIDs(of: request).contains { mark.ends($0) }
    }

    /// Returns the ids of the field, which a browser sends, and of the parameter.
    private func lastEventIDs(of request: borrowing Request) -> [String] {
        [request.field(.lastEventID), self["lastEventId"]].compactMap { $0 }
    }

    /// The value of a parameter.
    subscript(name: String) -> String? { parameters.first { $0.name == name }?.value }
}

/// The reason why a target names no resource. A class, because a cached route has room for three and rarely has one.
final class RouteFault: Error, Sendable {
    let kind: ProblemType
    let detail: ProblemText
    let allowed: [String]
    /// The JSON Pointer to the faulty parameter of a view.
    let pointer: String?

    init(kind: ProblemType, detail: ProblemText, allowed: [String] = [], pointer: String? = nil) {
        self.kind = kind
        self.detail = detail
        self.allowed = allowed
        self.pointer = pointer
    }
}
