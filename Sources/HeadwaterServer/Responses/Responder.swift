import Ground
import Platform
import HTTP
import JSON
import Sockets
import StateStore

/// The answering side of one request: its exchange, its kind of path, its account, its origin and its rate.
///
/// Each answer of the server goes through one of its methods, which count it and add the fields that the origin and the
/// rate need. A responder is a value, so a request costs no allocation for it. Like an exchange it answers once: after
/// that, or if the connection has closed, it does nothing.
struct Responder {
    let exchange: Exchange
    /// The rights of the account in the space of the request, or in any space if the request has none.
    private(set) var rights: Rights
    // The context lives as long as its loop, and so longer than every request.
    unowned(unsafe) let context: ResponseContext
    /// The kind of path, as an index of `MetricCounts.paths`.
    let path: Int
    /// The account whose token the request has.
    private(set) var account: Account
    /// The rare parts of the request. Most requests have none, and a responder is copied often.
    private var extras: Extras?
    /// The space and the name in the path of the request; nil for a path that is none.
    private let subject: RequestSubject?

    /// The parts of a request that are rare.
    private struct RareParts {
        var origin: String?
        var rate: Rate?
        /// The space of the request, if there is an audit log.
        var space: SpaceName?
        /// The mark of the stream that the request asks for with a ticket.
        var continuation: StreamContinuation?
        /// The time at which the action of the request began.
        var performed: Int64?
    }

    /// Rare parts in one reference.
    private final class Extras {
        let parts: RareParts

        init(_ parts: RareParts) {
            self.parts = parts
        }
    }

    /// The origin of the page that sent the request, if it is another one than the server's own and allowed.
    var origin: String? { extras?.parts.origin }
    /// The actions that are left to the account, if the request has taken one and the rate is limited.
    var rate: Rate? { extras?.parts.rate }

    init(
        _ exchange: Exchange, _ context: ResponseContext, path: Int, _ account: Account, _ rights: Rights,
        origin: String? = nil, _ subject: RequestSubject? = nil
    ) {
        self.subject = subject
        self.exchange = exchange
        self.context = context
        self.path = path
        self.account = account
        self.rights = rights
        extras = origin.map { Extras(RareParts(origin: $0)) }
    }

    /// Returns the responder with other rare parts.
    private func with(_ change: (inout RareParts) -> Void) -> Responder {
        var parts = extras?.parts ?? RareParts()
        change(&parts)
        var responder = self
        responder.extras = Extras(parts)
        return responder
    }

    /// Returns true if the request waits for its answer.
    var isOpen: Bool { exchange.isOpen }

    // MARK: Permission

    /// Returns the responder of an account with rights.
    func admitted(_ account: Account, _ rights: Rights) -> Responder {
        var responder = self
        (responder.account, responder.rights) = (account, rights)
        return responder
    }

    /// Returns the permit of the account for the commits of a space; or answers why it has none, and returns nil.
    func commitPermit(in space: SpaceName) -> CommitPermit? {
        do throws(Refusal) {
            return try CommitPermit.issue(in: space, to: account.reader)
        } catch {
            answer(Problem(error))
            return nil
        }
    }

    /// Returns true if the account has a right; else answers 403.
    func hasRight(_ right: Rights, for subject: String) -> Bool {
        if rights.contains(right) { return true }
        refuseRight("\(subject) needs the right \(right), and the token has \(rights)")
        return false
    }

    /// Answers 403, and 401 to a caller without a token, whom a token could help.
    func refuseRight(_ detail: ProblemText) {
        var problem = Problem(.forbidden, detail)
        problem.isOfRights = true
        guard account.kind == .anonymous else { return answer(problem) }
        problem = Problem(.unauthorized, "callers without a token may not do this: send a token")
        problem.isOfRights = true
        answer(problem) { writer in
            writer.field("WWW-Authenticate", "Bearer realm=\"headwater\"")
        }
    }

