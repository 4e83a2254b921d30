import HTTP
import StateStore

/// A resource: the meaning of a path.
enum Resource {
    /// A file of the console.
    case console(Asset)
    /// A file of the site.
    case site(SitePath)
    /// The script of `headwater dev`, and the state that it looks at.
    case liveScript, liveState
    /// The client for browsers, and its types.
    case client, clientTypes
    /// The service worker that keeps the files of the site, and their list.
    case offline, siteList
    /// The engine of features over their replicas, for browsers.
    case mirror
    /// A path that has become another one.
    case moved(String)
    /// `*`: the server as a whole.
    case anything
    case contract, health, readiness, metrics
    /// The schema of documents.
    case documentSchema
    /// The Model Context Protocol for agents.
    case agents
    case index
    case spaces
    /// Views of several spaces.
    case live
    /// An open stream that its client steers; nil if the name cannot be that of one.
    case liveStream(StreamName?)
    /// The commits of all spaces.
    case allChanges
    /// Tickets, which stand in URLs in place of tokens.
    case tickets
    /// The caller: its subject, its claims and its rights.
    case me
    /// The subjects, the audit log and the limits, for the operator.
    case subjects, audit, limits
    /// The use of the server by the caller, and the size of a space.
    case usage, spaceUsage(SpaceName)
    /// The lines of an export.
    case export
    /// The operations on the data directory, one of them, and the lines of an import.
    case operations, operation(String), operationLines(String)
    case space(SpaceName)
    case views(SpaceName)
    case changes(SpaceName)
    case graph(SpaceName)
    case view(SpaceName, String)
    case why(SpaceName, String)
    case action(SpaceName, ActionID)
    /// A name that a feature gives to both a view and an action.
    case viewAndAction(SpaceName, String, ActionID)
    /// The definitions of streams, and one of them.
    case streams(SpaceName)
    case stream(SpaceName, String)
    /// The run of a stream, and its value as a view.
    case streamValues(SpaceName, String)
    case streamValue(SpaceName, String)
    /// The commits behind the value of a stream.
    case streamWhy(SpaceName, String)
    /// Trials of streams.
    case streamTest(SpaceName)
    /// The history of a view, and of the view of a stream.
    case history(SpaceName, String)
    case streamHistory(SpaceName, String)
    /// The difference between the views of two moments.
    case difference(SpaceName)
    /// The return to a past state.
    case restore(SpaceName)
    /// The erasure of a row.
    case erase(SpaceName)
    /// Several actions in one commit.
    case actions(SpaceName)
    /// Edits of rows, and the undoing of commits, by administrators.
    case edit(SpaceName)
    /// Tests of rules with other claims.
    case ruleTest(SpaceName)
    /// The reason that a request was refused, or slow.
    case requestWhy(String)
    /// The features, one of them, and the spaces whose state it cannot take.
    case features
    case feature(String)
    case featureProblems(String)
    /// The ways to the rows that a feature reads.
    case featurePlan(String)
    /// The part of a document for clients with a replica.
    case featureClient(String)
    /// The progress of the migration of a feature.
    case featureMigration(String)
    /// The report of a rehearsal of a document.
    case featureReport(String, String)
    /// The hooks that the document of a feature declares.
    case featureHooks(String)
    /// Tests of documents.
    case featureTest
    /// Rehearsals of documents.
    case featureReplay
    /// The hooks of a space, and one of them.
    case hooks(SpaceName)
    case hook(SpaceName, String)

    /// The space of the resource.
    var space: SpaceName? {
        switch self {
        case .space(let name), .views(let name), .changes(let name), .graph(let name), .spaceUsage(let name),
            .view(let name, _),
            .why(let name, _),
            .action(let name, _), .viewAndAction(let name, _, _), .streams(let name), .stream(let name, _),
            .streamValues(let name, _),
            .streamValue(let name, _), .streamWhy(let name, _), .streamTest(let name), .ruleTest(let name),
            .history(let name, _),
            .streamHistory(let name, _), .difference(let name), .restore(let name), .erase(let name),
            .actions(let name), .edit(let name), .hooks(let name), .hook(let name, _):
            name
        default: nil
        }
    }

