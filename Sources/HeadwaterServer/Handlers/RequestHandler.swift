import Documents
import HTTP
import JSON
import StateStore

/// The handler of one loop's requests: it finds the route of each, checks whether the client may send it, and passes it
/// to the handler of its resource.
final class RequestHandler: Handler {
    private let index: Int
    private let context: ResponseContext
    private let router: Router
    private let origins: OriginCheck
    private let handlers: Handlers
    /// The account of a request whose token is not known yet, or not needed.
    private let stranger = Account(Token(digest: [], Permissions([])))
    private let seal: TicketSeal
    private let versions: NamedVersions
    /// The part of a cluster; nil on one machine.
    private let cluster: ClusterFront?

    /// The handlers of resources.
    struct Handlers {
        let actions: ActionHandler
        let views: ViewHandler
        let changes: ChangeHandler
        let past: PastHandler
        let histories: HistoryHandler
        let restoring: RestoreHandler
        let erasing: EraseHandler
        let batches: BatchHandler
        let editing: EditHandler
        let reasons: ReasonHandler
        let ruleTests: RuleTestHandler
        let definitions: DefinitionHandler
        let runs: RunHandler
        let live: LiveHandler
        let steering: SteeringHandler
        let feed: FeedHandler
        let trials: TrialHandler
        let spaces: SpaceHandler
        let spaceList: SpaceListHandler
        let administration: AdministrationHandler
        let descriptions: DescriptionHandler
        let operations: OperationsHandler
        let tickets: TicketHandler
        let features: FeatureHandler
        let rehearsals: RehearsalHandler
        let site: SiteHandler
        let hooks: HookHandler
        let agents: AgentHandler
        let usage: UsageHandler
        let directory: DirectoryHandler
    }

    init(
        _ index: Int, _ context: ResponseContext, _ router: Router, _ seal: TicketSeal, _ handlers: Handlers,
        _ versions: NamedVersions, _ cluster: ClusterFront? = nil
    ) {
        self.seal = seal
        self.versions = versions
        self.cluster = cluster
        self.index = index
        self.context = context
        self.router = router
        self.handlers = handlers
        origins = OriginCheck(context.access)
    }

