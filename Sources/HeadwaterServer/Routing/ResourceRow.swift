import HTTP
import StateStore

/// A kind of path: one row of the table of all resources. The router, the answers to OPTIONS, the checks of methods,
/// rights and parameters, the metrics and the cluster read it.
///
/// To add a resource, add a row here with its meaning, and dispatch that meaning in `RequestHandler`.
final class ResourceRow: Sendable {
    /// The token that a request needs.
    enum NeededRight: Equatable {
        /// No token.
        case open
        /// A token with the right `read` somewhere.
        case read
        /// A token with a right for all spaces, because the resource is of the server as a whole.
        case everywhere(Rights)
    }

    /// The space whose owner handles requests in a cluster.
    enum Home {
        case space, common
    }

    /// The properties that few kinds have.
    struct Traits: OptionSet {
        let rawValue: Int
        /// A link from any page may lead here.
        static let page = Traits(rawValue: 1)
        /// The path names a part of a feature, so that its methods tell nothing of the feature.
        static let ofFeature = Traits(rawValue: 2)
        /// The executor of `common` has it.
        static let onCommonLoop = Traits(rawValue: 4)
        /// The answer to a read is a stream.
        static let stream = Traits(rawValue: 8)
        /// A post only reads.
        static let trial = Traits(rawValue: 16)
        /// Only OPTIONS is allowed, though the methods are those of other resources.
        static let onlyOptions = Traits(rawValue: 32)
        /// The request reads views, of which its route knows the broadcaster.
        static let readsViews = Traits(rawValue: 64)
        /// A request is handled by the owner of `changes`, also if it reads.
        static let readsAtOwner = Traits(rawValue: 128)
        /// A read shows several spaces.
        static let manySpaces = Traits(rawValue: 256)
        /// Only `headwater dev` has it, and only a server with `--mcp`.
        static let onlyLive = Traits(rawValue: 512)
        static let onlyAgents = Traits(rawValue: 1024)
        /// An answer needs no feature, rule or version of `common`.
        static let withoutCommon = Traits(rawValue: 2048)
    }

    /// The names that a path has in the places of its template.
    struct Names {
        /// The space of the path; `common` for one without.
        var space = SpaceName.common
        /// The other names, in their order.
        var others: [String] = []

        subscript(index: Int) -> String { others[index] }
    }

    /// The path, as `openapi.yaml` and the metrics name it.
    let template: String
    /// The segments of the template.
    let segments: [Substring]
    /// The methods besides OPTIONS. GET has HEAD with it.
    let methods: [Method]
    let access: NeededRight
    /// The query parameters besides those of a view and of credentials; nil for a path that ignores them.
    let parameters: [String]?
    /// The parameters of single methods, if a method has fewer than the path.
    let parametersOfMethods: [Method: [String]]
    /// The owner of requests that change something; nil if every node can handle them.
    let changes: Home?
    /// The space that a read needs to be fresh, if it is not that of the path.
    let reads: Home?
    let traits: Traits
    /// The meaning of a path; nil if the router finds it by other means.
    let meaning: (@Sendable (Names) -> Resource.Meaning)?

    init(
        _ template: String, _ methods: [Method] = [.get], access: NeededRight = .read, parameters: [String] = [],
        ofMethods parametersOfMethods: [Method: [String]] = [:], changes: Home? = nil, reads: Home? = nil,
        traits: Traits = [], _ meaning: (@Sendable (Names) -> Resource.Meaning)? = nil
    ) {
        self.template = template
        segments = template.split(separator: "/")
        self.methods = methods
        self.access = access
        // Pages, files, health and metrics ignore parameters.
        self.parameters = access == .open || access == .everywhere(.metrics) ? nil : parameters
        self.parametersOfMethods = parametersOfMethods
        self.changes = changes
        self.reads = reads
        self.traits = traits
        self.meaning = meaning
    }

    /// The number of the path among `templates`.
    var number: Int { Self.numbers[template] ?? 0 }

