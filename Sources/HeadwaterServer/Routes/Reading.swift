import HTTP
import StateStore

/// Reading views: one piece of code for a look, a wait and a stream.
extension Desk {
    /// The longest that anybody may wait, in seconds.
    static let waitLimit = 60

    /// How somebody reads.
    enum Manner {
        case look
        case wait(Int)
        case stream
    }

    func read(
        _ views: @autoclosure () -> [String], isSingle: Bool, in space: SpaceName, _ route: Route, _ request: borrowing Request,
        _ exchange: Exchange,
        _ account: Account
    ) {
        guard let manner = manner(route, request, exchange) else { return }
        let relay: Relay
        if let known = route.relay {
            relay = known
        } else {
            let views = views()
            if let stranger = views.first(where: { !service.registry.hasView($0, in: space) }) {
                return answer(
                    exchange,
                    Problem(
                        .noSuchView, "there is no view \(stranger) in the space \(space): GET /v1 lists all there are",
                        allowed: service.viewNames(in: space)))
            }
            relay = delivery.relay(for: views, in: space, isSingle: isSingle)
            route.relay = relay
        }
        switch manner {
        case .stream:
            guard admit(exchange, account) else { return }
            relay.stream(exchange, lastTag: request.field(.lastEventID) ?? route["lastEventId"])
        case .look, .wait:
            if case .wait = manner { notePoll(exchange, account) }
            // Who waits for change after change names the tag of now.
            let isFresh = relay.isFresh
            if isFresh, !relay.isGone, route.since == nil, request.is(.ifNoneMatch, relay.quotedTag) {
                return answerUnchanged(relay, manner, exchange)
            }
            // A tag may come with the quotation marks of the ETag that it was.
            let known = route.since.map { Optional(EntityTags(tag: $0)) } ?? request.field(.ifNoneMatch).map { EntityTags($0) }
            if let known, known == nil {
                return answer(exchange, Problem(.badRequest, "If-None-Match holds tags in quotation marks, separated by commas, or *"))
            }
            if isFresh { look(relay, known ?? nil, manner, exchange) } else { lookLater(relay, known ?? nil, manner, exchange) }
        }
    }

    /// Looks as soon as the values are those of now.
    private func lookLater(_ relay: Relay, _ known: EntityTags?, _ manner: Manner, _ exchange: Exchange) {
        relay.whenFresh { [self] refusal in
            guard exchange.isOpen else { return }
            if let refusal { return answer(exchange, Problem(refusal)) }
            look(relay, known, manner, exchange)
        }
    }

    private func look(_ relay: Relay, _ known: EntityTags?, _ manner: Manner, _ exchange: Exchange) {
        if let known, !relay.isGone, known.matches(relay.tag) { return answerUnchanged(relay, manner, exchange) }
        if case .wait(let seconds) = manner { relay.answer(exchange, wait: seconds) } else { relay.answer(exchange, wait: nil) }
    }

    /// Has somebody who knows the values wait for others, or says that there are none.
    private func answerUnchanged(_ relay: Relay, _ manner: Manner, _ exchange: Exchange) {
        guard case .wait(let seconds) = manner else { return delivery.sendUnchanged(exchange, tag: relay.tag, wait: nil) }
        if seconds > 0 { relay.wait(exchange, seconds: seconds) } else { delivery.sendUnchanged(exchange, tag: relay.tag, wait: seconds) }
    }

