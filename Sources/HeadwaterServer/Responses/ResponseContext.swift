import Sockets

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

    init(
        _ executor: LoopExecutor, _ access: AccessControl, _ availability: Availability, _ metrics: Metrics,
        _ audit: AuditLog?
    ) {
        self.audit = audit
        loop = executor.loop
        uses = TokenUseList(executor.alarms, access.clock)
        self.access = access
        self.availability = availability
        self.metrics = metrics
        log = availability.log
        sharesAnswers = !access.origins.isEmpty
    }
}
