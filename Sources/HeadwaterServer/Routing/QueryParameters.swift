import HTTP
import JSON

/// The query parameters of the paths under `/v1`. `openapi.yaml` lists the same.
///
/// A parameter that the path does not define for any way of reading is refused, so that no parameter is silently
/// ignored. Names that begin with `_` are free for clients. Pages, files, health and metrics ignore parameters.
enum QueryParameters {
    /// The parameters that may occur more than once.
    private static let repeatable: Set = ["view", "watch"]

    /// The parameters that carry a token or a ticket, on every path that can be read.
    static let credentials = ["access_token", "ticket"]

    private static let ofViews = ["progress", "delta"]
    /// The parameters of streams with presence.
    private static let ofPresence = ["presence", "as", "with"]
    private static let reading = ["since", "wait", "events", "lastEventId", "atLeast"]

    /// The parameters of views as of a moment of the past.
    private static let ofPast = ["at", "definition"]

    /// The value of `definition`.
    static let currentDefinition = "current"

    /// The values of `rehearse`.
    private static let rehearsing = ["1", "0"]

    /// The value of `delta`.
    static let delta = "json-patch"

    /// Returns the parameter names of a path and of its view, or nil if the path ignores parameters.
    static func known(of resource: Resource, _ ofView: [String]) -> [String]? {
        guard let own = own(resource) else { return nil }
        return resource.methods.contains("GET") ? own + ofView + credentials : own
    }

    private static func own(_ resource: Resource) -> [String]? {
        switch resource {
        case .anything, .console, .site, .moved, .client, .clientTypes, .offline, .mirror, .siteList, .contract,
            .health,
            .readiness,
            .metrics, .documentSchema, .liveScript, .liveState:
            nil
        case .index, .me, .graph, .why, .requestWhy, .stream, .streamWhy, .streamTest, .ruleTest, .tickets, .limits, .usage,
            .spaceUsage, .operations, .operation, .features,
            .featureProblems, .featurePlan, .featureClient, .featureMigration, .featureReport, .featureHooks,
            .featureTest,
            .featureReplay, .hooks,
            .hook, .liveStream:
            []
        case .agents, .export: ["space"]
        case .operationLines: ["part", "last"]
        case .feature: ["state", "at", "rehearse"]
        case .space: ["at"]
        case .spaces: ["after", "limit", "prefix", "search", "details"]
        case .subjects: ["after", "limit", "search"]
        case .audit: ["after", "limit"]
        case .views: ["view"] + ofPast + reading + ofViews + ofPresence
        case .view: ofPast + reading + ofViews + ofPresence
        case .streams, .streamValue: ["at"] + reading + ofViews
        case .history, .streamHistory: ["limit"] + reading
        case .difference: ["from", "to", "view"]
        case .restore: ["view", "common"]
        case .changes: ["limit"] + reading
        case .allChanges: reading
        case .action, .actions: ["view", "rehearse"]
        case .erase: ["view"]
        case .edit: ["view", "rehearse"]
        case .viewAndAction: ["view", "rehearse"] + ofPast + reading + ofViews + ofPresence
        case .streamValues: ["shared", "events", "lastEventId"]
        case .live: ["watch", "delta", "events", "lastEventId"]
        }
    }

    /// The parameters of a request that changes a feature; nil for other requests.
    static func ofChange(_ resource: Resource, _ method: Method) -> [String]? {
        guard case .feature = resource else { return nil }
        return switch method {
        case .delete: ["state"]
        case .put: ["rehearse"]
        default: nil
        }
    }

    /// Returns the fault of the parameters of a path, if they have one.
    static func fault(
        of parameters: [(name: String, value: String)], _ resource: Resource, _ ofView: [String]
    ) -> RouteFault? {
        guard !parameters.isEmpty, let known = known(of: resource, ofView) else { return nil }
        var found: Set<String> = []
        for (name, value) in parameters where !name.hasPrefix("_") {
            guard known.contains(name) else {
                return RouteFault(
                    kind: .invalid, detail: "this path has no parameter \(name)", allowed: known.sorted(),
                    pointer: ofView.isEmpty ? nil : "\(JSONPointer([name]))")
            }
            guard found.insert(name).inserted || repeatable.contains(name) else {
                return RouteFault(
                    kind: .invalid, detail: "the parameter \(name) is there twice: send it once",
                    allowed: known.sorted())
            }
            guard name != "delta" || value == delta else {
                return RouteFault(kind: .invalid, detail: "delta is \(delta)", allowed: [delta])
            }
            guard name != "rehearse" || rehearsing.contains(value) else {
                return RouteFault(kind: .invalid, detail: "rehearse is 1", allowed: rehearsing)
            }
            guard name != "definition" || value == currentDefinition else {
                return RouteFault(
                    kind: .invalid, detail: "definition is \(currentDefinition)", allowed: [currentDefinition])
            }
        }
        return nil
    }
}