    /// Takes one action of the subject's rate, with a body of so many bytes. Returns the responder that says how many
    /// are left, or answers 429 and returns nil.
    func takingAction(_ count: Int = 1, bytes: Int = 0) -> Responder? {
        let limits = context.access.limits
        if context.access.isClosed { account.use.countAction(count) }
        if limits.byteRate == nil, limits.rate == nil, limits.minuteRate == nil { return self }
        let now = context.loop.now
        if let limit = limits.byteRate, bytes > 0, account.use.takeBytes(bytes, rate: limit, now: now) == nil {
            refuse(
                beyond: Rate(kind: .bytes, limit: limit, left: 0),
                "more than \(limit) bytes of bodies a second: send fewer, or wait a moment", retryAfter: 1)
            return nil
        }
        var rate: Rate?
        if let limit = limits.minuteRate {
            guard let left = account.use.takeMinuteActions(count, rate: limit, now: now) else {
                refuse(
                    beyond: Rate(kind: .minute, limit: limit, left: 0),
                    "more than \(limit) actions a minute (--quota-actions): send fewer, or wait",
                    retryAfter: max(1, (60 + limit - 1) / limit))
                return nil
            }
            rate = Rate(kind: .minute, limit: limit, left: left)
        }
        guard let limit = limits.rate else { return with { $0.rate = rate } }
        guard let left = account.use.takeActions(count, rate: limit, now: now) else {
            refuse(
                beyond: Rate(kind: .actions, limit: limit, left: 0),
                "more than \(limit) actions a second: send fewer, or wait a moment", retryAfter: 1)
            return nil
        }
        return with { $0.rate = Rate(kind: .actions, limit: limit, left: left) }
    }

    /// Answers 429 with the limit that the subject has reached, and counts it.
    func refuse(beyond rate: Rate, _ detail: ProblemText, retryAfter seconds: Int) {
        context.metrics.countLimited(rate.kind, account.kind)
        with { $0.rate = rate }.answer(Problem(.tooMany, detail, retryAfter: seconds))
    }

    /// Returns the responder of a stream whose ids have a mark, or this one without a mark.
    func marking(_ continuation: StreamContinuation?) -> Responder {
        continuation == nil ? self : with { $0.continuation = continuation }
    }

    // MARK: Reasons

    /// Returns the responder of an action that began at a time.
    func performing(from time: Int64?) -> Responder { with { $0.performed = time } }

    /// Keeps the reason of a problem for administrators. Strangers cannot push out the reasons of others.
    private func noteReason(of problem: Problem) {
        guard isOpen, let subject else { return }
        var reason = reason(problem.kind.status, subject)
        reason.problem = problem.kind
        // A key in an input with private parts may be private.
        if reason.name.map({ !context.hasPrivateInput($0) }) ?? true { reason.pointer = problem.pointer?.excerpt }
        reason.cause = problem.cause
        if case .ofView(let view)? = problem.rule { reason.rules = context.rules(ofView: view) }
        if problem.isOfRights { reason.detail = problem.detail }
        context.reasons.note(reason, ofStranger: rights.isEmpty)
    }

    /// Keeps the times of a slow request for administrators.
    func noteIfSlow(performed: Int64? = nil, isRead: Bool = false, used: (steps: Int, rows: Int) = (0, 0)) {
        let nanoseconds = MonotonicTime.now - exchange.began
        guard nanoseconds >= RequestReasons.slowNanoseconds, isOpen, let subject else { return }
        var reason = reason(200, subject)
        // Views that another request also waited for may have been begun before.
        reason.before = performed.map { max(0, $0 - exchange.began) }
        reason.isRead = isRead
        if used.steps > 0 { reason.used = used }
        context.reasons.note(reason)
    }

    private func reason(_ status: Int, _ subject: RequestSubject) -> RequestReasons.RequestReason {
        RequestReasons.RequestReason(
            request: exchange.requestName, at: context.access.clock(), path: context.metrics.paths[path],
            name: subject.name,
            space: subject.space, subject: account.subject, status: status,
            nanoseconds: MonotonicTime.now - exchange.began,
            before: extras?.parts.performed.map { $0 - exchange.began })
    }

