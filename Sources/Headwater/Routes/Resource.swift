import StateStore

/// What a path names.
enum Resource {
    case console(String)
    case contract, health, readiness, metrics
    case index
    case spaces
    case space(SpaceName)
    case views(SpaceName)
    case changes(SpaceName)
    case view(SpaceName, String)
    /// An action, and the view of the same name where there is one: one is done, the other read.
    case action(SpaceName, ActionPlace, view: String?)

    /// The space that it is of.
    var space: SpaceName? {
        switch self {
        case .space(let name), .views(let name), .changes(let name), .view(let name, _), .action(let name, _, _): name
        default: nil
        }
    }

    /// The methods that work here.
    var methods: [String] {
        switch self {
        case .action(_, _, let view): view == nil ? ["POST", "OPTIONS"] : ["GET", "HEAD", "POST", "OPTIONS"]
        case .space: ["GET", "HEAD", "DELETE", "OPTIONS"]
        default: ["GET", "HEAD", "OPTIONS"]
        }
    }

    /// The kind of path, by number: its place among `templates`.
    var template: Int {
        switch self {
        case .console: 1
        case .contract: 2
        case .health: 3
        case .readiness: 4
        case .metrics: 5
        case .index: 6
        case .spaces: 7
        case .space: 8
        case .views: 9
        case .changes: 10
        case .view: 11
        case .action: 12
        }
    }

    /// The kinds of paths, as `openapi.yaml` and the metrics name them.
    static let templates = [
        "none", "/", "/openapi.yaml", "/healthz", "/readyz", "/metrics", "/v1", "/v1/spaces", "/v1/spaces/{space}",
        "/v1/spaces/{space}/views",
        "/v1/spaces/{space}/changes", "/v1/spaces/{space}/{feature}/{view}", "/v1/spaces/{space}/{feature}/{action}",
    ]
}
