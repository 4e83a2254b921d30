import Ground
import HTTP
import JSON
import Sockets
import StateStore

/// The handler of `/mcp`: the Model Context Protocol over streamable HTTP. Each call of a tool and each read of a resource
/// is a request to this server, with the token of the agent, so that rights, limits and the audit log are those of HTTP.
final class AgentHandler {
    /// The greatest number of requests under way for the agents of a loop.
    private static let underWayLimit = 256
    /// The greatest size of an answer.
    private static let answerBytesLimit = 8 << 20

    private let context: ResponseContext
    private let store: Store
    private let delivery: Delivery
    private let sessions: AgentSessions
    private let executor: LoopExecutor
    /// Serves a request of this process. The server of the loop sets it.
    var serve: (RequestInProcess) -> Void = { $0.close() }
    private var underWay = 0
    /// The open streams.
    private var streams: [ObjectIdentifier: AgentStream] = [:]

    init(
        _ context: ResponseContext, _ store: Store, _ delivery: Delivery, _ sessions: AgentSessions,
        _ executor: LoopExecutor
    ) {
        (self.context, self.store, self.delivery) = (context, store, delivery)
        (self.sessions, self.executor) = (sessions, executor)
    }

    /// A request of an agent, with what its own requests need.
    private struct Asked {
        let responder: Responder
        let space: SpaceName
        /// The fields of the agent's own requests, each with its line end.
        let fields: String
        /// The address of a caller without a token, to which its limits belong.
        let clientAddress: String?
        /// The caller, for whom sessions are kept.
        let owner: String
        let session: String?

        func answer(_ bytes: [UInt8], status: Int = 200, session: String? = nil) {
            responder.answer(Status(status), "application/json", bytes) { writer in
                writer.field("Cache-Control", "no-store")
                if let session { writer.field("Mcp-Session-Id", session) }
            }
        }

        func answer(_ fault: AgentFault, isModern: Bool) {
            answer(fault.bytes, status: fault.status(isModern: isModern))
        }
    }

    /// Answers a message, or a request for the stream of a session.
    func handle(_ request: borrowing Request, _ route: Route, _ responder: Responder) {
        guard let asked = asked(request, route, responder) else { return }
        switch request.method {
        case .post:
            guard ActionBody.isJSON(request, responder) else { return }
            let fields = AgentMessage.RoutingFields(request)
            let message: AgentMessage?
            do throws(AgentFault) {
                message = try AgentMessage.read(request.content ?? [], fields)
            } catch {
                return asked.answer(error, isModern: true)
            }
            guard let message, message.id != nil else { return responder.answer(Status(202), nil, []) { _ in } }
            do throws(AgentFault) {
                try answer(message, asked)
            } catch {
                asked.answer(error, isModern: message.isModern)
            }
        case .delete:
            guard let session = session(asked) else { return }
            _ = sessions.close(session, of: asked.owner)
            responder.answerNothing()
        case .head: if session(asked) != nil { responder.answer(now: "text/event-stream", []) }
        default:
            guard let session = session(asked) else { return }
            listen(in: session, asked)
        }
    }

    private func asked(_ request: borrowing Request, _ route: Route, _ responder: Responder) -> Asked? {
        guard let space = route["space"].map({ SpaceName($0) }) ?? SpaceName("main") else {
            responder.answer(Problem(.invalid, "the parameter space is no name of a space"))
            return nil
        }
        let account = responder.account
        let token = request.field(.authorization) ?? route["access_token"].map { "Bearer \($0)" }
        var fields = "Host: \(request.authority ?? "localhost")\r\nX-Request-Id: \(responder.exchange.requestName)\r\n"
        if let token { fields += "Authorization: \(token)\r\n" }
        if let addresses = request.field(.forwardedFor) { fields += "X-Forwarded-For: \(addresses)\r\n" }
        if let trace = responder.exchange.trace { fields += "Traceparent: \(trace.text)\r\n" }
        if let state = request.field(.traceState) { fields += "Tracestate: \(state)\r\n" }
        return Asked(
            responder: responder, space: space, fields: fields,
            clientAddress: account.kind == .anonymous ? responder.exchange.peerAddress : nil,
            owner: "\(account.kind)\(account.keySuffix)", session: request.field(.agentSession))
    }

    /// Returns the session of a request; or answers why there is none, and returns nil.
    private func session(_ asked: Asked) -> String? {
        guard let session = asked.session else {
            asked.responder.answer(
                Problem(.badRequest, "this belongs to a session: send its Mcp-Session-Id, or POST a message"))
            return nil
        }
        guard sessions.uris(of: session, asked.owner) != nil else {
            asked.responder.answer(Problem(.noSuchSession, "there is no such session: begin with initialize"))
            return nil
        }
        return session
    }

