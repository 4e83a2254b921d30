import HTTP
import JSON

/// The handler of one loop's requests: it finds the route of each, checks whether the client may send it, and passes it
/// to the handler of its resource.
final class RequestHandler: Handler {
    private let index: Int
    private let context: ResponseContext
    private let router: Router
    private let origins: OriginCheck
    private let handlers: Handlers
    /// The account of a request whose token is not known yet, or not needed.
    private let stranger = Account(Token(digest: [], right: .read, patterns: []))

    /// The handlers of resources.
    struct Handlers {
        let actions: ActionHandler
        let views: ViewHandler
        let changes: ChangeHandler
        let definitions: DefinitionHandler
        let runs: RunHandler
        let live: LiveHandler
        let feed: FeedHandler
        let trials: TrialHandler
        let spaces: SpaceHandler
        let descriptions: DescriptionHandler
        let operations: OperationsHandler
        let site: SiteHandler
    }

    init(_ index: Int, _ context: ResponseContext, _ router: Router, _ handlers: Handlers) {
        self.index = index
        self.context = context
        self.router = router
        self.handlers = handlers
        origins = OriginCheck(context.access)
    }

    func handle(_ request: borrowing Request, _ exchange: Exchange) -> Disposition {
        if let known = request.head.conclusion {
            let known = unsafeDowncast(known, to: CachedAuthorization.self)
            if !known.account.isWithdrawn {
                let responder = Responder(exchange, context, path: known.path, known.account)
                if known.readsViews, let broadcaster = known.route.broadcaster {
                    handlers.views.read(request, broadcaster, known.route, responder)
                } else {
                    dispatch(request, known.route, known.resource, responder)
                }
                return .here
            }
        }
        let route = router.route(of: request)
        if let loop = route.loop, loop != index { return .elsewhere(loop) }
        switch route.resource {
        case .success(let found): handle(request, route, found.resource(for: request.method), exchange)
        case .failure(let fault): refuse(fault, request, route, exchange)
        }
        return .here
    }

    func refuse(_ fault: MessageFault, _ exchange: Exchange) {
        Responder(exchange, context, path: 0, stranger)
            .answer(
                Problem(.of(status: fault.status.code), fault.detail, retryAfter: fault.status.code == 503 ? 1 : nil))
    }

    // MARK: Permission

    /// Answers a request that may be asked by its host, origin, method and token, or says why it may not.
    private func handle(_ request: borrowing Request, _ route: Route, _ resource: Resource, _ exchange: Exchange) {
        let isPage = resource.isPage
        let open = responder(request, exchange, path: resource.template, stranger)
        if let problem = origins.problem(of: request, isPage: isPage) { return withoutOrigin(open).answer(problem) }
        if request.method == .options { return answerOptions(request, resource, open) }
        guard resource.allows(request.method) else {
            let methods = resource.methods.joined(separator: ", ")
            let problem = Problem(
                .methodNotAllowed, "\(request.methodName) is not allowed here: use \(methods)",
                allowed: resource.methods)
            return open.answer(problem) { $0.field("Allow", methods) }
        }
        if request.head.coding == .none { return refuseCoding(open) }
        if resource.isPublic { return dispatch(request, route, resource, open) }
        guard let account = account(of: request, route) else { return refuseStranger(open) }
        let responder = Responder(exchange, context, path: open.path, account, origin: open.origin)
        if let space = resource.space, !account.token.covers(space) {
            return responder.answer(Problem(.forbidden, "this token is not valid for the space \(space)"))
        }
        if let fault = route.parameterFault {
            var problem = Problem(fault.kind, fault.detail, at: fault.pointer)
            problem.extra["allowed"] = .array(fault.allowed.map { .string($0) })
            return responder.answer(problem)
        }
        if let fault = route.requested.fault(of: resource) {
            return responder.answer(Problem(fault.kind, fault.detail, at: fault.pointer, allowed: fault.allowed))
        }
        // The origin of a page is looked at with each request.
        if !request.has(.origin) { request.head.conclusion = CachedAuthorization(route, resource, account) }
        dispatch(request, route, resource, responder)
    }

    private func refuse(_ fault: RouteFault, _ request: borrowing Request, _ route: Route, _ exchange: Exchange) {
        let responder = responder(request, exchange, path: 0, stranger)
        if let problem = origins.problem(of: request, isPage: false) { return withoutOrigin(responder).answer(problem) }
        guard account(of: request, route) != nil else { return refuseStranger(responder) }
        // The method says whether the name is meant for a view or an action.
        let kind = fault.kind == .noSuchView && request.method == .post ? .noSuchAction : fault.kind
        responder.answer(Problem(kind, fault.detail, allowed: fault.allowed))
    }