    // MARK: Audit

    /// Returns the responder that tells the audit log the space of the request, if there is an audit log.
    func audited(_ space: @autoclosure () -> SpaceName?) -> Responder {
        guard context.audit != nil else { return self }
        return with { $0.space = space() }
    }

    /// Returns an event of this request for the audit log.
    func event(_ kind: AuditEvent.Kind) -> AuditEvent {
        AuditEvent(
            kind: kind, at: context.access.clock(), by: account.subject, account: account.kind,
            request: exchange.requestName, space: extras?.parts.space)
    }

    private func audit(_ problem: Problem) {
        switch problem.status.code {
        case 401, 403, 421, 429:
            guard isOpen else { return }
            account.use.countRefusal()
            guard let audit = context.audit else { return }
            var event = event(.refusal)
            event.path = context.metrics.paths[path]
            event.problem = (problem.kind.name, problem.kind.status)
            audit.write(event)
        default: break
        }
    }

    /// The caller of the request, for work on the thread of the past about a space.
    func asker(_ space: SpaceName?) -> PastAsker { PastAsker(account.subject, space, exchange.departure) }

    /// Takes a place among the streams of the account; or answers why there is none, and returns nil.
    func takeStream() -> StreamPlace? {
        guard !exchange.isDraining else {
            answer(Problem(.notReady, "the server is shutting down", retryAfter: 1))
            return nil
        }
        let access = context.access
        guard access.isClosed else { return StreamPlace(of: account, path: path, isCounted: false) }
        let limit = access.limits.streams
        guard account.use.openStream(limit: limit) else {
            refuse(
                beyond: Rate(kind: .streams, limit: limit, left: 0),
                "this subject has \(limit) streams open: close one first", retryAfter: 5)
            return nil
        }
        return StreamPlace(of: account, path: path, isCounted: true)
    }

    // MARK: Answers

    /// Answers with a problem.
    func answer(_ problem: Problem, _ fields: (inout FieldWriter) -> Void = { _ in }) {
        if isOpen { context.metrics.countRefusal(problem.kind) }
        if problem.kind == .cannotWrite || problem.kind == .outcomeUnknown, let reason = problem.reason {
            context.availability.noteCannotWrite(reason)
        }
        if problem.kind == .unreadable || problem.kind == .damaged, let reason = problem.reason {
            let values = [("reason", reason)]
            context.log.write(RepeatedRefusals.Kind(.error, "the stored data cannot be read", values), values)
        }
        if let rule = problem.rule { context.log(rule, of: exchange) }
        audit(problem)
        noteReason(of: problem)
        answer(problem.status, "application/problem+json", problem.bytes) { writer in
            fields(&writer)
            if let seconds = problem.retryAfter { writer.field("Retry-After", seconds) }
            writer.field("Cache-Control", "no-store")
        }
    }

    /// Answers with a problem of a cluster, which says nothing of this node's disk.
    func answer(unknown problem: Problem, _ fields: (inout FieldWriter) -> Void) {
        answer(problem.status, "application/problem+json", problem.bytes) { writer in
            fields(&writer)
            if let seconds = problem.retryAfter { writer.field("Retry-After", seconds) }
            writer.field("Cache-Control", "no-store")
        }
    }

    /// Answers with what another node has answered. Its fields have their line ends.
    func answer(forwarded status: Status, _ fields: [UInt8], _ body: [UInt8]) {
        guard isOpen else { return }
        count(status)
        exchange.answer(status, prepared: fields, Rope(body)) { finish(&$0) }
    }

    /// Answers with content, and with fields of its own.
    func answer(_ status: Status, _ type: StaticString?, _ content: [UInt8], _ fields: (inout FieldWriter) -> Void) {
        guard isOpen else { return }
        count(status)
        exchange.answer(status, type, content) { writer in
            fields(&writer)
            finish(&writer)
        }
    }

