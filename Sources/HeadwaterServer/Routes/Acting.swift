import HTTP
import JSON
import Sockets
import StateStore

/// Performing actions.
extension Desk {
    func act(
        _ place: ActionID, in space: SpaceName, _ route: Route, _ request: borrowing Request, _ exchange: Exchange, _ account: Account
    ) {
        guard let rate = mayAct(place.scope == .common ? .admin : .act, exchange, account), hasJSON(request, exchange) else { return }
        let condition = request.field(.ifMatch).map { value in
            EntityTags(value).map { self.condition($0, of: space, isOfViews: !route.views.isEmpty) }
        }
        perform(place, bytes(of: request.body), in: space, route, request, exchange, rate, condition)
    }

    /// Whether somebody may act just now, and how many actions are left where they are counted; if not, they are told why.
    func mayAct(_ needed: Right, _ exchange: Exchange, _ account: Account) -> Rate?? {
        guard account.token.right >= needed else {
            answer(exchange, Problem(.forbidden, "this action needs the right \(needed), and the token has \(account.token.right)"))
            return nil
        }
        return takeAction(exchange, account)
    }

    /// Counts an action, or a try, where those are counted, and says how many are left; if there are none, the client is told so.
    func takeAction(_ exchange: Exchange, _ account: Account) -> Rate?? {
        guard let limit = service.gate.rate else { return .some(nil) }
        guard let left = account.takeAction(rate: limit, now: loop.now) else {
            let problem = Problem(.tooMany, "more than \(limit) actions a second: send fewer, or wait a moment", retryAfter: 1)
            answer(exchange, problem) { Desk.addRateFields(Rate(limit: limit, left: 0), &$0) }
            return nil
        }
        return Rate(limit: limit, left: left)
    }

    /// How many actions a second there may be, and how many are left.
    struct Rate {
        let limit: Int
        let left: Int
    }

    /// Whether a request says that its body is JSON, or has none; if not, it is told so.
    func hasJSON(_ request: borrowing Request, _ exchange: Exchange) -> Bool {
        if request.body.isEmpty || isJSON(request) { return true }
        answer(
            exchange,
            Problem(.notJSONType, "send the body with Content-Type: application/json; curl --json '…' does", allowed: ["application/json"]))
        return false
    }

    typealias Condition = Call.Condition

    /// Performs an action with an input, under the key and the condition that the request names. A condition that is there but cannot be read is
    /// `.some(nil)`.
    func perform(
        _ place: ActionID, _ input: [UInt8]?, in space: SpaceName, _ route: Route, _ request: borrowing Request, _ exchange: Exchange,
        _ rate: Rate?, _ condition: Condition??, views: [String]? = nil
    ) {
        var key: String?
        if request.has(.idempotencyKey) {
            key = request.field(.idempotencyKey)
            guard let key, (1...255).contains(key.utf8.count), key.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
            else { return answer(exchange, Problem(.badRequest, "an Idempotency-Key is 1 to 255 visible ASCII characters")) }
        }
        if case .some(nil) = condition {
            return answer(exchange, Self.unreadableTags)
        }
        let call = Call(place, input: input, key: key, views: views ?? route.views, condition: condition ?? nil)
        let result = store.perform(call, in: space) {
            { [self] result in conclude(result, place, space, route, exchange, rate: rate) }
        }
        if let result { conclude(result, place, space, route, exchange, rate: rate) }
    }

    static let unreadableTags = Problem(.badRequest, "If-Match and If-None-Match hold tags in quotation marks, separated by commas, or *")

    func condition(_ tags: EntityTags, of space: SpaceName, isOfViews: Bool) -> @Sendable (Int, ViewFrames) -> Bool {
        if tags.isAny { return { version, _ in version > 0 } }
        if isOfViews {
            return { [viewTags = delivery.tags] _, news in tags.matches(viewTags.tag(of: news, in: space)) }
        }
        let journal = service.keeper.journal
        return { version, _ in
            let lives = journal.lives
            return tags.tags.contains { SpaceTag($0)?.means(version, of: space, in: lives) ?? false }
        }
    }

    static func addRateFields(_ rate: Rate, _ writer: inout FieldWriter) {
        writer.field("RateLimit-Policy", "\"actions\";q=\(rate.limit);w=1")
        writer.field("RateLimit", "\"actions\";r=\(rate.left);t=1")
    }

    func bytes(of body: Span<UInt8>) -> [UInt8]? {
        guard !body.isEmpty else { return nil }
        return body.withUnsafeBufferPointer { Array($0) }
    }

