import HTTP
import StateStore
import Streams

/// Resolves targets to routes, and caches the routes.
final class Router {
    /// The maximum number of cached targets.
    static let routesLimit = 8_192
    /// The maximum size of a cached target.
    static let rememberedBytesLimit = 1_024

    /// The items of a window of a list whose request names no limit.
    private static let windowLimit = 100

    private let store: Store
    private let stores: Stores
    /// The key of the texts in `after`.
    private let key: DigestKey
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
            ? .success(Resource(.anything, .none))
            : Result { () throws(RouteFault) in try find(target.segments) }
        guard case .success(let found) = resource else { return Route(text, resource, loop: nil, target.parameters) }
        let isOnCommonLoop = found.row.traits.contains(.onCommonLoop)
        if case .liveStream(let name) = found.meaning {
            let loop = name.flatMap { $0.node == nil || $0.node == node ? $0.loop : nil }
            let isLoop = loop.map { stores.hasStore($0) } ?? false
            return Route(text, resource, loop: isLoop ? loop : nil, target.parameters)
        }
        guard let space = found.space else {
            return Route(
                text, resource, loop: isOnCommonLoop ? stores.index(of: .common) : nil, target.parameters)
        }
        var parameters = target.parameters
        if found.row === ResourceRow.windows, !parameters.contains(where: { $0.name == "limit" }) {
            parameters.append(("limit", "\(Self.windowLimit)"))
        }
        return Route(
            text, resource, loop: stores.index(of: isOnCommonLoop ? .common : space), parameters,
            RequestedViews(of: found, parameters, registry, key),
            viewParameters: found.view.map { found.parameterNames(of: $0, registry) } ?? [])
    }

    private func find(_ path: [String]) throws(RouteFault) -> Resource {
        let rows = path.count < ResourceRow.foundByLength.count ? ResourceRow.foundByLength[path.count] : []
        for row in rows where serves(row) {
            guard let names = try row.names(of: path), let meaning = row.meaning?(names) else { continue }
            return Resource(meaning, row, in: row.segments.contains("{space}") ? names.space : nil)
        }
        switch path.first {
        case "v1": return try findPartOfFeature(path)
        case "console": return try findConsole(path.dropFirst())
        default: return try hasSite ? findFile(path) : findConsole(path[...])
        }
    }

    private func serves(_ row: ResourceRow) -> Bool {
        if row.traits.contains(.onlyLive) { return isLive }
        return !row.traits.contains(.onlyAgents) || hasAgents
    }

    /// Finds a view, an action or a stream, or what there is about one.
    private func findPartOfFeature(_ path: [String]) throws(RouteFault) -> Resource {
        for row in [ResourceRow.ofViews, .windows, .histories, .reasons] {
            guard let names = try row.names(of: path) else { continue }
            let (space, found) = (names.space, try find(names[0], names[1], in: names.space))
            if row === ResourceRow.ofViews { return found }
            let isHistory = row === ResourceRow.histories
            switch found.meaning {
            case .view(_, let view), .viewAndAction(_, let view, _):
                guard row === ResourceRow.windows else {
                    return Resource(isHistory ? .history(space, view) : .why(space, view), row, in: space, view: view)
                }
                guard registry.view(named: view)?.isList ?? false else {
                    throw RouteFault(kind: .noSuchPath, detail: "\(view) is no list, so it has no windows")
                }
                return Resource(.view(space, view), row, in: space, view: view)
            case .stream(_, let id) where Identifier.isOne(id) && row !== ResourceRow.windows:
                let view = ViewKey("streams.\(id)")
                return isHistory
                    ? Resource(.history(space, view), .streamHistories, in: space)
                    : Resource(.why(space, view), .streamReasons, in: space)
            default: throw Self.nothing
            }
        }
        throw Self.nothing
    }

    /// Finds a file of the console; its page has no name.
    private func findConsole(_ segments: ArraySlice<String>) throws(RouteFault) -> Resource {
        guard let name = segments.first else { return Resource(.moved("/console/"), .files) }
        guard segments.count == 1, let file = Assets.console[name] else { throw Self.nothing }
        return Resource(.console(file), .files)
    }

    private func findFile(_ segments: [String]) throws(RouteFault) -> Resource {
        guard let path = SitePath(segments) else { throw Self.nothing }
        return Resource(.site(path), .files)
    }

    private func find(_ feature: String, _ name: String, in space: SpaceName) throws(RouteFault) -> Resource {
        let view = ViewKey("\(feature).\(name)")
        let hasView = registry.view(named: view) != nil
        if let place = registry.action(feature: feature, name: name) {
            return hasView
                ? Resource(.viewAndAction(space, view, place), .ofBoth, in: space, view: view, action: place)
                : Resource(.action(space, place), .ofActions, in: space, action: place)
        }
        if hasView { return Resource(.view(space, view), .ofViews, in: space, view: view) }
        // A name that the feature `streams` does not define is the name of a stream.
        if feature == "streams" { return Resource(.stream(space, name), .ofStream, in: space) }
        guard let names = registry.names(of: feature) else {
            throw RouteFault(
                kind: .noSuchView, detail: "there is no feature \(feature): GET /v1 lists all",
                allowed: registry.features.map(\.feature).sorted())
        }
        throw RouteFault(
            kind: .noSuchView, detail: "\(feature) has no view and no action \(name): GET /v1 lists all",
            allowed: names.labels
        )
    }

    private static let nothing = RouteFault(
        kind: .noSuchPath,
        detail: "no such path: GET /v1 lists features, actions and views; /openapi.yaml describes all requests")
}