    // MARK: Messages

    private static let capabilities: JSON = [
        "tools": ["listChanged": true], "resources": ["subscribe": true, "listChanged": true],
    ]
    private static let server: JSON = [
        "name": "headwater", "title": "Headwater", "version": .string(Version.text),
    ]
    private static let instructions: JSON = """
        Tools named feature_action change the state of a space; resources are its views. A refusal is a problem with a \
        detail and a pointer, and changes nothing. Try a change with rehearse: true before you perform it. headwater_why \
        and headwater_explain say where a value or a refusal comes from.
        """

    private func answer(_ message: AgentMessage, _ asked: Asked) throws(AgentFault) {
        let catalog = AgentCatalog(store.registry, asked.responder.account.token.permissions.anywhere, asked.space)
        switch (message.method, message.isModern) {
        case ("server/discover", _):
            var result = JSON.Object()
            result["supportedVersions"] = .array(AgentMessage.versions.map { .string($0) })
            result["capabilities"] = Self.capabilities
            result["instructions"] = Self.instructions
            result["_meta"] = ["io.modelcontextprotocol/serverInfo": Self.server]
            asked.answer(message.answer(cacheable: result))
        case ("initialize", false): initialize(message, asked)
        case ("ping", false): asked.answer(message.answer(JSON.Object()))
        case ("tools/list", _):
            let (tools, next) = catalog.tools(from: try message.cursor)
            list(tools, as: "tools", next, message, asked)
        case ("resources/list", _):
            let (resources, next) = catalog.resources(from: try message.cursor)
            list(resources, as: "resources", next, message, asked)
        case ("resources/templates/list", _):
            let (templates, next) = catalog.templates(from: try message.cursor)
            list(templates, as: "resourceTemplates", next, message, asked)
        case ("tools/call", _): try call(message, catalog, asked)
        case ("resources/read", _): try read(message, asked)
        case ("subscriptions/listen", true): try listen(message, asked)
        case ("resources/subscribe", false), ("resources/unsubscribe", false): try subscribe(message, asked)
        default:
            throw AgentFault(.methodNotFound, "there is no method \(message.method.excerpt)", id: message.id)
        }
    }

    private func initialize(_ message: AgentMessage, _ asked: Asked) {
        var version = AgentMessage.handshakeVersions[0]
        if case .string(let wanted)? = message.params["protocolVersion"],
            AgentMessage.handshakeVersions.contains(wanted)
        {
            version = wanted
        }
        var result = JSON.Object()
        result["protocolVersion"] = .string(version)
        result["capabilities"] = Self.capabilities
        result["serverInfo"] = Self.server
        result["instructions"] = Self.instructions
        asked.answer(message.answer(result), session: sessions.open(for: asked.owner))
    }

    private func list(_ elements: [JSON], as name: String, _ next: Int?, _ message: AgentMessage, _ asked: Asked) {
        var result = JSON.Object()
        result[name] = .array(elements)
        if let next { result["nextCursor"] = .string("\(next)") }
        asked.answer(message.answer(cacheable: result))
    }

    // MARK: Requests to this server

    /// Sends a request to this server, and calls `then` with its answer.
    private func send(
        _ request: [UInt8], _ asked: Asked, _ then: @escaping (ForwardedAnswer) -> Void
    ) {
        guard underWay < Self.underWayLimit else {
            return asked.responder.answer(
                Problem(.busy, "too many calls of agents are under way. Nothing was changed: try again", retryAfter: 1))
        }
        underWay += 1
        let owned = Confined((handler: self, then: then, responder: asked.responder))
        serve(
            .answered(request, clientAddress: asked.clientAddress, limit: Self.answerBytesLimit) { [executor] bytes in
                executor.post {
                    let (handler, then, responder) = owned.value
                    handler.underWay -= 1
                    guard let answer = ForwardedAnswer(bytes) else {
                        return responder.answer(
                            Problem(.outcomeUnknown, "the answer to the call was lost: repeat it with the same key"))
                    }
                    then(answer)
                }
            })
    }

    private func call(_ message: AgentMessage, _ catalog: AgentCatalog, _ asked: Asked) throws(AgentFault) {
        let name = try message.text("name")
        let members: JSON.Object
        switch message.params["arguments"] {
        case nil, .null?: members = JSON.Object()
        case .object(let given)?: members = given
        default: throw AgentFault(.invalidParams, "params.arguments is an object", id: message.id)
        }
        let arguments = AgentArguments(members: members, defaultSpace: asked.space, id: message.id)
        let call: AgentCall
        if let tool = AgentTool.named(name) {
            try arguments.check(tool.arguments)
            call = try tool.call(arguments)
        } else if let action = catalog.action(name) {
            call = try AgentCall(action, arguments)
        } else {
            throw AgentFault(
                .invalidParams, "there is no tool \(name.excerpt): tools/list has all", id: message.id)
        }
        send(try call.bytes(asked.fields), asked) { answer in
            asked.answer(message.answer(Self.result(of: call, answer)))
        }
    }

