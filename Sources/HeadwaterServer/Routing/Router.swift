import HTTP
import StateStore
import Streams

/// Resolves targets to routes, and caches the routes.
final class Router {
    /// The maximum number of cached targets.
    static let routesLimit = 8_192
    /// The maximum size of a cached target.
    static let rememberedBytesLimit = 1_024

    /// The last segment of the path of a window of a list, and the items of one whose request names no limit.
    private static let window = "window"
    private static let windowLimit = 100

    private let store: Store
    private let stores: Stores
    /// The key of the texts in `after`.
    private let key: DigestKey
    private var features: Set<String> = []
    private var viewNames: Set<String> = []
    /// The views whose values are lists.
    private var lists: Set<String> = []
    /// The number of changes of the features.
    private(set) var edition = 0
    private let hasSite: Bool
    /// True for `headwater dev`.
    private let isLive: Bool
    /// True if agents are served.
    private let hasAgents: Bool
    /// The name of this node; nil on one machine.
    private let node: String?
    private var routes: [UInt64: Route] = [:]

    init(
        _ store: Store, _ stores: Stores, _ key: DigestKey, hasSite: Bool, isLive: Bool = false,
        hasAgents: Bool = false, node: String? = nil
    ) {
        (self.isLive, self.hasAgents, self.node) = (isLive, hasAgents, node)
        self.key = key
        self.hasSite = hasSite
        self.store = store
        self.stores = stores
        renew()
    }

    private var registry: Registry { store.registry }

    /// Forgets the routes, because the features have changed.
    func renew() {
        edition += 1
        routes = [:]
        features = Set(registry.actions.map(\.feature) + registry.views.map { String($0.name.prefix { $0 != "." }) })
        viewNames = Set(registry.views.map(\.name))
        lists = Set(registry.views.filter(\.isList).map(\.name))
    }

    /// The route of a request.
    func route(of request: borrowing Request) -> Route {
        let range = request.head.target
        var digest: UInt64 = 0xCBF2_9CE4_8422_2325
        for index in range { digest = (digest ^ UInt64(request.bytes[index])) &* 0x100_0000_01B3 }
        if let route = routes[digest], request.are(route.target, at: range) { return route }
        let text = Array(request.target.utf8)
        let route =
            Target(text).map { make(text, $0) }
            ?? Route(
                text, .failure(RouteFault(kind: .badRequest, detail: "the target is not UTF-8")),
                loop: nil, [])
        guard range.count <= Self.rememberedBytesLimit else { return route }
        if routes.count >= Self.routesLimit { routes = [:] }
        routes[digest] = route
        return route
    }

    private func make(_ text: [UInt8], _ target: Target) -> Route {
        let resource: Result<Resource, RouteFault> =
            text == [UInt8(ascii: "*")]
            ? .success(.anything) : Result { () throws(RouteFault) in try find(target.segments) }
        let space = if case .success(let resource) = resource { resource.space } else { SpaceName?.none }
        if case .success(.liveStream(let name)) = resource {
            let loop = name.flatMap { $0.node == nil || $0.node == node ? $0.loop : nil }
            let isLoop = loop.map { stores.hasStore($0) } ?? false
            return Route(text, resource, loop: isLoop ? loop : nil, target.parameters)
        }
        guard case .success(let found) = resource, let space else {
            var loop: Int?
            if case .success(let found) = resource, found.isOfHooks { loop = stores.index(of: .common) }
            return Route(text, resource, loop: loop, target.parameters)
        }
        var parameters = target.parameters
        if case .view = found, target.segments.last == Self.window, target.segments.count == 6,
            !parameters.contains(where: { $0.name == "limit" })
        {
            parameters.append(("limit", "\(Self.windowLimit)"))
        }
        return Route(
            text, resource, loop: stores.index(of: found.isOfHooks ? .common : space), parameters,
            RequestedViews(of: found, parameters, registry, key),
            viewParameters: found.view.map { found.parameterNames(of: $0, registry) } ?? [])
    }