    /// True for hooks, which belong to the executor of `common`.
    var isOfHooks: Bool {
        switch self {
        case .hooks, .hook, .featureHooks: true
        default: false
        }
    }

    /// The view of the resource, as `feature.view`.
    var view: String? {
        switch self {
        case .view(_, let view), .why(_, let view), .viewAndAction(_, let view, _), .history(_, let view): view
        default: nil
        }
    }

    /// The action or the view of the resource.
    var name: String? {
        switch self {
        case .action(_, let place), .viewAndAction(_, _, let place): place.name
        default: view
        }
    }

    /// True for a path that names a part of a feature.
    var isOfFeature: Bool {
        switch self {
        case .action, .view, .viewAndAction, .why, .history: true
        default: false
        }
    }

    /// The methods of all paths that name a part of a feature.
    static let methodsOfFeatures = ["GET", "HEAD", "POST", "OPTIONS"]

    /// The permitted methods.
    var methods: [String] {
        switch self {
        case .action, .actions, .restore, .erase, .edit: ["POST", "OPTIONS"]
        case .viewAndAction: ["GET", "HEAD", "POST", "OPTIONS"]
        case .anything: ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"]
        case .space: ["GET", "HEAD", "DELETE", "OPTIONS"]
        case .stream, .feature, .hook: ["GET", "HEAD", "PUT", "DELETE", "OPTIONS"]
        case .features: ["GET", "HEAD", "PUT", "OPTIONS"]
        case .operations: ["GET", "HEAD", "POST", "OPTIONS"]
        case .streamTest, .ruleTest, .tickets, .featureTest, .featureReplay, .liveStream, .operationLines:
            ["POST", "OPTIONS"]
        case .agents: ["GET", "HEAD", "POST", "DELETE", "OPTIONS"]
        case .live: ["GET", "HEAD", "POST", "OPTIONS"]
        default: ["GET", "HEAD", "OPTIONS"]
        }
    }

    /// Returns true if the resource permits a method other than OPTIONS.
    func allows(_ method: Method) -> Bool {
        switch (self, method) {
        case (.action, .post), (.space, .delete), (.stream, .put), (.stream, .delete), (.streamTest, .post),
            (.ruleTest, .post), (.tickets, .post), (.restore, .post), (.erase, .post), (.actions, .post), (.edit, .post),
            (.features, .put), (.feature, .put),
            (.feature, .delete),
            (.featureTest, .post), (.featureReplay, .post), (.hook, .put), (.hook, .delete), (.live, .post),
            (.operations, .post), (.operationLines, .post),
            (.liveStream, .post), (.agents, .get), (.agents, .head), (.agents, .post), (.agents, .delete):
            true
        case (.action, _), (.actions, _), (.streamTest, _), (.ruleTest, _), (.tickets, _), (.restore, _), (.erase, _), (.edit, _),
            (.anything, _),
            (.viewAndAction, _),
            (.featureTest, _), (.featureReplay, _), (.liveStream, _), (.agents, _),
            (.operationLines, _):
            false
        default: method == .get || method == .head
        }
    }

    /// True if no token is needed.
    var isPublic: Bool {
        switch self {
        case .health, .readiness, .contract, .documentSchema, .liveScript, .liveState, .console, .site, .moved, .client,
            .clientTypes, .offline, .mirror, .siteList:
            true
        default: false
        }
    }

    /// The right for all spaces that every request needs, because the resource is of the server as a whole; nil if the
    /// right `read` is enough.
    var rightEverywhere: Rights? {
        switch self {
        case .metrics: .metrics
        case .subjects, .audit, .limits, .export, .operations, .operation, .operationLines, .ruleTest: .admin
        default: nil
        }
    }

    /// True if a link from any page may lead here.
    var isPage: Bool {
        switch self {
        case .console, .site, .moved: true
        default: false
        }
    }

    /// Returns the resource that a method means, if the path names two.
    func resource(for method: Method) -> Resource {
        guard case .viewAndAction(let space, let view, let place) = self else { return self }
        switch method {
        case .get, .head: return .view(space, view)
        case .post: return .action(space, place)
        default: return self
        }
    }

