package import JSON
public import StateModel
import Synchronization

/// A server of features in this process, for previews and tests of screens: without a network and without a disk. It runs on
/// each platform that the client runs on.
///
///     let server = try PreviewServer([auction.feature()], as: "ada")
///     try server.perform(\.offer, NewLot(title: "A guitar"), of: auction)
///     let client = HeadwaterClient(transport: server)
///
/// Actions, rejections, rules and views are those of the features, with one commit for each action. Replicas are there, so
/// `client.local` works. There are no effects, no alarms, no operators with a memory and no presence: `TestServer` and
/// `TestService` have those.
public final class PreviewServer: ClientTransport, @unchecked Sendable {
    // Sendable because everything that changes is used under `lock` only.

    /// A stream of a client.
    private final class PreviewStream {
        let client: String
        let deliver: @Sendable (WireEvent) -> Void
        var sequence = 0
        var views: [String: WatchedPreview] = [:]
        /// The members of the next event.
        var values = JSON.Object()
        var gone = JSON.Object()
        var isOver = false

        init(_ client: String, _ deliver: @escaping @Sendable (WireEvent) -> Void) {
            (self.client, self.deliver) = (client, deliver)
        }
    }

    /// A view that a stream watches.
    private final class WatchedPreview {
        var subscriptions: [Subscription] = []
    }

    /// The last action of a queue, and its answer.
    private struct AnsweredAction {
        var number: Int
        var status: Int
        var body: JSON
    }

    private struct QueueName: Hashable {
        let space: SpaceName
        let client: String
    }

    private let lock = Mutex(())
    private let features: PreviewedFeatures
    private let caller: Caller
    private let start: Double
    private var streams: [String: PreviewStream] = [:]
    private var nextStream = 1
    private var answered: [QueueName: AnsweredAction] = [:]
    private var commitCount = 0

    /// A server of features, each after those whose state it reads, for a caller with a subject. Throws the fault of the
    /// registration, if there is one.
    public init(_ features: [Feature], as subject: String = "", claims: [String: String] = [:]) throws {
        self.features = try PreviewedFeatures(features)
        var members = JSON.Object()
        for (name, value) in claims.sorted(by: { $0.key < $1.key }) { members[name] = .string(value) }
        members["sub"] = .string(subject)
        caller = Caller(subject, claims: .object(members))
        start = 1_700_000_000
    }

    // MARK: The state of a preview

    /// Performs an action before or beside the client, for example to fill a preview. Throws the rejection.
    public func perform<State, Service, Model, Input>(
        _ action: KeyPath<Service, Action<Input>>, _ input: Input, of model: FeatureModel<State, Service, Model>,
        in space: String = "main"
    ) throws { _ = try perform(at: action, input, model, space) }

    /// Performs an action that answers a value, and returns the value.
    @discardableResult
    public func perform<State, Service, Model, Input, Output: JSONReadable>(
        _ action: KeyPath<Service, AnsweringAction<Input, Output>>, _ input: Input,
        of model: FeatureModel<State, Service, Model>, in space: String = "main"
    ) throws -> Output { try Output(parsing: perform(at: action, input, model, space)) }

    private func perform<State, Service, Model>(
        at action: PartialKeyPath<Service>, _ input: some Record, _ model: FeatureModel<State, Service, Model>,
        _ space: String
    ) throws -> [UInt8] {
        guard let name = model.action(at: action) else { throw ServerProblem.noAction(action, of: model.name) }
        guard let space = SpaceName(space) else { throw ServerProblem.noSpace(space) }
        let bytes = try input.json()
        return try lock.withLock { _ in
            let answer = try perform(name, bytes, in: space, place: nil)
            flush(space, queue: nil)
            return answer.result
        }
    }

    private func perform(
        _ name: String, _ input: [UInt8], in space: SpaceName, place: (client: String, number: Int, time: Timestamp)?
    ) throws(Rejection) -> PreviewedFeatures.PreviewAnswer {
        commitCount += 1
        let time = Timestamp(microseconds: Int64((start + Double(commitCount) / 1_000) * 1_000_000))
        return try features.perform(
            name, input.isEmpty ? nil : input, in: space, by: caller, at: place?.time ?? time, place: place)
    }

    // MARK: The wire

    /// Answers a request of the client.
    public func start(_ request: WireRequest, _ deliver: @escaping @Sendable (WireEvent) -> Void) -> any Cancellable {
        lock.withLock { _ in
            let parts = request.path.split(separator: "/").map { PercentEncoding.decoded($0) }
            switch parts.count {
            case 2 where request.path == "v1/me": Self.send(200, identity, deliver)
            case 2 where request.path == "v1/live": return open(request, deliver)
            case 3 where parts[1] == "live": steer(parts[2], request, deliver)
            case 5 where parts[1] == "spaces": act(parts[2], "\(parts[3])/\(parts[4])", request, deliver)
            default: Self.send(404, ["type": "/problems/not-found", "detail": "a preview has no such path"], deliver)
            }
            return EndedRequest()
        }
    }

