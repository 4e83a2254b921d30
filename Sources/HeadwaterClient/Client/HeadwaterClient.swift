public import Foundation
package import JSON
import Synchronization

/// A client of one server: one connection for all views of all spaces, and one queue of actions, which survives the end of
/// the app.
///
///     let client = HeadwaterClient(URL(string: "https://example.com")!) { refused in
///         try await session.token(insteadOf: refused)
///     }
///     let space = client.space("main")
///
/// An app has one client for each server. All methods return at once.
public final class HeadwaterClient: Sendable {
    /// The function that the client asks for its token, with the token that the server refused, if it did. It returns the
    /// token that the app has, also an old one if there is no network; nil stands for no token.
    public typealias TokenSource = @Sendable (_ refused: String?) async throws -> String?

    /// The token's source in the form of a callback, which a test can answer at once.
    package typealias TokenRequest =
        @Sendable (_ refused: String?, _ answer: @escaping @Sendable (Result<String?, any Error>) -> Void) -> Void

    /// A reader of one view.
    struct CountedReader: Sendable {
        let address: ViewAddress
        /// Takes a value on the loop, and returns an update for the main actor, if it has one.
        let take: @Sendable (ShownValue) -> (@MainActor @Sendable () -> Void)?
    }

    private struct ClientState {
        var machine: ClientMachine
        var readers: [Int: CountedReader] = [:]
        var nextReader = 1
        var replicas: [String: any ReplicaReader] = [:]
        /// The caller, as replicas need it.
        var identity: JSON?
        var waits: [String: ActionWait] = [:]
        var tasks: [Int: any Cancellable] = [:]
        /// The streams of the status.
        var statuses: [Int: AsyncStream<ClientStatus>.Continuation] = [:]
        var status = ClientStatus()
        var alarm: Duration?
        var presenceRefusals: [String: @Sendable (ServerProblem) -> Void] = [:]
    }

    private let transport: any ClientTransport
    private let storage: any ClientStorage
    private let requestToken: TokenRequest
    let loop: any ClientLoop
    let screen = ScreenUpdates()
    private let state: Mutex<ClientState>

    /// A client of the server at an address, which keeps its queue and the last values in a folder of its own.
    public convenience init(
        _ address: URL, storage: (any ClientStorage)? = nil, token: @escaping TokenSource = { _ in nil }
    ) {
        self.init(
            transport: URLSessionTransport(address), storage: storage ?? FileStorage(folder: Self.folder(for: address)),
            token: token)
    }

    /// A client with a transport of its own, for tests and previews: `PreviewServer`, `FaultyTransport`.
    public convenience init(
        transport: any ClientTransport, storage: any ClientStorage = MemoryStorage(),
        token: @escaping TokenSource = { _ in nil }
    ) {
        self.init(transport: transport, storage: storage, loop: DispatchLoop(), token: token)
    }

    /// A client with a loop of its own.
    package convenience init(
        transport: any ClientTransport, storage: any ClientStorage, loop: any ClientLoop, token: @escaping TokenSource
    ) {
        self.init(transport: transport, storage: storage, loop: loop) { refused, answer in
            Task {
                do {
                    answer(.success(try await token(refused)))
                } catch {
                    answer(.failure(error))
                }
            }
        }
    }

    /// A client whose token comes by a callback.
    package init(
        transport: any ClientTransport, storage: any ClientStorage, loop: any ClientLoop,
        requestToken: @escaping TokenRequest
    ) {
        self.transport = transport
        self.storage = storage
        self.loop = loop
        self.requestToken = requestToken
        state = Mutex(ClientState(machine: ClientMachine(seed: loop.random())))
        change { _ in }
    }

