import HTTP
import JSON
import Sockets
import StateStore
import Streams

/// Answers the requests of one loop.
final class Desk: Handler {
    let index: Int
    let service: Service
    let store: Store
    let loop: EventLoop
    let metrics: Metrics
    let delivery: Delivery
    let changes: ChangeFeed
    private let router: Router
    let home: LoopHome
    /// The definitions of streams, and the runs that several listen to.
    let sharedRuns = SharedRuns()
    /// How many connections there are on this loop.
    var connectionCount: () -> Int = { 0 }
    /// The authority that was last found to be this machine's own.
    private var knownAuthority: [UInt8] = []
    /// Streams that are counted for somebody's token, who may lose it.
    var streams: [ObjectIdentifier: Connection] = [:]
    /// Long polls under a token, which may be withdrawn while they wait.
    var polls: [ObjectIdentifier: (exchange: Exchange, account: Account)] = [:]
    /// The origin of the request that is being handled, and of those that wait for their answer, where it is another page's.
    private var origins: [ObjectIdentifier: String] = [:]

    init(_ index: Int, _ service: Service, _ home: LoopHome) {
        self.index = index
        self.service = service
        self.home = home
        store = service.stores[index]
        loop = home.loop
        metrics = Metrics()
        delivery = Delivery(store, ViewTags(service.keeper.journal), home.loop, home.alarms, metrics)
        changes = ChangeFeed(delivery, service.keeper, home)
        router = Router(service.registry, service.stores)
        loop.endings.append { [unowned self] in delivery.flush() }
        delivery.answer = { [unowned self] in answer($0, $1) }
        delivery.streamLeft = { [unowned self] in noteStreamLeft($0) }
        delivery.addOriginFields = { [unowned self] in addOriginFields($0, &$1) }
    }

    // MARK: Handler

    func handle(_ request: borrowing Request, _ exchange: Exchange) -> Disposition {
        let connection = exchange.connection
        if let known = request.head.conclusion {
            let known = unsafeDowncast(known, to: Conclusion.self)
            if !known.account.isWithdrawn {
                connection.route = known.resource.template
                handle(known.resource, known.route, request, exchange, known.account)
                return .here
            }
        }
        let route = router.route(of: request)
        if let loop = route.loop, loop != index { return .elsewhere(loop) }
        let resource: Resource
        switch route.resource {
        case .success(let found): resource = found.resource(for: request.method)
        case .failure(let fault):
            connection.route = 0
            if isFromElsewhere(request, exchange, isPage: false) { return .here }
            guard account(of: request, route) != nil else { return refuseStranger(exchange) }
            // What a name would have to be follows from the method.
            let kind = fault.kind == .noSuchView && request.method == .post ? .noSuchAction : fault.kind
            answer(exchange, Problem(kind, fault.detail, allowed: fault.allowed))
            return .here
        }
        connection.route = resource.template
        let isPage = if case .console = resource { true } else { false }
        if isFromElsewhere(request, exchange, isPage: isPage) { return .here }
        if request.method == .options {
            preflight(resource, request, exchange)
            return .here
        }
        guard isMethod(request.method, of: resource) else {
            let methods = resource.methods.joined(separator: ", ")
            let problem = Problem(.methodNotAllowed, "\(request.methodName) does not work here: \(methods) do", allowed: resource.methods)
            answer(exchange, problem) { $0.field("Allow", methods) }
            return .here
        }
        switch resource {
        case .health: answerText(exchange, "ok\n")
        case .readiness: service.answerReadiness(self, exchange)
        case .contract: answerFile(request, exchange, Assets.contract)
        case .console(let file): answerFile(request, exchange, file)
        default:
            guard let account = account(of: request, route) else { return refuseStranger(exchange) }
            if let space = resource.space, !account.token.covers(space) {
                answer(exchange, Problem(.forbidden, "this token is not good for the space \(space)"))
                return .here
            }
            // Of a page of another origin it is noted with each request who asks.
            if !request.has(.origin) { request.head.conclusion = Conclusion(route, resource, account) }
            handle(resource, route, request, exchange, account)
        }
        return .here
    }