    /// Answers with content that many answers share, and with fields of its own.
    func answer(
        _ type: StaticString, _ content: SharedContent, takesBrotli: Bool = false, _ fields: (inout FieldWriter) -> Void
    ) {
        guard isOpen else { return }
        count(.ok)
        exchange.answer(.ok, type, content, takesBrotli: takesBrotli) { writer in
            fields(&writer)
            finish(&writer)
        }
    }

    /// Answers with content in parts, and with fields of its own.
    func answer(_ type: StaticString, _ parts: [[UInt8]], _ fields: (inout FieldWriter) -> Void) {
        guard isOpen else { return }
        count(.ok)
        exchange.answer(.ok, type, Rope(parts)) { writer in
            fields(&writer)
            finish(&writer)
        }
    }

    /// Answers with content that is true only now.
    func answer(now type: StaticString, _ content: [UInt8]) {
        answer(.ok, type, content) { $0.field("Cache-Control", "no-store") }
    }

    /// Answers with JSON that is true only now.
    func answer(now content: JSON) {
        answer(now: "application/json", content.written)
    }

    /// Answers with JSON that a client may keep under a tag.
    func answer(_ content: [UInt8], tag: String) {
        answer(.ok, "application/json", content) { writer in
            writer.quoted("ETag", tag)
            writer.field("Cache-Control", "no-cache")
        }
    }

    /// Answers 304; `wait` is the number of seconds that the request could have waited.
    func answerUnchanged(tag: String, wait: Int? = nil) {
        answerUnchanged(wait: wait) { $0.quoted("ETag", tag) }
    }

    /// Answers 304 with the tag that `tag` writes.
    func answerUnchanged(wait: Int?, _ tag: (inout FieldWriter) -> Void) {
        answer(Status(304), nil, []) { writer in
            tag(&writer)
            writer.field("Cache-Control", "no-cache")
            writer.field("Vary", "Accept, Accept-Encoding, A-IM")
            if let wait { Self.addWait(wait, &writer) }
        }
    }

    /// Answers 204.
    func answerNothing(_ fields: (inout FieldWriter) -> Void = { _ in }) {
        answer(Status(204), nil, [], fields)
    }

    /// Answers with fields and content that were written for all readers, and the tag that `tag` writes; `wait` is the
    /// number of seconds that the request could have waited, `computed` the time at which its views were computed last.
    @inline(__always)
    func answer(
        prepared fields: [UInt8], _ content: Rope, wait: Int?, computed: Int64, _ tag: (inout FieldWriter) -> Void
    ) {
        guard isOpen else { return }
        if wait == nil { noteIfSlow(performed: computed, isRead: true) }
        count(.ok)
        // Most answers need no more fields, and so no closure with the responder in it.
        if wait == nil, extras == nil, !context.sharesAnswers {
            return exchange.answer(.ok, prepared: fields, content, tag)
        }
        exchange.answer(.ok, prepared: fields, content) { writer in
            tag(&writer)
            if let wait { Self.addWait(wait, &writer) }
            finish(&writer)
        }
    }

    /// Answers with the patch from the values of a tag, which is written as the client sent it (RFC 3229); `wait` is the
    /// number of seconds that the request could have waited.
    func answer(_ patch: [UInt8], from base: String, wait: Int?, _ tag: (inout FieldWriter) -> Void) {
        answer(.instanceManipulationUsed, "application/json", patch) { writer in
            tag(&writer)
            writer.field("IM", "json-patch")
            writer.field("Delta-Base", base)
            writer.field("Cache-Control", "no-store")
            writer.field("Vary", "Accept, Accept-Encoding, A-IM")
            if let wait { Self.addWait(wait, &writer) }
        }
    }