    /// The names of the methods, as `Allow` lists them.
    var methodNames: [String] {
        methods.flatMap { $0 == .get ? ["GET", "HEAD"] : [$0.rawValue] } + ["OPTIONS"]
    }

    /// True if an answer needs the space `common`, unless it is the past of a view that the program defines: so do all
    /// answers with state.
    var needsCommon: Bool { access == .read && !traits.contains(.withoutCommon) }

    /// Returns true if the resource permits a method other than OPTIONS.
    func allows(_ method: Method) -> Bool {
        !traits.contains(.onlyOptions) && methods.contains(method == .head ? .get : method)
    }

    /// The query parameters of a path with a view that has some; nil if the path ignores parameters.
    func parameters(with ofView: [String]) -> [String]? {
        guard let parameters else { return nil }
        return methods.contains(.get) ? parameters + ofView + QueryParameters.credentials : parameters
    }

    /// Returns the names of a path that the template fits, or nil.
    func names(of path: [String]) throws(RouteFault) -> Names? {
        guard path.count == segments.count else { return nil }
        var names = Names()
        for (segment, place) in zip(path, segments) {
            if place == "{space}" {
                guard let space = SpaceName(segment) else { throw Self.noSpace }
                names.space = space
            } else if place.first == "{" {
                names.others.append(segment)
            } else if segment != place {
                return nil
            }
        }
        return names
    }

    private static var noSpace: RouteFault {
        RouteFault(
            kind: .noSuchSpace,
            detail:
                "a space's name is a letter or a digit, then up to 127 letters, digits, dots, underscores or hyphens")
    }

    // MARK: The rows

    private static let reading = QueryParameters.reading

    /// `*`, and requests without a path.
    static let none = ResourceRow("none", [.get, .post, .put, .delete], access: .open, traits: .onlyOptions)
    /// The files of the console, or of the site.
    static let files = ResourceRow("/", access: .open, traits: .page)
    /// A view of a feature, an action of one, and a name that both have.
    static let ofViews = ResourceRow(
        "/v1/spaces/{space}/{feature}/{view}", parameters: QueryParameters.ofViews, traits: [.ofFeature, .readsViews])
    static let ofActions = ResourceRow(
        "/v1/spaces/{space}/{feature}/{action}", [.post], parameters: QueryParameters.ofActions, changes: .space,
        traits: .ofFeature)
    static let ofBoth = ResourceRow(
        "/v1/spaces/{space}/{feature}/{view}", [.get, .post],
        parameters: QueryParameters.ofActions + QueryParameters.ofViews,
        traits: [.ofFeature, .onlyOptions])
    /// A window of a list.
    static let windows = ResourceRow(
        "/v1/spaces/{space}/{feature}/{view}/window", parameters: QueryParameters.ofViews,
        traits: [.ofFeature, .readsViews])
    static let histories = ResourceRow(
        "/v1/spaces/{space}/{feature}/{view}/history", parameters: ["limit"] + reading, traits: .ofFeature)
    static let reasons = ResourceRow("/v1/spaces/{space}/{feature}/{view}/why", traits: .ofFeature)
    static let ofStream = ResourceRow(
        "/v1/spaces/{space}/streams/{id}", [.get, .put, .delete], changes: .space)
    static let streamHistories = ResourceRow(
        "/v1/spaces/{space}/streams/{id}/history", parameters: ["limit"] + reading)
    static let streamReasons = ResourceRow("/v1/spaces/{space}/streams/{id}/why")