    private func handle(_ resource: Resource, _ route: Route, _ request: borrowing Request, _ exchange: Exchange, _ account: Account) {
        switch resource {
        case .action(let space, let place): act(place, in: space, route, request, exchange, account)
        case .view(let space, let view): read([view], isSingle: true, in: space, route, request, exchange, account)
        case .views(let space):
            read(
                route.views.isEmpty ? service.viewNames(in: space) : route.views, isSingle: false, in: space, route, request, exchange,
                account)
        case .changes(let space): readChanges(of: space, route, request, exchange, account)
        case .graph(let space): answerGraph(of: space, exchange)
        case .why(let space, let view): answerWhy(view, in: space, exchange, account)
        case .space(let space):
            if request.method == .delete { forget(space, request, exchange, account) } else { describe(space, request, exchange) }
        case .streams(let space): read([Self.definitions], isSingle: true, in: space, route, request, exchange, account)
        case .stream(let space, let id):
            switch request.method {
            case .put: putStream(id, in: space, route, request, exchange, account)
            case .delete: removeStream(id, in: space, route, request, exchange, account)
            default: readStream(id, in: space, request, exchange)
            }
        case .streamValues(let space, let id): runStream(id, in: space, route, request, exchange, account)
        case .streamValue(let space, let id): read(["streams.\(id)"], isSingle: true, in: space, route, request, exchange, account)
        case .streamTest(let space): tryStream(in: space, request, exchange, account)
        case .spaces: listSpaces(route, exchange, account)
        case .index: answerFile(request, exchange, service.index)
        case .metrics: service.answerMetrics(self, exchange)
        case .health, .readiness, .contract, .console, .anything, .viewAndAction: break
        }
    }

    private func isMethod(_ method: Method, of resource: Resource) -> Bool {
        switch (resource, method) {
        case (.action, .post), (.space, .delete), (.stream, .put), (.stream, .delete), (.streamTest, .post): true
        case (.action, _), (.streamTest, _), (.anything, _), (.viewAndAction, _): false
        default: method == .get || method == .head
        }
    }

    func refuse(_ fault: MessageFault, _ exchange: Exchange) {
        exchange.connection.route = 0
        answer(exchange, Problem(.of(status: fault.status.code), fault.detail, retryAfter: fault.status.code == 503 ? 1 : nil))
    }

    func waited(_ exchange: Exchange) {
        let connection = exchange.connection
        let waiter = connection.waiter
        connection.waiter = nil
        waiter?.waited(exchange)
    }

    func answered(_ connection: Connection, _ status: Status) {
        metrics.countRequest(connection.route, status.code)
        let seconds = Double(MonotonicClock.now - connection.began) / 1e9
        // Of a stream it would say nothing.
        if !connection.isStream { metrics.requestSeconds.add(seconds) }
        if connection.waiter != nil { connection.waiter = nil }
        if !polls.isEmpty { polls[ObjectIdentifier(connection)] = nil }
        if !origins.isEmpty { origins[ObjectIdentifier(connection)] = nil }
        if !connection.isStream { giveBackPlace(connection) }
        if status.code >= 500 || service.log.level <= .debug { logAnswer(connection, status, seconds) }
    }

    private func logAnswer(_ connection: Connection, _ status: Status, _ seconds: Double) {
        service.log.write(
            status.code >= 500 ? .warning : .debug, "answered",
            [
                ("request", connection.requestName), ("route", Resource.templates[connection.route]), ("status", "\(status.code)"),
                ("milliseconds", "\((seconds * 1e5).rounded() / 100)"),
            ])
    }

    func abandoned(_ exchange: Exchange) {
        let key = ObjectIdentifier(exchange.connection)
        waited(exchange)
        origins[key] = nil
        polls[key] = nil
        giveBackPlace(exchange.connection)
    }

    // MARK: Who asks

    /// Refuses what a page of another origin asks, and what is asked of a host that this server is not; whether it did.
    private func isFromElsewhere(_ request: borrowing Request, _ exchange: Exchange, isPage: Bool) -> Bool {
        if !service.gate.isClosed, !isLoopback(request) {
            let problem = Problem(
                .misdirected,
                "without a token this server answers only to its own machine, as localhost or 127.0.0.1: use that name, or set HEADWATER_TOKEN"
            )
            answer(exchange, problem)
            return true
        }
        guard let origin = request.field(.origin) else {
            guard request.has(.secFetchSite), isOfForeignPage(request, isPage: isPage) else { return false }
            answer(
                exchange,
                Problem(
                    .foreignOrigin,
                    "pages of other origins may not ask this server: --allow-origin lets them, with requests that say their origin"
                ))
            return true
        }
        guard service.gate.allows(origin: origin, authority: request.authority) else {
            answer(exchange, Problem(.foreignOrigin, "pages of \(origin) may not ask this server: --allow-origin \(origin) lets them"))
            return true
        }
        if !origins.isEmpty || service.gate.origins.contains(origin) || service.gate.origins.contains("*") {
            origins[ObjectIdentifier(exchange.connection)] = origin
        }
        return false
    }

