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
        /// The action and its input.
        var call: [UInt8]
        var status: Int
        var body: JSON
    }

    private struct QueueName: Hashable {
        let space: SpaceName
        let client: String
    }

    private let lock = Mutex(())
    private let features: PreviewedFeatures
    private let names: [String]
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
        names = features.map(\.name)
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
            default: Self.send(ServerProblem(.noSuchPath, "a preview has no such path"), deliver)
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

    private static func send(_ problem: ServerProblem, _ deliver: @Sendable (WireEvent) -> Void) {
        send(problem.status, problem.document, deliver)
    }

    private func open(_ request: WireRequest, _ deliver: @escaping @Sendable (WireEvent) -> Void) -> any Cancellable {
        guard let body = try? JSON(parsing: request.body) else {
            Self.send(ServerProblem(.notJSON, "the body is no JSON"), deliver)
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
            return Self.send(
                ServerProblem(.noStream, "there is no such stream any more: open one with POST /v1/live"), deliver)
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
        if let problem = missing(name, in: spaceName) { return Self.send(problem, deliver) }
        let space = SpaceName(spaceName) ?? .common
        guard let queue = field("Headwater-Queue") else {
            let (status, body) = outcome(of: name, request.body, in: space, place: nil)
            flush(space, queue: nil)
            return Self.send(status, body, deliver)
        }
        let parts = queue.split(separator: ";", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3, let number = Int(parts[1]), let known = Int(parts[2]),
            let place = QueuePosition(client: parts[0], number: number, answered: known)
        else {
            return Self.send(
                ServerProblem(
                    .badRequest,
                    "Headwater-Queue is CLIENT;N;A: 128 random bits in base64url, the number of the action from 1 on, and a smaller number up to which the client has all answers"
                ), deliver)
        }
        let key = QueueName(space: space, client: place.client)
        let call = Array("\(name) ".utf8) + request.body
        let last = max(answered[key]?.number ?? 0, known)
        if number == last, let answer = answered[key], answer.number == number {
            guard answer.call == call else {
                return Self.send(
                    ServerProblem(
                        .keyReused,
                        "this number of Headwater-Queue was sent before with another action or body: use the next number"
                    ), deliver)
            }
            return Self.send(answer.status, answer.body, deliver)
        }
        guard number > last else {
            var more = JSON.Object()
            more["last"] = .number(JSON.Number(Int64(last)))
            return Self.send(
                ServerProblem(
                    .answeredBefore,
                    "the actions of this client up to \(last) were answered, and the last answer only is kept: the action was performed, or refused",
                    more), deliver)
        }
        guard number == last + 1 else {
            return Self.send(
                ServerProblem(
                    .outOfOrder,
                    "actions before this one in Headwater-Queue have not arrived: send them, and then this one again"),
                deliver)
        }
        let time = field("Headwater-Time").flatMap { Timestamp($0) }
        let (status, body) = outcome(
            of: name, request.body, in: space, place: time.map { (client: place.client, number: number, time: $0) })
        answered[key] = AnsweredAction(number: number, call: call, status: status, body: body)
        flush(space, queue: (place.client, number))
        Self.send(status, body, deliver)
    }

    /// The problem of an action that a space does not have; nil if it has the action.
    private func missing(_ name: String, in spaceName: String) -> ServerProblem? {
        guard let space = SpaceName(spaceName) else {
            return ServerProblem(
                .noSuchSpace,
                "a space's name is a letter or a digit, then up to 127 letters, digits, dots, underscores or hyphens")
        }
        switch features.absence(of: name, in: space) {
        case nil: return nil
        case .otherSpace(.common):
            return ServerProblem(
                .wrongSpace,
                "\(name.prefix { $0 != "/" }) exists once, in the space common: POST /v1/spaces/common/\(name)",
                allowed: ["common"])
        case .otherSpace(.space):
            return ServerProblem(
                .wrongSpace, "this feature belongs to each space: send the action to a space other than common")
        case .feature(let feature, let names):
            return ServerProblem(.noSuchAction, "there is no feature \(feature): GET /v1 lists all", allowed: names)
        case .name(let feature, let label, let names):
            return ServerProblem(
                .noSuchAction, "\(feature) has no view and no action \(label): GET /v1 lists all", allowed: names)
        }
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
        let parts = address.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2 else {
            stream.gone[address] =
                ServerProblem(.invalid, "watch is SPACE/feature.view, and \"\(address)\" has no slash").document
            return
        }
        guard let space = SpaceName(parts[0]) else {
            return stream.gone[address] = ServerProblem.noSpace(parts[0]).document
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
                    stream.gone[address] = ServerProblem.viewFailed(parts[1], failure).document
                case nil: stream.gone[address] = ServerProblem.forbidden(parts[1]).document
                }
            }
        } catch {
            stream.gone[address] =
                switch error {
                case .noSuchView(let names):
                    ServerProblem(
                        .noSuchView, "there is no view \(parts[1]) in the space \(space): GET /v1 lists all",
                        allowed: names
                    ).document
                case .parameters(let fault):
                    ServerProblem(.invalid, "\(fault)", at: "\(fault.pointer)", allowed: fault.allowed).document
                case .forbidden: ServerProblem.forbidden(parts[1]).document
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

extension PreviewServer: CustomStringConvertible, CustomReflectable {
    /// `a preview of auction`.
    public var description: String { "a preview of \(names.joined(separator: ", "))" }
    /// The names of the features.
    public var customMirror: Mirror { Mirror(self, children: ["features": names], displayStyle: .class) }
}

extension ServerProblem {
    static func noSpace(_ name: String) -> ServerProblem {
        ServerProblem(.noSuchSpace, "\"\(name)\" cannot be the name of a space")
    }

    static func forbidden(_ view: String) -> ServerProblem {
        ServerProblem(.forbidden, "the rules of the view \(view) do not let you read it")
    }

    static func viewFailed(_ view: String, _ error: any Error) -> ServerProblem {
        ServerProblem(.viewFailed, "the view \(view) failed: \(error)")
    }
}