    private func responder(
        _ request: borrowing Request, _ exchange: Exchange, path: Int, _ account: Account
    ) -> Responder {
        Responder(exchange, context, path: path, account, origin: origins.origin(of: request))
    }

    private func withoutOrigin(_ responder: Responder) -> Responder {
        Responder(responder.exchange, context, path: responder.path, responder.account)
    }

    /// Returns the account of a request; nil if a token is needed and the request has none that is good.
    private func account(of request: borrowing Request, _ route: Route) -> Account? {
        guard context.access.isClosed else { return context.access.account(of: nil) }
        var token = request.field(.authorization).flatMap(Credentials.bearer)
        if token == nil, !request.has(.authorization), request.method == .get || request.method == .head {
            token = route["access_token"]
        }
        return context.access.account(of: token)
    }

    /// Answers a client that accepts no content as it is, and not in gzip either.
    private func refuseCoding(_ responder: Responder) {
        responder.answer(
            Problem(
                .notAcceptable, "content can be had as it is or in gzip: Accept-Encoding has to allow one of them",
                allowed: ["gzip", "identity"])
        ) { $0.field("Vary", "Accept-Encoding") }
    }

    private func refuseStranger(_ responder: Responder) {
        let problem = Problem(
            .unauthorized, "send a token: Authorization: Bearer …, or ?access_token=… where no header can be set")
        responder.answer(problem) { $0.field("WWW-Authenticate", "Bearer realm=\"headwater\"") }
    }

    /// Answers with the methods of a resource and, to a browser's preflight, with what its page may send.
    private func answerOptions(_ request: borrowing Request, _ resource: Resource, _ responder: Responder) {
        let methods = resource.methods.joined(separator: ", ")
        let isPreflight = request.has(.accessControlRequestMethod)
        responder.answerNothing { writer in
            writer.field("Allow", methods)
            guard isPreflight else { return }
            writer.field("Access-Control-Allow-Methods", methods)
            writer.field(
                "Access-Control-Allow-Headers",
                "A-IM, Accept, Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, Prefer, X-Request-Id"
            )
            writer.field("Access-Control-Max-Age", 600)
        }
    }

    // MARK: Dispatch

    private func dispatch(_ request: borrowing Request, _ route: Route, _ resource: Resource, _ responder: Responder) {
        switch resource {
        case .action(let space, let place):
            handlers.actions.act(request, ActionRequest(place, in: space, route, responder))
        case .view(let space, let view):
            handlers.views.read(request, route.requested.ofPath ?? view, in: space, route, responder)
        case .views(let space): handlers.views.readSeveral(request, of: space, route, responder)
        case .streams(let space): handlers.views.read(request, Definitions.view, in: space, route, responder)
        case .streamValue(let space, let id): handlers.views.read(request, "streams.\(id)", in: space, route, responder)
        case .changes(let space): handlers.changes.read(request, of: space, route, responder)
        case .stream(let space, let id):
            handlers.definitions.handle(request, StreamRequest(id, in: space, route, responder))
        case .streamValues(let space, let id):
            handlers.runs.run(request, StreamRequest(id, in: space, route, responder))
        case .streamTest(let space): handlers.trials.run(request, in: space, responder)
        case .space(let space):
            if request.method == .delete {
                handlers.spaces.delete(request, space, responder)
            } else {
                handlers.spaces.describe(request, space, responder)
            }
        case .spaces: handlers.spaces.list(route, responder)
        case .live: handlers.live.read(request, route, responder)
        case .allChanges: handlers.feed.read(request, route, responder)
        case .graph(let space): handlers.descriptions.answerGraph(of: space, responder)
        case .why(let space, let view):
            handlers.descriptions.answerWhy(route.requested.ofPath ?? view, in: space, responder)
        case .streamWhy(let space, let id): handlers.descriptions.answerWhy("streams.\(id)", in: space, responder)
        case .index: handlers.descriptions.answerIndex(request, responder)
        case .contract: Assets.contract.answer(request, responder)
        case .console(let file): file.answer(request, responder)
        case .site(let path): handlers.site.read(request, path, responder)
        case .client: Assets.client.answer(request, responder)
        case .clientTypes: Assets.clientTypes.answer(request, responder)
        case .moved(let target): SiteHandler.redirect(to: target, responder)
        case .health: handlers.operations.answerHealth(responder)
        case .readiness: handlers.operations.answerReadiness(responder)
        case .metrics: handlers.operations.answerMetrics(responder)
        case .anything, .viewAndAction: break
        }
    }
}