    /// Returns the result of a tool: the answer of its request, or the problem.
    private static func result(of call: AgentCall, _ answer: ForwardedAnswer) -> JSON.Object {
        let isError = answer.status >= 400
        let text = String(decoding: answer.body, as: UTF8.self)
        var result = JSON.Object()
        let content = answer.body.isEmpty ? [:] : try? JSON(parsing: answer.body, depth: JSONReader.greatestDepthLimit)
        var words = text
        if isError, case .string(let title)? = content?["title"], case .string(let detail)? = content?["detail"] {
            words = "\(title): \(detail)\n\(text)"
        }
        result["content"] = [["type": "text", "text": .string(words)]]
        switch content {
        case .object?: result["structuredContent"] = content
        case let value? where !isError:
            var members = JSON.Object()
            members[call.member ?? "value"] = value
            result["structuredContent"] = .object(members)
        default: break
        }
        result["isError"] = .bool(isError)
        return result
    }

    private func read(_ message: AgentMessage, _ asked: Asked) throws(AgentFault) {
        let text = try message.text("uri")
        let notFound: AgentFault.Code = message.isModern ? .invalidParams : .resourceNotFound
        guard let uri = AgentURI(text) else {
            throw AgentFault(notFound, "there is no resource \(text.excerpt)", id: message.id)
        }
        let request =
            "GET \(uri.target) HTTP/1.1\r\n\(asked.fields)Accept: application/json\r\nConnection: close\r\n\r\n"
        send(Array(request.utf8), asked) { answer in
            guard answer.status == 200 else {
                let problem = try? JSON(parsing: answer.body)
                var words = "the resource cannot be read"
                if case .string(let detail)? = problem?["detail"] { words = detail }
                let code = answer.status == 404 ? notFound : .refused
                return asked.answer(
                    AgentFault(code, words, data: problem, id: message.id), isModern: message.isModern)
            }
            var result = JSON.Object()
            result["contents"] = [
                [
                    "uri": .string(text), "mimeType": "application/json",
                    "text": .string(String(decoding: answer.body, as: UTF8.self)),
                ]
            ]
            asked.answer(message.answer(cacheable: result))
        }
    }

    // MARK: Subscriptions

    /// Returns the addresses of a list, each once.
    private func addresses(_ json: JSON?, _ message: AgentMessage) throws(AgentFault) -> [String] {
        guard let json, json != .null else { return [] }
        guard case .array(let elements) = json, elements.count <= AgentSessions.resourcesLimit else {
            throw AgentFault(
                .invalidParams, "resourceSubscriptions is a list of at most \(AgentSessions.resourcesLimit) addresses",
                id: message.id)
        }
        var uris: [String] = []
        for element in elements {
            guard case .string(let text) = element, AgentURI(text) != nil else {
                throw AgentFault(.invalidParams, "resourceSubscriptions has addresses of resources", id: message.id)
            }
            if !uris.contains(text) { uris.append(text) }
        }
        return uris
    }

    private func watch(
        _ uris: [String], after tags: [String: String] = [:], _ asked: Asked,
        _ happened: @escaping (AgentWatch.Happening) -> Void
    ) -> AgentWatch {
        AgentWatch(
            uris, after: tags, fields: asked.fields,
            open: { [executor] bytes, received, ended in
                let (received, ended) = (Confined(received), Confined(ended))
                let request = RequestInProcess(
                    bytes, clientAddress: asked.clientAddress,
                    received: { piece in
                        executor.post { received.value(piece) }
                        return true
                    },
                    ended: { executor.post { ended.value() } })
                serve(request)
                return request
            }, happened)
    }

    private func makeStream(
        _ asked: Asked, id: JSON?, tools: Bool, resources: Bool, _ leave: @escaping () -> Void
    ) -> AgentStream {
        var key: ObjectIdentifier?
        let stream = AgentStream(
            asked.responder, delivery, id: id, listsTools: tools, listsResources: resources
        ) { [weak self] in
            leave()
            if let key { self?.streams[key] = nil }
        }
        key = ObjectIdentifier(stream)
        streams[ObjectIdentifier(stream)] = stream
        return stream
    }