    /// The kind of path, by number: its place among `templates`.
    var template: Int {
        switch self {
        case .anything: 0
        case .console, .site, .moved, .liveScript, .liveState: 1
        case .contract: 2
        case .health: 3
        case .readiness: 4
        case .metrics: 5
        case .index: 6
        case .spaces: 7
        case .space: 8
        case .views: 9
        case .changes: 10
        case .view, .viewAndAction: 11
        case .action: 12
        case .graph: 13
        case .why: 14
        case .streams: 15
        case .stream: 16
        case .streamValues: 17
        case .streamValue: 18
        case .streamTest: 19
        case .client: 20
        case .clientTypes: 21
        case .live: 22
        case .allChanges: 23
        case .tickets: 24
        case .history: 25
        case .streamHistory: 26
        case .difference: 27
        case .restore: 28
        case .streamWhy: 29
        case .subjects: 30
        case .audit: 31
        case .limits: 32
        case .features: 33
        case .feature: 34
        case .featureProblems: 35
        case .featureTest: 36
        case .featureReplay: 39
        case .hooks: 37
        case .hook: 38
        case .erase: 40
        case .featurePlan: 41
        case .actions: 42
        case .featureMigration: 43
        case .documentSchema: 44
        case .edit: 45
        case .requestWhy: 46
        case .liveStream: 47
        case .offline: 48
        case .siteList: 49
        case .agents: 50
        case .featureClient: 51
        case .mirror: 52
        case .featureHooks: 53
        case .featureReport: 54
        case .usage: 55
        case .spaceUsage: 56
        case .export: 57
        case .operations: 58
        case .operation: 59
        case .operationLines: 60
        case .me: 61
        case .ruleTest: 62
        }
    }

    /// The kinds of paths, as `openapi.yaml` and the metrics name them.
    static let templates = [
        "none", "/", "/openapi.yaml", "/healthz", "/readyz", "/metrics", "/v1", "/v1/spaces", "/v1/spaces/{space}",
        "/v1/spaces/{space}/views",
        "/v1/spaces/{space}/changes", "/v1/spaces/{space}/{feature}/{view}", "/v1/spaces/{space}/{feature}/{action}",
        "/v1/spaces/{space}/graph", "/v1/spaces/{space}/{feature}/{view}/why",
        "/v1/spaces/{space}/streams", "/v1/spaces/{space}/streams/{id}", "/v1/spaces/{space}/streams/{id}/values",
        "/v1/spaces/{space}/streams/{id}/value", "/v1/spaces/{space}/streams:test",
        "/client.js", "/client.d.ts", "/v1/live", "/v1/changes", "/v1/tickets",
        "/v1/spaces/{space}/{feature}/{view}/history", "/v1/spaces/{space}/streams/{id}/history",
        "/v1/spaces/{space}/views/diff", "/v1/spaces/{space}/restore", "/v1/spaces/{space}/streams/{id}/why",
        "/v1/subjects", "/v1/audit", "/v1/limits",
        "/v1/features", "/v1/features/{feature}", "/v1/features/{feature}/problems", "/v1/features:test",

        "/v1/spaces/{space}/hooks", "/v1/spaces/{space}/hooks/{id}",
        "/v1/features:replay", "/v1/spaces/{space}/erase", "/v1/features/{feature}/plan",
        "/v1/spaces/{space}/actions", "/v1/features/{feature}/migration", "/schemas/feature.json",
        "/v1/spaces/{space}/administration/edit", "/v1/requests/{id}/why", "/v1/live/{stream}",
        "/offline.js", "/site.json", "/mcp", "/v1/features/{feature}/client", "/mirror.js",
        "/v1/features/{feature}/hooks", "/v1/features/{feature}/rehearsals/{id}",
        "/v1/usage", "/v1/spaces/{space}/usage", "/v1/export", "/v1/operations",
        "/v1/operations/{id}", "/v1/operations/{id}/lines", "/v1/me",
        "/v1/spaces/{space}/rules:test",
    ]
}