    private struct EndedRequest: Cancellable {
        func cancel() {}
    }

    private struct OpenRequest: Cancellable {
        let server: PreviewServer
        let name: String
        func cancel() { server.close(name) }
    }

    private func close(_ name: String) {
        lock.withLock { _ in _ = streams.removeValue(forKey: name) }
    }

    private var identity: JSON {
        ["sub": .string(caller.subject ?? ""), "claims": caller.claims, "rights": ["read", "act"]]
    }

    private static func send(_ status: Int, _ content: JSON, _ deliver: @Sendable (WireEvent) -> Void) {
        deliver(.head(status: status, fields: ["content-type": "application/json"]))
        deliver(.bytes(content.bytes))
        deliver(.end(isEarly: false))
    }

    private func open(_ request: WireRequest, _ deliver: @escaping @Sendable (WireEvent) -> Void) -> any Cancellable {
        guard let body = try? JSON(parsing: request.body) else {
            Self.send(400, ["type": "/problems/bad-request", "detail": "the body is no JSON"], deliver)
            return EndedRequest()
        }
        let name = "preview-\(nextStream)"
        nextStream += 1
        let stream = PreviewStream(body["client"]?.text ?? "", deliver)
        streams[name] = stream
        deliver(.head(status: 200, fields: ["content-type": "text/event-stream"]))
        deliver(.bytes(Array("event: stream\ndata: {\"stream\":\"\(name)\"}\n\n".utf8)))
        for member in body["watch"]?.members ?? JSON.Object() { watch(member.key, stream) }
        send(stream, spaces(of: stream))
        return OpenRequest(server: self, name: name)
    }

    private func steer(_ name: String, _ request: WireRequest, _ deliver: @Sendable (WireEvent) -> Void) {
        guard let stream = streams[name], let body = try? JSON(parsing: request.body) else {
            return Self.send(404, ["type": "/problems/no-stream", "detail": "the stream has ended"], deliver)
        }
        if let number = body["seq"]?.integer, number > stream.sequence {
            stream.sequence = number
            for view in body["unwatch"]?.elements.compactMap(\.text) ?? [] { stream.views[view] = nil }
            for member in body["watch"]?.members ?? JSON.Object() { watch(member.key, stream) }
            send(stream, spaces(of: stream))
        }
        Self.send(200, ["watching": .number(JSON.Number(Int64(stream.views.count)))], deliver)
    }

    private func act(
        _ spaceName: String, _ name: String, _ request: WireRequest, _ deliver: @Sendable (WireEvent) -> Void
    ) {
        func field(_ name: String) -> String? { request.fields.first { $0.name == name }?.value }
        guard let space = SpaceName(spaceName), features.hasAction(name, in: space) else {
            return Self.send(404, ServerProblem.noAction(named: name).document, deliver)
        }
        let queue = field("Headwater-Queue")?.split(separator: ";").map(String.init) ?? []
        guard queue.count >= 2, let number = Int(queue[1]) else {
            let (status, body) = outcome(of: name, request.body, in: space, place: nil)
            flush(space, queue: nil)
            return Self.send(status, body, deliver)
        }
        let key = QueueName(space: space, client: queue[0])
        let known = queue.count > 2 ? Int(queue[2]) ?? 0 : 0
        let last = max(answered[key]?.number ?? known, known)
        if number == last, let answer = answered[key], answer.number == number {
            return Self.send(answer.status, answer.body, deliver)
        }
        guard number > last else {
            return Self.send(410, ServerProblem.lostAnswer.document, deliver)
        }
        guard number == last + 1 else {
            let problem: JSON = ["type": "/problems/out-of-order", "detail": "an action before it is missing"]
            return Self.send(425, problem, deliver)
        }
        let time = field("Headwater-Time").flatMap { Timestamp($0) }
        let (status, body) = outcome(
            of: name, request.body, in: space, place: time.map { (client: queue[0], number: number, time: $0) })
        answered[key] = AnsweredAction(number: number, status: status, body: body)
        flush(space, queue: (queue[0], number))
        Self.send(status, body, deliver)
    }

    private func outcome(
        of name: String, _ input: [UInt8], in space: SpaceName,
        place: (client: String, number: Int, time: Timestamp)?
    ) -> (status: Int, body: JSON) {
        do throws(Rejection) {
            let answer = try perform(name, input, in: space, place: place)
            var body = JSON.Object()
            body["version"] = .number(JSON.Number(Int64(answer.version)))
            if !answer.result.isEmpty { body["result"] = try? JSON(parsing: answer.result) }
            return (200, .object(body))
        } catch {
            let problem = ServerProblem(error)
            return (problem.status, problem.document)
        }
    }

