import HTTP
import StateStore

/// A target that was taken apart, and all that follows from it alone. The same target comes again and again, so it is
/// remembered.
final class Route {
    /// The target as it is written.
    let target: [UInt8]
    /// The resource that it names, or the reason why it names none.
    let resource: Result<Resource, RouteFault>
    /// The loop that it belongs to; nil is any.
    let loop: Int?
    let parameters: [(name: String, value: String)]
    /// The reason why the path refuses the parameters, if it does.
    let parameterFault: RouteFault?
    /// The views that are asked for.
    let requested: RequestedViews
    /// The parameters that say how somebody reads.
    let since: String?
    let wait: String?
    let wantsEvents: Bool
    let wantsPatches: Bool
    /// The views that the parameter `view` names.
    let views: [String]
    /// The broadcaster of the views, once somebody has asked for them.
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
        self.loop = loop
        self.parameters = parameters
        parameterFault = (try? resource.get()).flatMap {
            QueryParameters.fault(of: parameters, $0, viewParameters)
        }
        self.requested = requested
        func value(of name: String) -> String? { parameters.first { $0.name == name }?.value }
        since = value(of: "since")
        wait = value(of: "wait")
        wantsEvents = value(of: "events").map(Self.isOn) ?? false
        wantsPatches = value(of: "delta") == QueryParameters.delta
        views = requested.listed
        prefix =
            if case .success(let resource) = resource, let space = resource.space {
                Array("{\"space\":\"\(space)\",\"version\":".utf8)
            } else { [] }
    }

    /// Returns true if a parameter is there with another value than `0` or `false`.
    func isOn(_ name: String) -> Bool { self[name].map(Self.isOn) ?? false }

    private static func isOn(_ value: String) -> Bool { value != "0" && value != "false" }

    /// The value of a parameter.
    subscript(name: String) -> String? { parameters.first { $0.name == name }?.value }
}

/// Why a target names nothing.
struct RouteFault: Error {
    let kind: ProblemType
    let detail: String
    var allowed: [String] = []
    /// The JSON Pointer to the faulty parameter of a view.
    var pointer: String?
}
