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

    /// The parameters of the ways to read.
    static let reading = ["since", "wait", "events", "lastEventId", "atLeast"]

    /// The parameters of values that are followed.
    static let ofValues = ["progress", "delta"]

    /// The parameters of views: of the present and the past, and of streams with presence.
    static let ofViews = ["at", "definition"] + reading + ofValues + ["presence", "as", "with"]

    /// The parameters of actions.
    static let ofActions = ["view", "rehearse"]

    /// The value of `definition`.
    static let currentDefinition = "current"

    /// The values of `rehearse`.
    private static let rehearsing = ["1", "0"]

    /// The value of `delta`.
    static let delta = "json-patch"

    /// Returns the fault of the parameters of a path, if they have one.
    static func fault(
        of parameters: [(name: String, value: String)], _ row: ResourceRow, _ ofView: [String]
    ) -> RouteFault? {
        guard !parameters.isEmpty, let known = row.parameters(with: ofView) else { return nil }
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