    /// How a request wants to read; where it cannot, it is told so.
    private func manner(_ route: Route, _ request: borrowing Request, _ exchange: Exchange) -> Manner? {
        if route.wantsEvents { return .stream }
        if request.has(.accept), !request.is(.accept, "*/*"), let value = request.field(.accept) {
            let acceptance = Acceptance(value)
            let json = acceptance.quality(of: "application", "json")
            let events = acceptance.quality(of: "text", "event-stream")
            // Where both are as welcome, it is events for whoever says so by name.
            let isNamed = acceptance.names("text", "event-stream") && !acceptance.names("application", "json")
            if events > 0, isNamed ? events >= json : events > json { return .stream }
            guard json > 0 else {
                answer(
                    exchange,
                    Problem(.notAcceptable, "it can be had as JSON or as events", allowed: ["application/json", "text/event-stream"]))
                return nil
            }
        }
        if let text = route.wait {
            guard !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }) else {
                answer(exchange, Problem(.invalid, "wait is a number of seconds, up to \(Self.waitLimit)"))
                return nil
            }
            return .wait(min(Int(text) ?? Self.waitLimit, Self.waitLimit))
        }
        guard let value = request.field(.prefer), let seconds = Preference.wait(in: value) else { return .look }
        return .wait(min(seconds, Self.waitLimit))
    }

    /// Gives a stream its place among those of its token, if there is one.
    func admit(_ exchange: Exchange, _ account: Account) -> Bool {
        guard !exchange.connection.isDraining else {
            answer(exchange, Problem(.notReady, "the server is shutting down", retryAfter: 1))
            return false
        }
        guard service.gate.isClosed else { return true }
        guard account.openStream(limit: service.gate.streamsLimit) else {
            answer(exchange, Problem(.tooMany, "this token has \(service.gate.streamsLimit) streams open: close one first", retryAfter: 5))
            return false
        }
        exchange.connection.streamAccount = account
        streams[ObjectIdentifier(exchange.connection)] = exchange.connection
        return true
    }

    func noteStreamLeft(_ connection: Connection) {
        metrics.streams -= 1
        giveBackPlace(connection)
    }

    /// Whoever was let in among the streams of a token, and has none any more or never had one, counts no longer.
    func giveBackPlace(_ connection: Connection) {
        guard let account = connection.streamAccount as? Account else { return }
        connection.streamAccount = nil
        account.closeStream()
        streams[ObjectIdentifier(connection)] = nil
    }

    /// Ends the streams and the waits of tokens that are not good any more.
    func endReadingOfWithdrawn() {
        for connection in streams.values where (connection.streamAccount as? Account)?.isWithdrawn ?? false { connection.endStream() }
        for poll in polls.values where poll.account.isWithdrawn { waited(poll.exchange) }
    }

    private func notePoll(_ exchange: Exchange, _ account: Account) {
        if service.gate.isClosed { polls[ObjectIdentifier(exchange.connection)] = (exchange, account) }
    }

    // MARK: Changes

    func readChanges(of space: SpaceName, _ route: Route, _ request: borrowing Request, _ exchange: Exchange, _ account: Account) {
        guard let manner = manner(route, request, exchange) else { return }
        var version = 0
        if let since = route.since {
            guard let number = self.version(since, of: space, exchange) else { return }
            version = number
        }
        switch manner {
        case .stream:
            if let last = request.field(.lastEventID) ?? route["lastEventId"], !last.isEmpty {
                guard let number = self.version(last, of: space, exchange) else { return }
                version = number
                metrics.resumes[0] += 1
            }
            guard admit(exchange, account) else { return }
            changes.stream(exchange, space, after: version)
        case .look, .wait:
            let known = request.field(.ifNoneMatch).map { EntityTags($0) }
            if let known, known == nil {
                return answer(exchange, Problem(.badRequest, "If-None-Match holds tags in quotation marks, separated by commas, or *"))
            }
            guard case .wait(let seconds) = manner else {
                return changes.answer(exchange, space, after: version, tags: known ?? nil, wait: nil)
            }
            notePoll(exchange, account)
            changes.answer(exchange, space, after: version, tags: known ?? nil, wait: seconds, mayWait: true)
        }
    }

    /// The version that a number or a tag means; where it means none that there was, the client is told so.
    private func version(_ text: String, of space: SpaceName, _ exchange: Exchange) -> Int? {
        if !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }), let number = Int(text) { return number }
        guard let tag = SpaceTag(text) else {
            answer(exchange, Problem(.invalid, "since is a version, or the tag of one"))
            return nil
        }
        guard changes.isGood(tag, for: space) else {
            changes.answerGone(exchange, space)
            return nil
        }
        return tag.version
    }
}