    private func find(_ segments: [String]) throws(RouteFault) -> Resource {
        switch segments.first {
        case "v1": break
        case "healthz" where segments.count == 1: return .health
        case "readyz" where segments.count == 1: return .readiness
        case "metrics" where segments.count == 1: return .metrics
        case "mcp" where hasAgents && segments.count == 1: return .agents
        case "openapi.yaml" where segments.count == 1: return .contract
        case "client.js" where segments.count == 1: return .client
        case "client.d.ts" where segments.count == 1: return .clientTypes
        case "mirror.js" where segments.count == 1: return .mirror
        case "offline.js" where segments.count == 1: return .offline
        case "site.json" where segments.count == 1: return .siteList
        case "headwater-dev.js" where isLive && segments.count == 1: return .liveScript
        case "headwater-dev.json" where isLive && segments.count == 1: return .liveState
        case "schemas" where segments == ["schemas", "feature.json"]: return .documentSchema
        case "console": return try findConsole(segments.dropFirst())
        default: return try hasSite ? findFile(segments) : findConsole(segments[...])
        }
        guard segments.count > 1 else { return .index }
        if segments.count == 2, segments[1] == "live" { return .live }
        if segments.count == 3, segments[1] == "live" { return .liveStream(StreamName(segments[2])) }
        if segments.count == 2, segments[1] == "changes" { return .allChanges }
        if segments.count == 2, segments[1] == "tickets" { return .tickets }
        if segments.count == 2, segments[1] == "me" { return .me }
        if segments.count == 2, segments[1] == "subjects" { return .subjects }
        if segments.count == 2, segments[1] == "audit" { return .audit }
        if segments.count == 2, segments[1] == "limits" { return .limits }
        if segments.count == 2, segments[1] == "usage" { return .usage }
        if let resource = Self.directoryPath(segments) { return resource }
        if segments.count == 4, segments[1] == "requests", segments[3] == "why" { return .requestWhy(segments[2]) }
        if let resource = try findFeature(segments) { return resource }
        guard segments[1] == "spaces" else { throw Self.nothing }
        guard segments.count > 2 else { return .spaces }
        guard let space = SpaceName(segments[2]) else {
            throw RouteFault(
                kind: .noSuchSpace,
                detail:
                    "a space's name is a letter or a digit, then up to 127 letters, digits, dots, underscores or hyphens"
            )
        }
        switch segments.count {
        case 3: return .space(space)
        case 4:
            switch segments[3] {
            case "views": return .views(space)
            case "changes": return .changes(space)
            case "graph": return .graph(space)
            case "usage": return .spaceUsage(space)
            case "streams": return .streams(space)
            case "streams:test": return .streamTest(space)
            case "rules:test": return .ruleTest(space)
            case "restore": return .restore(space)
            case "erase": return .erase(space)
            case "actions": return .actions(space)
            case "hooks": return .hooks(space)
            default: throw Self.nothing
            }
        case 5 where segments[3] == "views" && segments[4] == "diff": return .difference(space)
        case 5 where segments[3] == "administration" && segments[4] == "edit": return .edit(space)
        case 5 where segments[3] == "hooks": return .hook(space, segments[4])
        case 5: return try find(segments[3], segments[4], in: space)
        case 6 where segments[3] == "streams" && segments[5] == "values": return .streamValues(space, segments[4])
        case 6 where segments[3] == "streams" && segments[5] == "value": return .streamValue(space, segments[4])
        case 6 where segments[5] == "history":
            switch try find(segments[3], segments[4], in: space) {
            case .view(_, let view), .viewAndAction(_, let view, _): return .history(space, view)
            case .stream(_, let id) where Identifier.isOne(id): return .streamHistory(space, id)
            default: throw Self.nothing
            }
        case 6 where segments[5] == Self.window:
            switch try find(segments[3], segments[4], in: space) {
            case .view(_, let view), .viewAndAction(_, let view, _):
                guard lists.contains(view) else {
                    throw RouteFault(kind: .noSuchPath, detail: "\(view) is no list, so it has no windows")
                }
                return .view(space, view)
            default: throw Self.nothing
            }
        case 6 where segments[5] == "why":
            switch try find(segments[3], segments[4], in: space) {
            case .view(_, let view), .viewAndAction(_, let view, _): return .why(space, view)
            case .stream(_, let id) where Identifier.isOne(id): return .streamWhy(space, id)
            default: throw Self.nothing
            }
        default: throw Self.nothing
        }
    }

