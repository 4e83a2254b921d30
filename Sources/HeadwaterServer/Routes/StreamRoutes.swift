import HTTP
import JSON
import StateStore
import Streams
import Sockets

/// The paths of streams: definitions, runs, tries.
extension Desk {
    static let definitions = "streams.definitions"

    /// Does something with the streams that a space has.
    func withLibrary(of space: SpaceName, _ exchange: Exchange, _ body: @escaping (DefinitionLibrary) -> Void) {
        store.definitions(in: space) { [self] result in
            guard exchange.isOpen else { return }
            switch result {
            case .failure(let refusal): answer(exchange, Problem(refusal))
            case .success(let library): body(library)
            }
        }
    }

    private func noStream(_ id: String, in space: SpaceName) -> Problem {
        Problem(.noSuchStream, "there is no stream \(id) in the space \(space): GET /v1/spaces/\(space)/streams lists all there are")
    }

    // MARK: Definitions

    /// Answers with one definition, as it was given.
    func readStream(_ id: String, in space: SpaceName, _ request: borrowing Request, _ exchange: Exchange) {
        let known = request.field(.ifNoneMatch).flatMap { EntityTags($0) }
        withLibrary(of: space, exchange) { [self] library in
            guard let document = library[id] else { return answer(exchange, noStream(id, in: space)) }
            let content = document.written
            let tag = delivery.tags.tag(of: content, in: space)
            if known?.matches(tag) ?? false { return delivery.sendUnchanged(exchange, tag: tag, wait: nil) }
            exchange.answer(.ok, "application/json", content) { [self] writer in
                writer.quoted("ETag", tag)
                writer.field("Cache-Control", "no-cache")
                addOriginFields(exchange.connection, &writer)
            }
        }
    }

    /// Puts a definition, whose id the path says, in the place of the one that is there.
    func putStream(
        _ id: String, in space: SpaceName, _ route: Route, _ request: borrowing Request, _ exchange: Exchange, _ account: Account
    ) {
        guard let rate = mayAct(.act, exchange, account), hasJSON(request, exchange) else { return }
        guard let place = service.registry.action(feature: "streams", name: "put") else { return }
        var document: JSON
        do {
            document = try JSON(parsing: bytes(of: request.body) ?? [])
        } catch {
            return answer(exchange, Problem(Rejection(error)))
        }
        if case .object(var object) = document {
            if let own = object["id"], own != .string(id) {
                return answer(
                    exchange, Problem(.invalid, "the id must be that of the path, \"\(id)\", or be left out", at: "/id", allowed: [id]))
            }
            object["id"] = .string(id)
            document = .object(object)
        }
        perform(
            place, document.written, in: space, route, request, exchange, rate, condition(of: request, id, space),
            views: isConditional(request) ? [Self.definitions] : [], tree: document)
    }

    /// Removes a definition.
    func removeStream(
        _ id: String, in space: SpaceName, _ route: Route, _ request: borrowing Request, _ exchange: Exchange, _ account: Account
    ) {
        guard let rate = mayAct(.act, exchange, account), let place = service.registry.action(feature: "streams", name: "remove") else {
            return
        }
        let input: JSON = ["id": .string(id)]
        let condition = condition(of: request, id, space)
        if case .some(nil) = condition {
            return answer(exchange, Self.unreadableTags)
        }
        let call = Call(
            place, input: input.written, views: isConditional(request) ? [Self.definitions] : [], condition: condition ?? nil)
        withLibrary(of: space, exchange) { [self] library in
            guard library[id] != nil else { return answer(exchange, noStream(id, in: space)) }
            store.perform(call, in: space) { [self] result in conclude(result, place, space, route, exchange, rate: rate) }
        }
    }

    private func isConditional(_ request: borrowing Request) -> Bool { request.has(.ifMatch) || request.has(.ifNoneMatch) }

    /// What If-Match and If-None-Match demand of a definition: that it is still the one that has the tag, or the space still at the version that has it;
    /// that it is none that has the tag, or that there is none.
    private func condition(of request: borrowing Request, _ id: String, _ space: SpaceName) -> Condition?? {
        guard isConditional(request) else { return nil }
        let wanted = request.field(.ifMatch).map { EntityTags($0) }
        let unwanted = request.field(.ifNoneMatch).map { EntityTags($0) }
        if case .some(nil) = wanted { return .some(nil) }
        if case .some(nil) = unwanted { return .some(nil) }
        let isOfSpace = wanted?.map { condition($0, of: space, isOfViews: false) }
        return { [viewTags = delivery.tags] version, news in
            // Definitions that cannot be read are none that has the tag.
            guard case .success(let bytes)? = news.first?.frame.value, let library = try? DefinitionLibrary(parsing: bytes) else {
                return false
            }
            guard let document = library[id] else { return wanted == nil }
            let tag = viewTags.tag(of: document.written, in: space)
            if let unwanted = unwanted ?? nil, unwanted.matches(tag) { return false }
            guard let wanted = wanted ?? nil, let isOfSpace else { return true }
            return wanted.matches(tag) || isOfSpace(version, news)
        }
    }

    // MARK: Runs

    /// Runs a stream for one who listens.
    func runStream(
        _ id: String, in space: SpaceName, _ route: Route, _ request: borrowing Request, _ exchange: Exchange, _ account: Account
    ) {
        if let value = request.field(.accept), Acceptance(value).quality(of: "text", "event-stream") == 0 {
            return answer(exchange, Problem(.notAcceptable, "a run can be had as events", allowed: ["text/event-stream"]))
        }
        if (request.field(.lastEventID) ?? route["lastEventId"]) == StreamReader.endTag {
            // A browser would come back and play it once more: it is told not to.
            return exchange.answer(Status(204), nil, []) { [self] in addOriginFields(exchange.connection, &$0) }
        }
        let isShared = route["shared"].map { $0 != "false" && $0 != "0" } ?? false
        guard admit(exchange, account) else { return }
        withLibrary(of: space, exchange) { [self] library in
            do throws(DefinitionFaults) {
                guard let program = try library.program(id) else { return answer(exchange, noStream(id, in: space)) }
                run(program, isShared ? "\(space)/\(id)" : nil, in: space, exchange)
            } catch {
                answer(exchange, Problem(Rejection(error)))
            }
        }
    }

    private func run(_ program: StreamProgram, _ sharedKey: String?, in space: SpaceName, _ exchange: Exchange) {
        guard exchange.isOpen else { return }
        let reader = StreamReader(delivery, exchange.connection)
        metrics.streams += 1
        exchange.stream(reader, "text/event-stream") { [self] writer in
            writer.field("Cache-Control", "no-store")
            writer.field("X-Accel-Buffering", "no")
            addOriginFields(exchange.connection, &writer)
        }
        let sources = ExternalSources(store, space, for: program)
        if let sharedKey {
            reader.hold(sharedRuns.join(sharedKey, program, on: home.scheduler, sources: sources) { [weak reader] in reader?.hear($0) })
        } else {
            reader.hold(StreamRun(program, on: home.scheduler, sources: sources) { [weak reader] in reader?.hear($0) })
        }
    }
}