    /// Opens the stream of a request that names what it wants to hear of.
    private func listen(_ message: AgentMessage, _ asked: Asked) throws(AgentFault) {
        guard case .object(let wanted)? = message.params["notifications"] else {
            throw AgentFault(.invalidParams, "params.notifications is an object", id: message.id)
        }
        let uris = try addresses(wanted["resourceSubscriptions"], message)
        let views = uris.filter { if case .view? = AgentURI($0) { true } else { false } }
        let watched = Watched()
        let begin = { [self] (unreadable: [String]) in
            guard watched.stream == nil, asked.responder.isOpen else { return }
            let stream = makeStream(
                asked, id: message.id, tools: wanted["toolsListChanged"] == true,
                resources: wanted["resourcesListChanged"] == true
            ) { watched.end() }
            watched.stream = stream
            stream.features = uris.filter { !views.contains($0) }
            stream.acknowledge(uris.filter { !unreadable.contains($0) })
            asked.responder.stream(stream, isNegotiated: false)
        }
        // The stream of the views counts for the limit of streams.
        watched.watch = watch(views, asked) { happening in
            switch happening {
            case .begun(let unreadable): begin(unreadable)
            case .changed(let changed): watched.stream?.note(changed)
            case .ended(let problem):
                watched.end()
                if let stream = watched.stream { return stream.end() }
                var words = "the stream cannot be opened"
                if case .string(let detail)? = problem?["detail"] { words = detail }
                asked.answer(
                    AgentFault(.refused, words, data: problem, id: message.id), isModern: message.isModern)
            }
        }
    }

    /// The watch and the stream of one agent, which know each other.
    private final class Watched {
        var watch: AgentWatch? {
            didSet { if isOver { watch = nil } }
        }
        weak var stream: AgentStream?
        private(set) var isOver = false

        /// Ends the watch, which knows this object.
        func end() {
            isOver = true
            watch?.close()
            watch = nil
        }
    }

    private func subscribe(_ message: AgentMessage, _ asked: Asked) throws(AgentFault) {
        let uri = try message.text("uri")
        guard let session = session(asked) else { return }
        if message.method == "resources/subscribe" {
            guard AgentURI(uri) != nil else {
                throw AgentFault(.resourceNotFound, "there is no resource \(uri.excerpt)", id: message.id)
            }
            guard sessions.subscribe(uri, in: session, of: asked.owner) == true else {
                throw AgentFault(
                    .refused, "a session subscribes to at most \(AgentSessions.resourcesLimit) resources",
                    id: message.id)
            }
        } else {
            sessions.unsubscribe(uri, in: session, of: asked.owner)
        }
        asked.answer(message.answer(JSON.Object()))
    }

    /// Opens the stream of a session. It follows the subscriptions of the session.
    private func listen(in session: String, _ asked: Asked) {
        let watched = Watched()
        let owned = Confined((handler: self, watched: watched, asked: asked))
        let wake: @Sendable () -> Void = { [executor] in
            executor.post {
                let (handler, watched, asked) = owned.value
                handler.follow(session, watched, asked)
            }
        }
        guard sessions.listen(in: session, of: asked.owner, wake) else { return }
        follow(session, watched, asked)
    }

    /// Watches what a session has subscribed to, from the values that the agent was told of.
    private func follow(_ session: String, _ watched: Watched, _ asked: Asked) {
        let isFirst = watched.watch == nil
        guard !watched.isOver, isFirst || watched.stream != nil else { return }
        guard let uris = sessions.uris(of: session, asked.owner) else { return watched.stream?.end() ?? () }
        let tags = watched.watch?.tags ?? [:]
        watched.watch?.close()
        let features = uris.filter { if case .feature? = AgentURI($0) { true } else { false } }
        watched.stream?.features = features
        watched.watch = watch(uris, after: tags, asked) { [self] happening in
            switch happening {
            case .begun(let unreadable):
                if watched.stream == nil {
                    guard isFirst, asked.responder.isOpen else { return }
                    let stream = makeStream(asked, id: nil, tools: true, resources: true) { watched.end() }
                    watched.stream = stream
                    stream.features = features
                    asked.responder.stream(stream, isNegotiated: false)
                }
                watched.stream?.note(unreadable)
            case .changed(let changed): watched.stream?.note(changed)
            case .ended(let problem):
                watched.end()
                if let stream = watched.stream { return stream.end() }
                asked.responder.answer(
                    Status(503), "application/problem+json", (problem ?? [:]).written
                ) { $0.field("Cache-Control", "no-store") }
            }
        }
    }

    /// Notes that features have changed.
    func noteFeatures() {
        for stream in streams.values { stream.noteFeatures() }
    }

    /// Lets go of the streams.
    func release() { streams = [:] }
}