    /// The rows of paths that the router finds by their template. A literal stands before a name in its place.
    static let found: [ResourceRow] = [
        ResourceRow("/openapi.yaml", access: .open) { _ in .contract },
        ResourceRow("/healthz", access: .open) { _ in .health },
        ResourceRow("/readyz", access: .open) { _ in .readiness },
        ResourceRow("/metrics", access: .everywhere(.metrics)) { _ in .metrics },
        ResourceRow("/client.js", access: .open) { _ in .client },
        ResourceRow("/client.d.ts", access: .open) { _ in .clientTypes },
        ResourceRow("/mirror.js", access: .open) { _ in .mirror },
        ResourceRow("/offline.js", access: .open) { _ in .offline },
        ResourceRow("/site.json", access: .open) { _ in .siteList },
        ResourceRow("/headwater-dev.js", access: .open, traits: .onlyLive) { _ in .liveScript },
        ResourceRow("/headwater-dev.json", access: .open, traits: .onlyLive) { _ in .liveState },
        ResourceRow("/schemas/feature.json", access: .open) { _ in .documentSchema },
        ResourceRow("/mcp", [.get, .post, .delete], parameters: ["space"], traits: .onlyAgents) { _ in .agents },
        ResourceRow("/v1") { _ in .index },
        ResourceRow(
            "/v1/live", [.get, .post], parameters: ["watch", "delta", "events", "lastEventId"],
            traits: [.stream, .trial, .manySpaces]
        ) {
            _ in .live
        },
        ResourceRow("/v1/live/{stream}", [.post]) { .liveStream(StreamName($0[0])) },
        ResourceRow("/v1/changes", parameters: reading, traits: .manySpaces) { _ in .allChanges },
        ResourceRow("/v1/tickets", [.post], traits: .withoutCommon) { _ in .tickets },
        ResourceRow("/v1/subjects", access: .everywhere(.admin), parameters: ["after", "limit", "search"]) { _ in
            .subjects
        },
        ResourceRow("/v1/audit", access: .everywhere(.admin), parameters: ["after", "limit"]) { _ in .audit },
        ResourceRow("/v1/limits", access: .everywhere(.admin)) { _ in .limits },
        ResourceRow("/v1/me", traits: .withoutCommon) { _ in .me },
        ResourceRow("/v1/usage") { _ in .usage },
        ResourceRow("/v1/export", access: .everywhere(.admin), parameters: ["space"]) { _ in .export },
        ResourceRow("/v1/operations", [.get, .post], access: .everywhere(.admin)) { _ in .operations },
        ResourceRow("/v1/operations/{id}", access: .everywhere(.admin)) { .operation($0[0]) },
        ResourceRow(
            "/v1/operations/{id}/lines", [.post], access: .everywhere(.admin), parameters: ["part", "last"]
        ) { .operationLines($0[0]) },
        ResourceRow("/v1/requests/{id}/why", traits: .withoutCommon) { .requestWhy($0[0]) },

        ResourceRow("/v1/features", [.get, .put], changes: .common, reads: .common) { _ in .features },
        ResourceRow("/v1/features:test", [.post]) { _ in .featureTest },
        ResourceRow("/v1/features:replay", [.post], traits: [.trial, .manySpaces]) { _ in .featureReplay },
        ResourceRow(
            "/v1/features/{feature}", [.get, .put, .delete], parameters: ["state", "at", "rehearse"],
            ofMethods: [.put: ["rehearse"], .delete: ["state"]], changes: .common, reads: .common
        ) { .feature($0[0]) },
        ResourceRow("/v1/features/{feature}/problems", reads: .common) { .featureProblems($0[0]) },
        ResourceRow("/v1/features/{feature}/plan", reads: .common) { .featurePlan($0[0]) },
        ResourceRow("/v1/features/{feature}/migration", reads: .common) { .featureMigration($0[0]) },
        ResourceRow("/v1/features/{feature}/client", reads: .common) { .featureClient($0[0]) },
        ResourceRow("/v1/features/{feature}/rehearsals/{id}") { .featureReport($0[0], $0[1]) },
        ResourceRow("/v1/features/{feature}/hooks", reads: .common, traits: .onCommonLoop) { .featureHooks($0[0]) },

        ResourceRow(
            "/v1/spaces", parameters: ["after", "limit", "prefix", "search", "details"],
            traits: [.manySpaces, .withoutCommon]
        ) { _ in .spaces },
        ResourceRow("/v1/spaces/{space}", [.get, .delete], parameters: ["at"], changes: .space) { .space($0.space) },
        ResourceRow("/v1/spaces/{space}/views", parameters: ["view"] + QueryParameters.ofViews, traits: .readsViews) {
            .views($0.space)
        },
        ResourceRow("/v1/spaces/{space}/views/diff", parameters: ["from", "to", "view"]) { .difference($0.space) },
        ResourceRow("/v1/spaces/{space}/changes", parameters: ["limit"] + reading) { .changes($0.space) },
        ResourceRow("/v1/spaces/{space}/usage") { .spaceUsage($0.space) },
        ResourceRow("/v1/spaces/{space}/graph") { .graph($0.space) },
        ResourceRow("/v1/spaces/{space}/restore", [.post], parameters: ["view", "common"], changes: .space) {
            .restore($0.space)
        },
        ResourceRow("/v1/spaces/{space}/erase", [.post], parameters: ["view"], changes: .space) { .erase($0.space) },
        ResourceRow("/v1/spaces/{space}/actions", [.post], parameters: QueryParameters.ofActions, changes: .space) {
            .actions($0.space)
        },
        ResourceRow(
            "/v1/spaces/{space}/administration/edit", [.post], parameters: QueryParameters.ofActions, changes: .space
        ) { .edit($0.space) },
        ResourceRow("/v1/spaces/{space}/hooks", changes: .common, traits: [.onCommonLoop, .readsAtOwner]) {
            .hooks($0.space)
        },
        ResourceRow(
            "/v1/spaces/{space}/hooks/{id}", [.get, .put, .delete], changes: .common,
            traits: [.onCommonLoop, .readsAtOwner]
        ) { .hook($0.space, $0[0]) },
        ResourceRow(
            "/v1/spaces/{space}/streams", parameters: ["at"] + reading + QueryParameters.ofValues, traits: .readsViews
        ) { .streams($0.space) },
        ResourceRow("/v1/spaces/{space}/streams:test", [.post], traits: .trial) { .streamTest($0.space) },
        ResourceRow("/v1/spaces/{space}/rules:test", [.post], access: .everywhere(.admin), traits: .trial) {
            .ruleTest($0.space)
        },
        ResourceRow(
            "/v1/spaces/{space}/streams/{id}/values", parameters: ["shared", "events", "lastEventId"], traits: .stream
        ) { .streamValues($0.space, $0[0]) },
        ResourceRow(
            "/v1/spaces/{space}/streams/{id}/value", parameters: ["at"] + reading + QueryParameters.ofValues,
            traits: .readsViews
        ) { .view($0.space, ViewKey("streams.\($0[0])")) },
    ]

    /// The rows of `found` by the number of their segments.
    static let foundByLength: [[ResourceRow]] = {
        var rows = [[ResourceRow]](repeating: [], count: 1 + (found.map(\.segments.count).max() ?? 0))
        for row in found { rows[row.segments.count].append(row) }
        return rows
    }()

    /// All rows. The first one is that of requests without a path.
    static let all =
        [none, files] + found
        + [ofViews, ofActions, ofBoth, windows, histories, reasons, ofStream, streamHistories, streamReasons]

    /// The paths of all rows, each once. Metrics count requests by their place here.
    static let templates: [String] = all.reduce(into: []) { templates, row in
        // The files of `headwater dev` are no part of the contract.
        guard !row.traits.contains(.onlyLive), !templates.contains(row.template) else { return }
        templates.append(row.template)
    }

    private static let numbers: [String: Int] = {
        var numbers = Dictionary(uniqueKeysWithValues: templates.enumerated().map { ($1, $0) })
        for row in all where row.traits.contains(.onlyLive) { numbers[row.template] = numbers[files.template] }
        return numbers
    }()
}