    /// Returns a path about the data directory; nil if it is none.
    private static func directoryPath(_ segments: [String]) -> Resource? {
        switch segments[1] {
        case "export" where segments.count == 2: .export
        case "operations" where segments.count == 2: .operations
        case "operations" where segments.count == 3: .operation(segments[2])
        case "operations" where segments.count == 4 && segments[3] == "lines": .operationLines(segments[2])
        default: nil
        }
    }

    /// Finds a path of features; nil if it is none.
    private func findFeature(_ segments: [String]) throws(RouteFault) -> Resource? {
        switch segments[1] {
        case "features" where segments.count == 2: return .features
        case "features" where segments.count == 3: return .feature(segments[2])
        case "features" where segments.count == 4 && segments[3] == "problems": return .featureProblems(segments[2])
        case "features" where segments.count == 4 && segments[3] == "plan": return .featurePlan(segments[2])
        case "features" where segments.count == 4 && segments[3] == "migration": return .featureMigration(segments[2])
        case "features" where segments.count == 4 && segments[3] == "client": return .featureClient(segments[2])
        case "features" where segments.count == 4 && segments[3] == "hooks": return .featureHooks(segments[2])
        case "features" where segments.count == 5 && segments[3] == "rehearsals":
            return .featureReport(segments[2], segments[4])
        case "features": throw Self.nothing
        case "features:test" where segments.count == 2: return .featureTest
        case "features:replay" where segments.count == 2: return .featureReplay
        default: return nil
        }
    }

    /// Finds a file of the console; its page has no name.
    private func findConsole(_ segments: ArraySlice<String>) throws(RouteFault) -> Resource {
        guard let name = segments.first else { return .moved("/console/") }
        guard segments.count == 1, let file = Assets.console[name] else { throw Self.nothing }
        return .console(file)
    }

    private func findFile(_ segments: [String]) throws(RouteFault) -> Resource {
        guard let path = SitePath(segments) else { throw Self.nothing }
        return .site(path)
    }

    private func find(_ feature: String, _ name: String, in space: SpaceName) throws(RouteFault) -> Resource {
        let view = "\(feature).\(name)"
        let hasView = viewNames.contains(view)
        if let place = registry.action(feature: feature, name: name) {
            return hasView ? .viewAndAction(space, view, place) : .action(space, place)
        }
        if hasView { return .view(space, view) }
        // A name that the feature `streams` does not define is the name of a stream.
        if feature == "streams" { return .stream(space, name) }
        guard features.contains(feature) else {
            throw RouteFault(
                kind: .noSuchView, detail: "there is no feature \(feature): GET /v1 lists all",
                allowed: features.sorted())
        }
        let actions = registry.actions.filter { $0.feature == feature }.map(\.name)
        let views = registry.views.map(\.name).filter { $0.hasPrefix("\(feature).") }.map {
            String($0.dropFirst(feature.count + 1))
        }
        throw RouteFault(
            kind: .noSuchView, detail: "\(feature) has no view and no action \(name): GET /v1 lists all",
            allowed: views + actions
        )
    }

    private static let nothing = RouteFault(
        kind: .noSuchPath,
        detail: "no such path: GET /v1 lists features, actions and views; /openapi.yaml describes all requests")
}