    // MARK: Streams

    private func watch(_ address: String, _ stream: PreviewStream) {
        stream.views[address] = nil
        let parts = address.split(separator: "/", maxSplits: 1).map(String.init)
        guard parts.count == 2, let space = SpaceName(PercentEncoding.decoded(parts[0])) else {
            return stream.gone[address] = ServerProblem.noView(address).document
        }
        let isReplica = parts[1].hasSuffix("!replica")
        let name = isReplica ? parts[1].dropLast("!replica".count) + ".~replica" : parts[1]
        let watched = WatchedPreview()
        stream.views[address] = watched
        do throws(PreviewedFeatures.ViewRefusal) {
            watched.subscriptions = try features.watch(name, in: space, for: caller) { [weak stream, weak watched] in
                guard let stream, let watched, stream.views[address] === watched else { return }
                (stream.values[address], stream.gone[address]) = (nil, nil)
                switch $0 {
                case .success(let value): stream.values[address] = isReplica ? Self.replica(value) : value
                case .failure(let failure):
                    stream.gone[address] =
                        ServerProblem(type: "/problems/view-failed", status: 500, detail: "\(failure)").document
                case nil: stream.gone[address] = ServerProblem.forbidden(address).document
                }
            }
        } catch {
            stream.gone[address] =
                switch error {
                case .noSuchView: ServerProblem.noView(address).document
                case .parameters(let fault):
                    ServerProblem(type: "/problems/invalid", status: 422, detail: fault).document
                case .forbidden: ServerProblem.forbidden(address).document
                }
        }
    }

    /// The rows of a replica's list as members: of a table an object, of a variable its value.
    private static func replica(_ list: JSON) -> JSON {
        var content = JSON.Object()
        for element in list.elements {
            guard let label = element[0]?.text else { continue }
            if label.isEmpty {
                for table in element[3]?.elements.compactMap(\.text) ?? [] { content[table] = [:] }
            } else if let row = element[2], let key = element[1]?.text {
                var rows = content[label]?.members ?? JSON.Object()
                rows[key] = row
                content[label] = .object(rows)
            } else {
                content[label] = element[1]
            }
        }
        return .object(content)
    }

    private func spaces(of stream: PreviewStream) -> Set<SpaceName> {
        Set(
            stream.views.keys.compactMap { address in
                address.split(separator: "/").first.flatMap { SpaceName(PercentEncoding.decoded($0)) }
            })
    }

    /// Sends what a commit of a space changed, in one event for each stream. `queue` is the place of the action.
    private func flush(_ space: SpaceName, queue: (client: String, number: Int)?) {
        for name in streams.keys.sorted() {
            guard let stream = streams[name], spaces(of: stream).contains(space) || !stream.values.isEmpty else {
                continue
            }
            var place = JSON.Object()
            if let queue, queue.client == stream.client {
                place["\(space)"] = .number(JSON.Number(Int64(queue.number)))
            }
            send(stream, [space], place)
        }
    }

    private func send(_ stream: PreviewStream, _ spaces: Set<SpaceName>, _ place: JSON.Object = JSON.Object()) {
        var event = stream.values
        if !stream.gone.isEmpty { event["_gone"] = .object(stream.gone) }
        var tags = JSON.Object()
        for member in stream.values { tags[member.key] = .string("preview") }
        event["_tags"] = .object(tags)
        var versions = JSON.Object()
        for space in spaces.sorted() { versions["\(space)"] = .string("\(features.version(of: space))") }
        event["_versions"] = .object(versions)
        if !place.isEmpty { event["_queue"] = .object(place) }
        (stream.values, stream.gone) = (JSON.Object(), JSON.Object())
        stream.deliver(.bytes(Array("data: ".utf8) + JSON.object(event).bytes + Array("\n\n".utf8)))
    }
}

extension ServerProblem {
    static func noSpace(_ name: String) -> ServerProblem {
        ServerProblem(type: "/problems/no-such-space", status: 404, detail: "\(name) is no name of a space")
    }

    static func noAction(named name: String) -> ServerProblem {
        ServerProblem(type: "/problems/no-such-action", status: 404, detail: "there is no action \(name)")
    }

    static func noView(_ name: String) -> ServerProblem {
        ServerProblem(type: "/problems/no-such-view", status: 404, detail: "there is no view \(name)")
    }

    static func forbidden(_ view: String) -> ServerProblem {
        ServerProblem(type: "/problems/forbidden", status: 403, detail: "the rule of \(view) does not allow the caller")
    }
}