    func handle(_ request: borrowing Request, _ exchange: Exchange) -> Disposition {
        if let known = request.head.conclusion {
            let known = unsafeDowncast(known, to: CachedAuthorization.self)
            if known.edition == router.edition, known.account.isGood(at: context.access.clock()) {
                let responder = Responder(
                    exchange, context, path: known.path, known.account, known.rights, known.route.subject
                )
                .audited(known.resource.space)
                if known.mayWait { return dispatchLater(request, known, responder) }
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
        case .success(let found): return handle(request, route, found.resource(for: request.method), exchange)
        case .failure(let fault): return refuse(fault, request, route, exchange)
        }
    }

    /// The wait until the access of a request can be decided.
    private var untilKnown: Disposition { .later { [context] end in context.access.whenReady { end(nil) } } }

    func refuse(_ fault: MessageFault, _ exchange: Exchange) {
        Responder(exchange, context, path: 0, stranger, [])
            .answer(
                Problem(
                    .of(status: fault.status.code), ProblemText(fault.detail),
                    retryAfter: fault.status.code == 503 ? 1 : nil))
    }

    // MARK: Permission

    /// Answers a request that may be asked by its host, origin, method and token, or says why it may not.
    private func handle(
        _ request: borrowing Request, _ route: Route, _ resource: Resource, _ exchange: Exchange
    ) -> Disposition {
        let open = responder(request, exchange, path: resource.row.number, route).audited(resource.space)
        if let problem = origins.problem(of: request, isPage: resource.row.traits.contains(.page)) {
            withoutOrigin(open).answer(problem)
            return .here
        }
        if request.method == .options {
            // Browsers ask without a token, which shows no names of features.
            let isHidden = context.access.isClosed && resource.row.traits.contains(.ofFeature)
            MethodsAnswer.send((isHidden ? .ofBoth : resource.row).methodNames, to: request, open)
        } else if resource.row.access == .open {
            guard allowsMethod(of: request, resource, open) else { return .here }
            if case .contract = resource.meaning { return answerContract(request, route, open) }
            if case .health = resource.meaning { return answerHealth(request, route, open) }
            if case .readiness = resource.meaning { return answerReadiness(request, route, open) }
            dispatch(request, route, resource, open)
        } else {
            let mark = mark(of: request, route, resource)
            switch admission(of: request, route, mark, exchange) {
            case .account(let account):
                let continuation = mark.map { StreamContinuation($0, after: route.lastEventID(of: request)) }
                return handle(request, route, resource, open.marking(continuation), account)
            case .pending: return untilKnown
            case .refused(let fault): refuseStranger(open, fault)
            case .unavailable: refuseUnavailable(open)
            }
        }
        return .here
    }

    /// Answers with the contract: with documents, if the client may read a space.
    private func answerContract(_ request: borrowing Request, _ route: Route, _ open: Responder) -> Disposition {
        var seesDocuments = false
        switch admission(of: request, route, nil, open.exchange) {
        case .account(let account): seesDocuments = account.token.permissions.anywhere.contains(.read)
        case .pending: return untilKnown
        case .refused, .unavailable: break
        }
        handlers.descriptions.answerContract(request, seesDocuments: seesDocuments, open)
        return .here
    }

    /// Answers that the server lives; with its components to an administrator who accepts JSON.
    private func answerHealth(_ request: borrowing Request, _ route: Route, _ open: Responder) -> Disposition {
        var isWhole = false
        if request.field(.accept).map({ Acceptance($0).names("application", "json") }) ?? false {
            switch admission(of: request, route, nil, open.exchange) {
            case .account(let account): isWhole = account.token.permissions.everywhere.contains(.admin)
            case .pending: return untilKnown
            case .refused, .unavailable: break
            }
        }
        handlers.operations.answerHealth(isWhole: isWhole, open)
        return .here
    }

    /// Answers whether the server is ready; an administrator learns more.
    private func answerReadiness(_ request: borrowing Request, _ route: Route, _ open: Responder) -> Disposition {
        var isAdmin = false
        switch admission(of: request, route, nil, open.exchange) {
        case .account(let account): isAdmin = account.token.permissions.everywhere.contains(.admin)
        // A probe waits for no key.
        case .pending, .refused, .unavailable: break
        }
        handlers.operations.answerReadiness(route, isAdmin: isAdmin, open)
        return .here
    }

    /// Returns true if a resource permits the method of a request, and the client accepts its coding; else answers 405
    /// or 406.
    private func allowsMethod(of request: borrowing Request, _ resource: Resource, _ responder: Responder) -> Bool {
        guard resource.row.allows(request.method) else {
            let allowed = resource.row.methodNames
            let methods = allowed.joined(separator: ", ")
            responder.answer(
                Problem(
                    .methodNotAllowed, "\(request.methodName) is not allowed here: use \(methods)",
                    allowed: allowed)
            ) { $0.field("Allow", methods) }
            return false
        }
        guard request.head.coding != .none else {
            refuseCoding(responder)
            return false
        }
        return true
    }

    /// Answers a request of an account, which may have no right to send it.
    private func handle(
        _ request: borrowing Request, _ route: Route, _ resource: Resource, _ open: Responder, _ account: Account
    ) -> Disposition {
        let permissions = account.token.permissions
        let rights = resource.space.map { permissions.rights(in: $0) } ?? permissions.anywhere
        let responder = open.admitted(account, rights)
        guard !rights.isEmpty else {
            responder.refuseRight(Self.noRight(account, resource.space))
            return .here
        }
        guard mayRead(resource, responder), allowsMethod(of: request, resource, responder) else { return .here }
        if let fault = route.parameterFault {
            var problem = Problem(fault.kind, fault.detail, at: fault.pointer)
            let allowed = resource.row.parametersOfMethods[request.method] ?? fault.allowed
            problem.extra["allowed"] = .array(allowed.map { .string($0) })
            responder.answer(problem)
            return .here
        }
        if let known = resource.row.parametersOfMethods[request.method],
            let other = route.parameters.first(where: { !$0.name.hasPrefix("_") && !known.contains($0.name) })
        {
            responder.answer(Problem(.invalid, "this request has no parameter \(other.name)", allowed: known))
            return .here
        }
        if let fault = route.requested.fault(of: resource) {
            responder.answer(Problem(fault.kind, fault.detail, at: fault.pointer, allowed: fault.allowed))
            return .here
        }
        // The origin of a page is looked at with each request, and so are a ticket and the address of an anonymous
        // caller.
        let isKept = !request.has(.origin) && route["ticket"] == nil && account.kind != .anonymous
        let mayWait = cluster != nil || NamedVersions.mayBeNamed(by: request, route)
        guard isKept || mayWait else {
            dispatch(request, route, resource, responder)
            return .here
        }
        let found = CachedAuthorization(
            route, resource, account, rights, mayWait: mayWait, edition: router.edition)
        if isKept { request.head.conclusion = found }
        if mayWait { return dispatchLater(request, found, responder) }
        dispatch(request, route, resource, responder)
        return .here
    }

    /// Returns true if the account has the least right for a resource; else answers 403.
    private func mayRead(_ resource: Resource, _ responder: Responder) -> Bool {
        guard case .everywhere(let right) = resource.row.access else { return responder.hasRight(.read, for: "this") }
        if responder.account.token.permissions.everywhere.contains(right) { return true }
        responder.refuseRight("this needs the right \(right) for all spaces")
        return false
    }

    private static func noRight(_ account: Account, _ space: SpaceName?) -> ProblemText {
        if account.token.permissions.all.isEmpty { return "no grant of this server is true for the token" }
        return "this token is not valid for the space \(space.map { "\($0)" } ?? "")"
    }

    private func refuse(
        _ fault: RouteFault, _ request: borrowing Request, _ route: Route, _ exchange: Exchange
    ) -> Disposition {
        let responder = responder(request, exchange, path: 0)
        if let problem = origins.problem(of: request, isPage: false) {
            withoutOrigin(responder).answer(problem)
            return .here
        }
        if request.method == .options, context.access.isClosed {
            MethodsAnswer.send(ResourceRow.ofBoth.methodNames, to: request, responder)
            return .here
        }
        switch admission(of: request, route, nil, exchange) {
        case .account(let account) where account.token.permissions.anywhere.isEmpty:
            responder.refuseRight(Self.noRight(account, nil))
        case .account(let account) where !account.token.permissions.anywhere.contains(.read):
            let rights = account.token.permissions.anywhere
            _ = Responder(exchange, context, path: 0, account, rights, origin: responder.origin)
                .hasRight(.read, for: "this")
        case .account:
            // A document that is not known may have the name.
            if let damage = context.damage, [.noSuchFeature, .noSuchView, .noSuchAction].contains(fault.kind) {
                responder.answer(.damagedCommon(damage))
                return .here
            }
            // The method says whether the name is meant for a view or an action.
            let kind = fault.kind == .noSuchView && request.method == .post ? .noSuchAction : fault.kind
            responder.answer(Problem(kind, fault.detail, allowed: fault.allowed))
        case .pending: return untilKnown
        case .refused(let fault): refuseStranger(responder, fault)
        case .unavailable: refuseUnavailable(responder)
        }
        return .here
    }

    private func responder(
        _ request: borrowing Request, _ exchange: Exchange, path: Int, _ route: Route? = nil
    ) -> Responder {
        Responder(exchange, context, path: path, stranger, [], origin: origins.origin(of: request), route?.subject)
    }

    private func withoutOrigin(_ responder: Responder) -> Responder {
        Responder(responder.exchange, context, path: responder.path, responder.account, responder.rights)
    }

    /// Returns the mark of the stream that a request asks for with a ticket; nil for another request. A request that its
    /// field admits gets none, for it proves nothing about the ticket beside it.
    private func mark(of request: borrowing Request, _ route: Route, _ resource: Resource) -> EventIDMark? {
        guard let text = route["ticket"], context.access.isClosed, request.method == .get,
            !request.has(.authorization), ReadMode.isStream(request, route, resource)
        else { return nil }
        return seal.mark(of: text, on: route.ticketTarget)
    }

    /// Returns the account of a request: by its field, or by a parameter of a target that is read. `mark` is that of the
    /// stream that it asks for with a ticket.
    private func admission(
        of request: borrowing Request, _ route: Route, _ mark: EventIDMark?, _ exchange: Exchange
    ) -> AccessControl.Admission {
        let access = context.access
        guard access.isClosed else { return access.admit(nil) }
        // A faulty field is never that of an anonymous caller.
        if request.has(.authorization) {
            return access.admit(request.field(.authorization).flatMap(Credentials.bearer))
        }
        let forwardedFor = access.anonymousCallers == nil ? nil : request.field(.forwardedFor)
        func anonymous() -> Account? {
            access.anonymousCallers?.account(peer: exchange.peerAddress, forwardedFor: forwardedFor)
        }
        func admitNone() -> AccessControl.Admission { anonymous().map { .account($0) } ?? access.admit(nil) }
        guard request.method == .get || request.method == .head else { return admitNone() }
        guard let text = route["ticket"] else { return route["access_token"].map { access.admit($0) } ?? admitNone() }
        let goesOn = mark.map { route.has($0, request) } ?? false
        return access.admit(
            seal.ticket(text), target: { route.ticketTarget }, goesOn: goesOn, anonymous: anonymous)
    }

    /// Answers a client that accepts no content as it is, and not in gzip either.
    private func refuseCoding(_ responder: Responder) {
        responder.answer(
            Problem(
                .notAcceptable, "content can be had as it is or in gzip: Accept-Encoding has to allow one of them",
                allowed: ["gzip", "identity"])
        ) { $0.field("Vary", "Accept-Encoding") }
    }

    private func refuseStranger(_ responder: Responder, _ fault: TokenFault) {
        responder.answer(Problem(.unauthorized, ProblemText(fault.description))) { writer in
            writer.field("WWW-Authenticate", "Bearer realm=\"headwater\"")
        }
    }

    private func refuseUnavailable(_ responder: Responder) {
        responder.answer(
            Problem(
                .notReady, "the keys of the token's issuer cannot be fetched yet; the server's log says why",
                retryAfter: 2))
    }

    // MARK: Dispatch

    /// Dispatches a request, unless it waits or another node of a cluster answers it.
    private func dispatchLater(
        _ request: borrowing Request, _ known: CachedAuthorization, _ responder: Responder
    ) -> Disposition {
        let (route, resource) = (known.route, known.resource)
        let course =
            cluster?.course(of: request, resource, route, responder, &known.plan)
            ?? versions.course(of: request, resource, route, responder, &known.plan)
        switch course {
        case .here:
            if known.readsViews, let broadcaster = route.broadcaster {
                handlers.views.read(request, broadcaster, route, responder)
            } else {
                dispatch(request, route, resource, responder)
            }
        case .later(let wait): return .later(wait)
        case .whenFresh(let space):
            guard let cluster else { break }
            guard known.readsViews, let broadcaster = route.broadcaster else { return cluster.later(space) }
            handlers.views.read(request, broadcaster, route, responder) { body in
                cluster.whenFresh(space) { isFresh in
                    if isFresh { body() } else { cluster.refuseBehind(responder) }
                }
            }
        case .taken: break
        }
        return .here
    }

    /// True for the past of one view that the program names: with a damaged `common` no other views are known.
    private func isPastOfProgram(_ route: Route, _ resource: Resource) -> Bool {
        if case .view = resource.meaning, resource.view != nil { route.readsPast } else { false }
    }

    private func dispatch(_ request: borrowing Request, _ route: Route, _ resource: Resource, _ responder: Responder) {
        if let damage = context.damage, resource.row.needsCommon, !isPastOfProgram(route, resource) {
            return responder.answer(.damagedCommon(damage))
        }
        if route.readsPast { return readPast(request, route, resource, responder) }
        switch resource.meaning {
        case .action(let space, let place) where handlers.definitions.puts(place):
            handlers.definitions.act(request, ActionRequest(place, in: space, route, responder))
        case .action(let space, let place):
            handlers.actions.act(request, ActionRequest(place, in: space, route, responder))
        case .view(let space, let view):
            handlers.views.read(request, route.requested.ofPath ?? view, in: space, route, responder)
        case .views(let space): handlers.views.readSeveral(request, of: space, route, responder)
        case .streams(let space): handlers.views.read(request, Definitions.view, in: space, route, responder)
        case .changes(let space): handlers.changes.read(request, of: space, route, responder)
        case .stream(let space, let id):
            handlers.definitions.handle(request, StreamRequest(id, in: space, route, responder))
        case .streamValues(let space, let id):
            handlers.runs.run(request, StreamRequest(id, in: space, route, responder))
        case .streamTest(let space): handlers.trials.run(request, in: space, responder)
        case .ruleTest(let space): handlers.ruleTests.run(request, in: space, responder)
        case .space(let space):
            if request.method == .delete {
                handlers.spaces.delete(request, space, responder)
            } else {
                handlers.spaces.describe(request, space, responder)
            }
        case .spaces: handlers.spaceList.list(route, responder)
        case .subjects: handlers.administration.listSubjects(route, responder)
        case .audit: handlers.administration.readAudit(route, responder)
        case .limits: handlers.administration.answerLimits(responder)
        case .usage: handlers.usage.answer(responder)
        case .spaceUsage(let space): handlers.usage.answer(of: space, responder)
        case .export: handlers.directory.export(route, responder)
        case .operations where request.method == .post: handlers.directory.start(request, responder)
        case .operations: handlers.directory.list(responder)
        case .operation(let id): handlers.directory.describe(id, responder)
        case .operationLines(let id): handlers.directory.take(request, id, route, responder)
        case .history(let space, let view):
            handlers.histories.read(request, route.requested.ofPath ?? view, in: space, route, responder)
        case .difference(let space): handlers.past.compare(request, in: space, route, responder)
        case .restore(let space): handlers.restoring.restore(request, in: space, route, responder)
        case .erase(let space): handlers.erasing.erase(request, in: space, route, responder)
        case .actions(let space): handlers.batches.act(request, in: space, route, responder)
        case .edit(let space): handlers.editing.edit(request, in: space, route, responder)
        case .requestWhy(let id): handlers.reasons.answer(id, responder)
        case .hooks(let space): handlers.hooks.list(space, responder)
        case .hook(let space, let id): handlers.hooks.handle(request, id, in: space, responder)
        case .live where request.method == .post: handlers.steering.open(request, route, responder)
        case .live: handlers.live.read(request, route, responder)
        case .liveStream(let name): handlers.steering.change(request, name, responder)
        case .allChanges: handlers.feed.read(request, route, responder)
        case .tickets: handlers.tickets.make(request, responder)
        case .me: CallerAnswer.send(responder)
        case .features: handlers.features.handleAll(request, route, responder)
        case .feature(let name): handlers.features.handle(request, name, route, responder)
        case .featurePlan(let name): handlers.features.answerPlan(of: name, responder)
        case .featureClient(let name): handlers.features.answerClient(of: name, request, responder)
        case .featureProblems(let name): handlers.features.answerProblems(of: name, responder)
        case .featureMigration(let name): handlers.features.answerMigration(of: name, responder)
        case .featureReport(let name, let id): handlers.features.answerReport(id, of: name, responder)
        case .featureHooks(let name): handlers.hooks.list(ofFeature: name, responder)
        case .featureTest: handlers.features.test(request, responder)
        case .featureReplay: handlers.rehearsals.run(request, responder)
        case .graph(let space): handlers.descriptions.answerGraph(of: space, responder)
        case .why(let space, let view):
            handlers.descriptions.answerWhy(route.requested.ofPath ?? view, in: space, responder)
        case .index: handlers.descriptions.answerIndex(request, responder)
        case .console(let file): file.answer(request, responder)
        case .site(let path): handlers.site.read(request, path, responder)
        case .liveScript: LivePage.script.answer(request, responder)
        case .liveState: handlers.site.answerLive(responder)
        case .documentSchema: Assets.documentSchema.answer(request, responder)
        case .client: Assets.client.answer(request, responder)
        case .offline: Assets.offline.answer(request, responder)
        case .mirror: Assets.mirror.answer(request, responder)
        case .siteList: handlers.site.list(responder)
        case .clientTypes: Assets.clientTypes.answer(request, responder)
        case .moved(let target): SiteHandler.redirect(to: target, responder)
        case .metrics: handlers.operations.answerMetrics(responder)
        case .agents: handlers.agents.handle(request, route, responder)
        case .anything, .viewAndAction, .contract, .health, .readiness: break
        }
    }

    /// Dispatches a request with the parameter `at`.
    private func readPast(
        _ request: borrowing Request, _ route: Route, _ resource: Resource, _ responder: Responder
    ) {
        let past = handlers.past
        switch resource.meaning {
        case .view(let space, let view):
            past.read(request, [route.requested.ofPath ?? view], isSingle: true, in: space, route, responder)
        case .views(let space): past.read(request, route.views, isSingle: false, in: space, route, responder)
        case .streams(let space):
            past.read(request, [Definitions.view], isSingle: true, in: space, route, responder)
        case .space(let space) where request.method != .delete: past.describe(request, space, route, responder)
        case .feature(let name) where request.method == .get || request.method == .head:
            handlers.rehearsals.readPast(request, name, route, responder)
        default: responder.answer(Problem(.invalid, "at reads the past; it cannot be combined with this method"))
        }
    }
}

/// The answer to `GET /v1/me`: the caller as expressions of documents see it in `token`, and its rights.
enum CallerAnswer {
    static func send(_ responder: Responder) {
        let account = responder.account
        let content: JSON = [
            "sub": .string(account.subject), "claims": account.caller.token,
            "rights": .array(account.token.permissions.anywhere.names.map { .string($0) }),
        ]
        responder.answer(Status(200), "application/json", content.written) { $0.field("Cache-Control", "no-store") }
    }
}

/// The answer to OPTIONS.
enum MethodsAnswer {
    /// Answers with the methods of a resource and, to a browser's preflight, with what its page may send.
    static func send(_ methods: [String], to request: borrowing Request, _ responder: Responder) {
        let methods = methods.joined(separator: ", ")
        let isPreflight = request.has(.accessControlRequestMethod)
        responder.answerNothing { writer in
            writer.field("Allow", methods)
            guard isPreflight else { return }
            writer.field("Access-Control-Allow-Methods", methods)
            writer.field(
                "Access-Control-Allow-Headers",
                "A-IM, Accept, Authorization, Content-Type, Headwater-Document, Headwater-Queue, Headwater-Time, "
                    + "Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, Mcp-Method, Mcp-Name, Mcp-Protocol-Version, "
                    + "Mcp-Session-Id, Prefer, Traceparent, Tracestate, X-Request-Id"
            )
            writer.field("Access-Control-Max-Age", 600)
        }
    }
}

/// The result of routing and authorization: a route, a resource, an account and its rights there. It depends on the head
/// of a request alone, so it holds for every request with the same head, as long as the token is good and the
/// features are the same.
final class CachedAuthorization {
    let route: Route
    let resource: Resource
    let account: Account
    let rights: Rights
    /// The kind of path.
    let path: Int
    /// True if the request reads views, so that its route knows the broadcaster after the first answer.
    let readsViews: Bool
    /// True if the request may have to wait: in a cluster, and if its tags may name versions.
    let mayWait: Bool
    /// The course of a read; nil if it does not follow from the head.
    var plan: ReadPlan?
    /// The number of the router's features.
    let edition: Int

    init(
        _ route: Route, _ resource: Resource, _ account: Account, _ rights: Rights, mayWait: Bool, edition: Int
    ) {
        self.mayWait = mayWait
        self.edition = edition
        self.route = route
        self.resource = resource
        self.account = account
        self.rights = rights
        path = resource.row.number
        readsViews = resource.row.traits.contains(.readsViews)
    }
}