    /// Whether a browser says that a page of another origin asks (Fetch Metadata), and the request names no origin that could be allowed. To go to the
    /// console's page by a link is allowed from everywhere.
    private func isOfForeignPage(_ request: borrowing Request, isPage: Bool) -> Bool {
        if request.is(.secFetchSite, "same-origin") || request.is(.secFetchSite, "none") || service.gate.origins.contains("*") {
            return false
        }
        return !(isPage && request.method == .get && request.is(.secFetchMode, "navigate") && request.is(.secFetchDest, "document"))
    }

    /// The fields that every answer has: no page of another origin may have it as a script, a picture or the like, or guess what it is.
    static let everyAnswersFields = "Cross-Origin-Resource-Policy: same-origin\r\nX-Content-Type-Options: nosniff\r\n"

    private func isLoopback(_ request: borrowing Request) -> Bool {
        if request.head.value(of: .host) == nil, request.authority == nil { return true }
        if !request.hasOwnAuthority, !knownAuthority.isEmpty, request.is(.host, knownAuthority) { return true }
        guard let text = request.authority, let authority = Authority(text), authority.isLoopback else { return false }
        knownAuthority = Array(text.utf8)
        return true
    }

    func addOriginFields(_ connection: Connection, _ writer: inout FieldWriter) {
        if !service.gate.origins.isEmpty { writer.field("Vary", "Origin") }
        guard !origins.isEmpty, let origin = origins[ObjectIdentifier(connection)] else { return }
        writer.field("Access-Control-Allow-Origin", origin)
        writer.field(
            "Access-Control-Expose-Headers",
            "ETag, Idempotency-Replayed, Preference-Applied, Retry-After, X-Request-Id, Allow, Link, RateLimit, RateLimit-Policy, "
                + "WWW-Authenticate")
    }

    /// Says what may be asked (and, to a browser, that its page may).
    private func preflight(_ resource: Resource, _ request: borrowing Request, _ exchange: Exchange) {
        let methods = resource.methods.joined(separator: ", ")
        let isPreflight = request.has(.accessControlRequestMethod)
        exchange.answer(Status(204), nil, []) { writer in
            writer.field("Allow", methods)
            addOriginFields(exchange.connection, &writer)
            guard isPreflight else { return }
            writer.field("Access-Control-Allow-Methods", methods)
            writer.field(
                "Access-Control-Allow-Headers",
                "Accept, Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, Prefer, X-Request-Id")
            writer.field("Access-Control-Max-Age", 600)
        }
    }

    /// Whose request it is; nil where a token is needed and none that is good was sent.
    private func account(of request: borrowing Request, _ route: Route) -> Account? {
        guard service.gate.isClosed else { return service.gate.account(of: nil) }
        var token = request.field(.authorization).flatMap(Credentials.bearer)
        if token == nil, !request.has(.authorization), request.method == .get || request.method == .head { token = route["access_token"] }
        return service.gate.account(of: token)
    }

    private func refuseStranger(_ exchange: Exchange) -> Disposition {
        let problem = Problem(.unauthorized, "send a token: Authorization: Bearer …, or ?access_token=… where no header can be set")
        answer(exchange, problem) { $0.field("WWW-Authenticate", "Bearer realm=\"headwater\"") }
        return .here
    }

    // MARK: Answers

    /// Answers with a problem.
    func answer(_ exchange: Exchange, _ problem: Problem, _ fields: (inout FieldWriter) -> Void = { _ in }) {
        if problem.kind == .cannotWrite || problem.kind == .outcomeUnknown { service.noteCannotWrite(problem.reason) }
        if problem.kind == .unreadable, let reason = problem.reason {
            service.log.write(.error, "something kept cannot be read", [("reason", reason)])
        }
        exchange.answer(problem.status, "application/problem+json", problem.bytes) { writer in
            fields(&writer)
            if let seconds = problem.retryAfter { writer.field("Retry-After", seconds) }
            writer.field("Cache-Control", "no-store")
            addOriginFields(exchange.connection, &writer)
        }
    }

    func answerText(_ exchange: Exchange, _ text: String) {
        exchange.answer(.ok, "text/plain; charset=utf-8", Array(text.utf8)) { writer in
            writer.field("Cache-Control", "no-store")
            addOriginFields(exchange.connection, &writer)
        }
    }

    /// Answers with something that stays as it is for as long as the server runs.
    func answerFile(_ request: borrowing Request, _ exchange: Exchange, _ file: Asset) {
        let isKnown = request.field(.ifNoneMatch).flatMap { EntityTags($0) }?.matches(file.tag) ?? false
        exchange.answer(Status(isKnown ? 304 : 200), isKnown ? nil : file.type, isKnown ? [] : file.bytes) { writer in
            writer.field("ETag", "\"\(file.tag)\"")
            writer.field("Cache-Control", "no-cache")
            for (name, value) in file.fields { writer.field(name, value) }
            addOriginFields(exchange.connection, &writer)
        }
    }
}