    /// Answers with content that `write` appends. The fields say its type.
    func answer(writing write: (inout Outbox) -> Void, _ fields: (inout FieldWriter) -> Void) {
        guard isOpen else { return }
        count(.ok)
        exchange.answer(.ok, writing: write) { writer in
            fields(&writer)
            finish(&writer)
        }
    }

    /// Answers with a stream. Its end is the call `source.left()`, which has to count it out of `metrics.streams`.
    func stream(
        _ source: any Subscriber & StreamSource, _ type: StaticString = "text/event-stream", isNegotiated: Bool
    ) {
        guard isOpen else { return }
        count(.ok, isStream: true)
        context.metrics.streams += 1
        let continuation = extras?.parts.continuation
        exchange.stream(
            source, type, opening: continuation?.opening ?? [], mark: continuation?.mark
        ) { writer in
            writer.field("Cache-Control", "no-store")
            writer.field("X-Accel-Buffering", "no")
            writer.field("Vary", isNegotiated ? "Accept, Accept-Encoding, A-IM" : "Accept-Encoding")
            finish(&writer)
        }
        if context.access.isClosed { source.begin(context.tokenClock) }
    }

    /// Lets the request wait. Under a token it ends with that.
    func wait(_ waiter: any Subscriber & Waiter, seconds: Int) {
        guard isOpen else { return }
        exchange.wait(waiter, seconds: seconds)
        if context.access.isClosed { waiter.begin(context.tokenClock) }
    }

    // MARK: Every answer

    /// The fields that every answer has: no page of another origin may load it as a script or a picture, or guess its
    /// type.
    static let commonFields = "Cross-Origin-Resource-Policy: same-origin\r\nX-Content-Type-Options: nosniff\r\n"

    private static let waitStart = Array("Preference-Applied: wait=".utf8)

    static func addWait(_ seconds: Int, _ writer: inout FieldWriter) {
        writer.field(begunAs: waitStart, seconds, "\r\n")
    }

    /// Adds the fields that follow from the request: its rate and its origin.
    @inline(__always)
    private func finish(_ writer: inout FieldWriter) {
        if let rate { rate.write(to: &writer) }
        if context.sharesAnswers { addOrigin(&writer) }
    }

    private func addOrigin(_ writer: inout FieldWriter) {
        writer.field("Vary", "Origin")
        guard let origin else { return }
        writer.field("Access-Control-Allow-Origin", origin)
        writer.field(
            "Access-Control-Expose-Headers",
            "Date, ETag, Content-Location, Delta-Base, IM, Idempotency-Replayed, Mcp-Session-Id, Memento-Datetime, Preference-Applied, Retry-After, X-Request-Id, Allow, Link, RateLimit, RateLimit-Policy, "
                + "WWW-Authenticate")
    }

    /// Counts the answer before it is written: writing it may begin the next request of the connection.
    @inline(__always)
    private func count(_ status: Status, isStream: Bool = false) {
        let seconds = Double(MonotonicTime.now - exchange.began) / 1e9
        context.metrics.countRequest(path, status.code, seconds: isStream ? nil : seconds)
        if let spans = context.spans, let trace = exchange.trace {
            spans.note(
                trace, "\(exchange.method)".uppercased(), route: context.metrics.paths[path], status: status.code,
                nanoseconds: Int64(seconds * 1e9), request: exchange.requestName)
        }
        // A quota is no fault of the server.
        let isFault = status.code >= 500 && status.code != ProblemType.spaceTooLarge.status
        if isFault || context.log.level <= .debug { log(status, seconds) }
    }

    private func log(_ status: Status, _ seconds: Double) {
        let (route, code) = (context.metrics.paths[path], "\(status.code)")
        let values = [
            ("request", exchange.requestName), ("route", route), ("status", code),
            ("milliseconds", "\((seconds * 1e5).rounded() / 100)"),
        ]
        guard status.code >= 500 else { return context.log.write(.debug, "answered", values) }
        context.log.write(RepeatedRefusals.Kind(.warning, "answered", [("route", route), ("status", code)]), values)
    }
}