    private static let json = Array("application/json".utf8)

    private func isJSON(_ request: borrowing Request) -> Bool {
        if request.is(.contentType, Self.json) { return true }
        guard let type = request.field(.contentType)?.utf8.prefix(while: { $0 != UInt8(ascii: ";") && $0 != 0x20 && $0 != 0x09 }) else {
            return false
        }
        return type.elementsEqual(Self.json) { $0 == $1 || (65...90).contains($0) && $0 | 0x20 == $1 }
    }

    func conclude(
        _ result: Result<Answer, Refusal>, _ place: ActionID, _ space: SpaceName, _ route: Route, _ exchange: Exchange,
        rate: Rate?
    ) {
        switch result {
        case .success(let answer):
            let outcome: Metrics.Outcome = answer.isReplay ? .replayed : answer.changed.isEmpty ? .unchanged : .ok
            outcomes(of: place, route).count(outcome)
            if outcome == .ok {
                metrics.commitSeconds.add(Double(MonotonicClock.now - exchange.connection.began) / 1e9)
                service.noteCanWrite()
            }
            send(answer, of: space, route, exchange, rate: rate)
        case .failure(let refusal):
            var outcome = Metrics.Outcome.refused
            if case .journal = refusal { outcome = .failed }
            outcomes(of: place, route).count(outcome)
            refuse(refusal, place, space, route, exchange, rate: rate)
        }
    }

    /// A route of an action counts its outcomes; others, that perform one by the way, have none of their own.
    private func outcomes(of place: ActionID, _ route: Route) -> Metrics.Outcomes {
        if let outcomes = route.outcomes, outcomes.place === place { return outcomes }
        let outcomes = metrics.outcomes(of: place)
        route.outcomes = outcomes
        return outcomes
    }

    private func send(_ answer: Answer, of space: SpaceName, _ route: Route, _ exchange: Exchange, rate: Rate?) {
        exchange.answer(.ok, writing: { Self.write(answer, route, to: &$0) }) { [self] writer in
            writer.fields("Content-Type: application/json\r\nCache-Control: no-store\r\n")
            if route.views.isEmpty {
                changes.writeTag(of: answer.version, &writer)
            } else {
                writer.quoted("ETag", delivery.tags.tag(of: answer.views, in: space))
            }
            if answer.isReplay { writer.field("Idempotency-Replayed", "true") }
            if let rate { Self.addRateFields(rate, &writer) }
            addOriginFields(exchange.connection, &writer)
        }
    }

    private static func write(_ answer: Answer, _ route: Route, to content: inout Outbox) {
        content.append(route.prefix)
        content.append(answer.version)
        content.append(",\"changed\":[")
        for index in answer.changed.indices {
            content.append(index == 0 ? "\"" : ",\"")
            content.append(text: answer.changed[index])
            content.append("\"")
        }
        content.append("]")
        if !route.views.isEmpty {
            content.append(",\"views\":{")
            for (index, entry) in answer.views.enumerated() {
                content.append(index == 0 ? "\"" : ",\"")
                content.append(text: entry.view)
                content.append("\":")
                if case .success(let bytes) = entry.frame.value { content.append(bytes) } else { content.append("null") }
            }
            content.append("}")
        }
        content.append("}")
    }

    /// Says why it was not done; whoever demanded a tag is told the one of now.
    private func refuse(
        _ refusal: Refusal, _ place: ActionID, _ space: SpaceName, _ route: Route, _ exchange: Exchange, rate: Rate?
    ) {
        var problem = Problem(refusal)
        func answer(_ problem: Problem, tag: String? = nil) {
            self.answer(exchange, problem) { writer in
                if let tag { writer.field("ETag", "\"\(tag)\"") }
                if let rate { Self.addRateFields(rate, &writer) }
            }
        }
        switch refusal {
        case .changed(let version):
            guard !route.views.isEmpty else {
                let tag = changes.tag(of: version)
                problem.extra["tag"] = .string(tag)
                return answer(problem, tag: tag)
            }
            store.read(route.views, in: space) { [self] result in
                guard case .success(let reading) = result else { return answer(problem) }
                let tag = delivery.tags.tag(of: reading.views, in: space)
                problem.extra["tag"] = .string(tag)
                answer(problem, tag: tag)
            }
        case .wrongSpace(.common):
            answer(
                Problem(
                    .wrongSpace,
                    "\(place.feature) lives in the space common, once for all: POST /v1/spaces/common/\(place.feature)/\(place.action)",
                    allowed: ["common"]))
        default: answer(problem)
        }
    }
}
