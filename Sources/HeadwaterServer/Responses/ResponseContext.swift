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
    /// The streams and long polls that end if their token is withdrawn or ends.
    let uses: TokenUseList
    private let store: Store

    init(
        _ executor: LoopExecutor, _ store: Store, _ access: AccessControl, _ availability: Availability,
        _ metrics: Metrics, _ audit: AuditLog?
    ) {
        self.audit = audit
        self.store = store
        loop = executor.loop
        uses = TokenUseList(executor.alarms, access.clock)
        self.access = access
        self.availability = availability
        self.metrics = metrics
        log = availability.log
        sharesAnswers = !access.origins.isEmpty
    }

    /// Logs the rule that refused a request, which the answer does not name.
    func log(_ rule: Problem.RefusingRule, of exchange: Exchange) {
        guard log.level <= .debug else { return }
        let places =
            switch rule {
            case .ofAction(let place): [place]
            case .ofView(let view): store.registry.rules(ofView: view)
            }
        log.write(
            .debug, "a rule refused",
            [("request", exchange.requestName), ("rule", places.joined(separator: " "))])
    }
}
