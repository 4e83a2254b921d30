import HTTP
import Sockets
import StateStore

/// The services that the answers of one loop use.
final class ResponseContext {
    let loop: EventLoop
    let access: AccessControl
    let availability: Availability
    let log: Log
    /// The audit log; nil for none.
    let audit: AuditLog?
    /// True if pages of other origins may read answers.
    let sharesAnswers: Bool
    let metrics: Metrics
    /// The clock by which the tokens of streams and long polls end.
    let tokenClock: TokenClock
    private let store: Store
    /// The spans of requests; nil for none.
    let spans: SpanExporter?
    /// The traces of the last commits.
    let traces: TraceMemory
    /// The reasons of refused and slow requests.
    let reasons: RequestReasons

    init(
        _ executor: LoopExecutor, _ store: Store, _ access: AccessControl, _ availability: Availability,
        _ metrics: Metrics, _ audit: AuditLog?, _ reasons: RequestReasons,
        _ spans: SpanExporter? = nil, _ traces: TraceMemory = TraceMemory()
    ) {
        (self.spans, self.traces) = (spans, traces)
        self.reasons = reasons
        self.audit = audit
        self.store = store
        loop = executor.loop
        tokenClock = TokenClock(executor: executor, now: access.clock)
        self.access = access
        self.availability = availability
        self.metrics = metrics
        log = availability.log
        sharesAnswers = !access.origins.isEmpty
    }

    /// The damage of `common`, because of which no state is served; nil for none.
    var damage: JournalFailure? { store.damage }

    /// Returns true if the input of an action has private parts.
    func hasPrivateInput(_ action: String) -> Bool { store.registry.privateInput(of: action) != .none }

    /// The places of the rules of a view.
    func rules(ofView view: String) -> [String] { store.registry.rules(ofView: ViewKey(view)) }

    /// Logs the rule that refused a request, which the answer does not name.
    func log(_ rule: Problem.RefusingRule, of exchange: Exchange) {
        guard log.level <= .debug else { return }
        let places =
            switch rule {
            case .ofAction(let place): [place]
            case .ofView(let view): rules(ofView: view)
            }
        log.write(
            .debug, "a rule refused",
            [("request", exchange.requestName), ("rule", places.joined(separator: " "))])
    }
}
