import Sockets

/// The services that the answers of one loop use.
final class ResponseContext {
    let loop: EventLoop
    let access: AccessControl
    let availability: Availability
    let log: Log
    /// True if pages of other origins may read answers.
    let sharesAnswers: Bool
    let metrics: Metrics
    /// The streams and long polls that end if their token is withdrawn.
    let uses = TokenUseList()

    init(_ loop: EventLoop, _ access: AccessControl, _ availability: Availability, _ metrics: Metrics) {
        self.loop = loop
        self.access = access
        self.availability = availability
        self.metrics = metrics
        log = availability.log
        sharesAnswers = !access.origins.isEmpty
    }
}