    private static func folder(for address: URL) -> URL {
        let support = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask).first
        let name = "\(address.host ?? "")-\(address.port ?? 0)"
        return (support ?? FileManager.default.temporaryDirectory).appendingPathComponent("headwater")
            .appendingPathComponent(name)
    }

    // MARK: The app

    /// A space of the server.
    public func space(_ name: String) -> ClientSpace { ClientSpace(client: self, name: name) }

    /// Tells the client that the app is not shown any more: it ends the connection, and goes on with actions as long as it
    /// runs.
    public func enterBackground() { change { $0.machine.enterBackground() } }

    /// Tells the client that the app is shown again.
    public func enterForeground() { change { $0.machine.enterForeground() } }

    /// Tells the client that there is a network again, so that it does not wait for its next attempt.
    public func networkReturned() { change { $0.machine.networkReturned() } }

    /// Tells the client that the app has another token. It asks for it.
    public func tokenChanged() { change { $0.machine.tokenChanged() } }

    /// Holds back the actions after a refused one, until it is retried or discarded.
    public func stopAtRefusals(_ stops: Bool) { change { $0.machine.stopsAtRefusal = stops } }

    /// The connection and the queue, now and after each change.
    public var statuses: AsyncStream<ClientStatus> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let name = state.withLock { state in
                state.nextReader += 1
                state.statuses[state.nextReader] = continuation
                continuation.yield(state.status)
                return state.nextReader
            }
            continuation.onTermination = { [weak self] _ in
                self?.state.withLock { _ = $0.statuses.removeValue(forKey: name) }
            }
        }
    }

    /// The connection and the queue.
    public var status: ClientStatus { state.withLock { $0.status } }

    /// The actions that wait or were refused, the oldest first.
    public func pending() async -> [PendingAction] { await ask { $0.machine.pending } }

    /// Sends a refused action again, after the others. Returns false if it was not refused.
    @discardableResult
    public func retry(_ id: String) async -> Bool {
        let new = Self.name(loop)
        return await ask { $0.machine.retry(id, as: new) }
    }

    /// Drops an action that was not sent, or was refused. Returns false if it is under way or over.
    @discardableResult
    public func discard(_ id: String) async -> Bool { await ask { $0.machine.discard(id) } }

    /// Erases all that the device keeps of the subject, and asks for another token. Returns false, and does nothing, if
    /// actions wait and `discarding` is not set.
    public func signOut(discarding: Bool = false) async -> Bool {
        await ask { $0.machine.signOut(discarding: discarding) }
    }

    // MARK: Readers and actions

    /// Watches a view until the result is released.
    package func watch(
        _ address: ViewAddress, _ take: @escaping @Sendable (ShownValue) -> (@MainActor @Sendable () -> Void)?
    ) -> Watching {
        let name = state.withLock { state in
            state.nextReader += 1
            return state.nextReader
        }
        change { [screen] state in
            let reader = CountedReader(address: address, take: take)
            state.readers[name] = reader
            state.machine.watch(address)
            // A view that others watch has a value already.
            let shown = state.machine.shown(address)
            if shown.phase != .loading, let update = reader.take(shown) { screen.add([update]) }
        }
        return Watching { [weak self] in
            self?.change { state in
                if state.readers.removeValue(forKey: name) != nil { state.machine.unwatch(address) }
            }
        }
    }

    /// Watches a replica until the result is released.
    package func watch(_ address: ViewAddress, _ reader: any ReplicaReader) -> Watching {
        change { [screen] state in
            state.replicas[address.description] = reader
            state.machine.watch(address)
            if let caller = state.identity { screen.add(reader.identified(caller)) }
        }
        return Watching { [weak self] in
            self?.change { state in
                state.replicas[address.description] = nil
                state.machine.unwatch(address)
            }
        }
    }

    /// Performs an action.
    package func perform<Output>(
        space: String, _ name: String, _ input: [UInt8], id: String? = nil, time: String? = nil,
        document: String? = nil, _ read: @escaping @Sendable (JSON) throws -> Output
    ) -> Performed<Output> {
        let id = id ?? Self.name(loop)
        // A refusal that a caller has got is no news for the list of pending actions.
        let performed = Performed(id: id, read: read) { [weak self] in self?.change { _ = $0.machine.discard(id) } }
        let action = QueuedAction(
            id: id, space: space, name: name, input: input, time: time, documentHash: document)
        change { [wait = performed.wait] state in
            state.waits[action.id] = wait
            state.machine.perform(action)
        }
        return performed
    }

    /// Returns an action that this client refuses.
    func refused<Output>(
        _ problem: ServerProblem, _ read: @escaping @Sendable (JSON) throws -> Output
    ) -> Performed<Output> {
        let performed = Performed(id: Self.name(loop), read: read)
        performed.wait.settle(.refused(problem))
        return performed
    }

    /// Is present in a table until the result is released.
    func present(_ key: String, _ row: JSON, _ refused: @escaping @Sendable (ServerProblem) -> Void) -> Watching {
        change { state in
            state.machine.setPresence(key, row)
            state.presenceRefusals[key] = refused
        }
        return Watching { [weak self] in
            self?.change { state in
                state.machine.setPresence(key, nil)
                state.presenceRefusals[key] = nil
            }
        }
    }

    /// 128 random bits in base64url.
    static func name(_ loop: any ClientLoop) -> String {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        let (high, low) = (loop.random(), loop.random())
        var text = ""
        for index in 0..<21 {
            let bits = index < 10 ? high >> UInt64(6 * index) : low >> UInt64(6 * (index - 10))
            text.append(letters[Int(bits & 63)])
        }
        // 22 letters have 132 bits; the last four are zero.
        text.append(letters[Int(high >> 62) << 4])
        return text
    }

    // MARK: The loop

    /// Changes the machine on the loop, and performs what follows.
    private func change(_ body: @escaping @Sendable (inout ClientState) -> Void) {
        loop.run { [weak self] in self?.turn(body) }
    }

    /// Changes the machine on the loop, and returns a result.
    private func ask<Result: Sendable>(_ body: @escaping @Sendable (inout ClientState) -> Result) async -> Result {
        await withCheckedContinuation { continuation in
            loop.run { self.turn { continuation.resume(returning: body(&$0)) } }
        }
    }

    private func turn(_ body: (inout ClientState) -> Void) {
        var commands = state.withLock { state in
            (state.machine.now, state.machine.time) = (loop.now, loop.timeOfDay)
            body(&state)
            return state.machine.takeCommands()
        }
        // Answers of the device leave further commands. They come after those that are there.
        while !commands.isEmpty {
            for command in commands { perform(command) }
            commands = state.withLock { $0.machine.takeCommands() }
        }
        showQueues()
        setAlarm()
    }

    /// Tells replicas the places of actions in the queue.
    private func showQueues() {
        let told = state.withLock { state in
            state.replicas.values.map { reader in
                (
                    reader, state.machine.foreseen(in: reader.spaceName),
                    state.machine.nextPlace(in: reader.spaceName)
                )
            }
        }
        for (reader, actions, next) in told { screen.add(reader.queued(actions, next: next)) }
    }

    private func setAlarm() {
        guard
            let next = state.withLock({ state -> Duration? in
                guard let next = state.machine.nextAlarm, state.alarm.map({ $0 > next || $0 <= loop.now }) ?? true
                else {
                    return nil
                }
                state.alarm = next
                return next
            })
        else { return }
        loop.run(after: max(.zero, next - loop.now)) { [weak self] in
            self?.turn { state in if state.alarm == next { state.alarm = nil } }
        }
    }

    private func perform(_ command: ClientMachine.ClientCommand) {
        switch command {
        case .askToken(let refused):
            requestToken(refused) { [weak self] result in
                self?.change { state in
                    switch result {
                    case .success(let token): state.machine.tokenCame(token)
                    case .failure(let error): state.machine.tokenFailed("\(error)")
                    }
                }
            }
        case .open(let subject): open(subject)
        case .recall(let address): recall(address)
        case .write(let records):
            guard let subject = state.withLock({ $0.machine.subject }) else { return }
            var fault: String?
            do {
                try storage.append(records.map(\.json.bytes), subject: subject)
            } catch {
                fault = "\(error)"
            }
            state.withLock { $0.machine.written(records, fault: fault) }
        case .keep(let subject, let values):
            for (name, value) in values { storage.keep(value?.bytes, of: name, subject: subject) }
        case .keepReplica(let subject, let address, let tag, let time):
            guard let content = state.withLock({ $0.replicas[address.description] })?.content() else { return }
            let kept = KeptValue(value: content, tag: tag, time: time)
            storage.keep(kept.bytes, of: address.description, subject: subject)
        case .erase(let subject): storage.erase(subject: subject)
        case .start(let number, let request): start(number, request)
        case .cancel(let number): state.withLock { $0.tasks.removeValue(forKey: number) }?.cancel()
        case .show(let news): show(news)
        case .settle(let id, let outcome): settle(id, outcome)
        case .status(let status):
            state.withLock { state in
                state.status = status
                for stream in state.statuses.values { stream.yield(status) }
            }
        case .identify(let caller):
            let (subject, replicas) = state.withLock { state in
                state.identity = caller
                return (state.machine.subject, state.replicas)
            }
            if let subject { storage.keep(caller.bytes, of: Self.identityName, subject: subject) }
            for (_, replica) in replicas { screen.add(replica.identified(caller)) }
        case .presenceRefused(let key, let problem):
            state.withLock { $0.presenceRefusals.removeValue(forKey: key) }?(problem)
        }
    }

    private func open(_ subject: String) {
        let stored = storage.open(subject: subject, client: Self.name(loop))
        let records = stored.lines.compactMap { (try? JSON(parsing: $0)).flatMap(QueueRecord.init) }
        let session = KeptSession(
            line: ActionLine(client: stored.client, processClient: Self.name(loop), records), fault: stored.fault)
        let caller = storage.value(of: Self.identityName, subject: subject).flatMap { try? JSON(parsing: $0) }
        let replicas = state.withLock { state in
            state.machine.opened(session, subject: subject)
            if let caller { state.machine.recalledIdentity(caller) }
            state.identity = caller
            return state.replicas
        }
        for (_, replica) in replicas { screen.add(replica.identified(caller)) }
    }

    /// The name under which the caller is kept, which no view has.
    private static let identityName = "~me"

    private func recall(_ address: ViewAddress) {
        guard let subject = state.withLock({ $0.machine.subject }) else { return }
        let kept = storage.value(of: address.description, subject: subject).flatMap { KeptValue($0) }
        state.withLock { $0.machine.recalled(address, kept) }
    }

    private func start(_ number: Int, _ request: WireRequest) {
        guard state.withLock({ $0.machine.mayStart(number) }) else { return }
        let task = transport.start(request) { [weak self] event in
            self?.change { state in
                if case .end = event { state.tasks[number] = nil }
                state.machine.received(number, event)
            }
        }
        state.withLock { $0.tasks[number] = task }
    }

    private func show(_ news: ShownNews) {
        let (readers, replicas) = state.withLock { ($0.readers, $0.replicas) }
        var updates: [@MainActor @Sendable () -> Void] = []
        let changes = Dictionary(news.values.map { ($0.address, $0.value) }) { $1 }
        for (_, reader) in readers.sorted(by: { $0.key < $1.key }) {
            if let value = changes[reader.address], let update = reader.take(value) { updates.append(update) }
        }
        for (name, replica) in replicas {
            let own = news.replicas.filter { $0.address.description == name }.map(\.news)
            updates += replica.take(
                own, phase: changes.first { $0.key.description == name }?.value.phase, over: news.over)
        }
        screen.add(updates)
    }

    private func settle(_ id: String, _ outcome: ActionEnding) {
        guard
            let wait = state.withLock({ state -> ActionWait? in
                defer {
                    switch outcome {
                    case .refused, .abandoned: state.waits[id] = nil
                    case .durable, .shown: break
                    }
                }
                return state.waits[id]
            })
        else { return }
        wait.settle(outcome)
        state.withLock { state in
            if wait.isOver { state.waits[id] = nil }
        }
    }
}
