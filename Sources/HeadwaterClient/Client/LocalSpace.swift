package import JSON
import Reactive
public import StateModel
import Synchronization

/// A feature that runs in this client over its replica: an action shows its effect at once, also offline, and again over
/// what the server has committed meanwhile. The state of the feature has to be a `ReplicatedState`.
///
///     let sale = try client.local("main", of: auction)
///     let bid = sale.perform(\.bid, Bid(lot: "guitar", amount: 120))    // Shown when this returns.
///
/// The server decides. An action that it refuses takes its effect back, and `Performed` has the reason. An action that the
/// replica itself refuses is not sent, if the replica is current and has all that actions read. Effects, hooks and presence
/// stay on the server. Identifiers of `commit.newID()` are those of the commit; its time and random numbers are not.
public final class LocalSpace<State, Service: StateService, Model: ViewModel>: ReplicaReader, @unchecked Sendable {
    // Sendable because everything that changes is used under `lock` only.

    /// The space as the server shows it.
    public let remote: FeatureSpace<State, Service, Model>
    package var spaceName: String { remote.space.name }
    private var client: HeadwaterClient { remote.space.client }

    /// An action that is shown before the server has answered.
    private struct PendingPrediction {
        var action: LocalFeature<State, Service, Model>.LocalAction
        var isPerformed: Bool
    }

    /// A reader of a view.
    private struct LocalReader {
        var subscription: Subscription?
        /// Shows the last value again, in another phase.
        let refresh: () -> Void
        /// Begins to watch, or begins anew for another caller.
        let begin: () -> Void
    }

    private let lock = Mutex(())
    private let feature: LocalFeature<State, Service, Model>
    private var pending: [PendingPrediction] = []
    /// The actions whose effect the replica has, while the queue still waits for their answers.
    private var finished: Set<String> = []
    private var next: (client: String, number: Int)?
    private var phase = Phase.loading
    private var readers: [Int: LocalReader] = [:]
    private var nextReader = 0
    private var updates: [@MainActor @Sendable () -> Void] = []
    private var watching: Watching?

    init(_ remote: FeatureSpace<State, Service, Model>) throws {
        self.remote = remote
        guard let space = SpaceName(remote.space.name) else {
            throw ServerProblem.noSpace(remote.space.name)
        }
        feature = try LocalFeature(remote.model, in: space)
    }

    /// Begins to follow the replica.
    func begin() {
        let watching = client.watch(
            .replica(of: remote.model.name, in: spaceName), WeakReplicaReader(self, space: spaceName))
        lock.withLock { _ in self.watching = watching }
    }

    // MARK: Views

    /// The values of a view over the replica with the actions that wait, with the phase of the replica.
    public func updates<View: ClientView>(
        of view: KeyPath<Model, View>, _ parameters: View.Parameters
    ) -> AsyncStream<Shown<View.Received>> where View.Received: Sendable {
        stream(view, (try? parameters.tree()) ?? [:])
    }

    /// A value for a screen, of a view for some parameters.
    @MainActor public func live<View: ClientView>(
        _ view: KeyPath<Model, View>, _ parameters: View.Parameters
    ) -> LiveValue<View.Received> where View.Received: Sendable {
        live(view, tree: (try? parameters.tree()) ?? [:])
    }

    private func stream<Received: Sendable>(
        _ view: PartialKeyPath<Model>, _ parameters: JSON
    ) -> AsyncStream<Shown<Received>> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let watching = watch(view, parameters) { (shown: Shown<Received>) in
                continuation.yield(shown)
                return nil
            }
            continuation.onTermination = { _ in withExtendedLifetime(watching) {} }
        }
    }

    @MainActor private func live<Received: Sendable>(
        _ view: PartialKeyPath<Model>, tree parameters: JSON
    ) -> LiveValue<Received> {
        let value = LiveValue<Received>()
        value.hold(
            watch(view, parameters) { [weak value] (shown: Shown<Received>) in
                { value?.take(shown) }
            })
        return value
    }

    /// Watches a view until the result is released.
    package func watch<Received: Sendable>(
        _ view: PartialKeyPath<Model>, _ parameters: JSON,
        _ take: @escaping (Shown<Received>) -> (@MainActor @Sendable () -> Void)?
    ) -> Watching {
        turn {
            nextReader += 1
            let name = nextReader
            var last: Received?
            var revision = 0
            var problem: ServerProblem?
            func show() {
                let shown = Shown(
                    value: phase == .loading ? nil : last, phase: problem.map { .refused($0) } ?? phase,
                    revision: revision)
                if let update = take(shown) { updates.append(update) }
            }
            func begin() {
                readers[name]?.subscription = nil
                readers[name]?.subscription = feature.watch(view, parameters) { result in
                    revision += 1
                    switch result {
                    case .success(let value):
                        last = value as? Received
                        problem = nil
                    case .failure(let error):
                        last = nil
                        problem = .viewFailed(self.remote.model.view(at: view) ?? "\(view)", error)
                    }
                    show()
                }
                if readers[name]?.subscription == nil {
                    problem = ServerProblem(.noSuchView, "\(remote.model.name) stores no view \(view)")
                    show()
                }
            }
            readers[name] = LocalReader(refresh: show, begin: begin)
            begin()
            let owner: any ReaderOwner = self
            return Watching { [weak owner] in owner?.endReader(name) }
        }
    }

    fileprivate func endReader(_ name: Int) {
        turn { readers[name] = nil }
    }

    // MARK: Actions

    /// Performs the action at a key path at once on what is shown, and sends it.
    public func perform<Output: Sendable>(
        at action: PartialKeyPath<Service>, _ input: some Record, _ read: @escaping @Sendable (JSON) throws -> Output
    ) -> Performed<Output> {
        guard let name = remote.model.action(at: action) else {
            return client.refused(.noAction(action, of: remote.model.name), read)
        }
        let bytes: [UInt8]
        do throws(JSONError) {
            bytes = try input.json()
        } catch {
            return client.refused(.unwritable(error), read)
        }
        let id = HeadwaterClient.name(client.loop)
        let time = ClientMachine.text(ofTime: client.loop.timeOfDay)
        if let rejection = turn({ predict(id, name, bytes, time) }) {
            return client.refused(ServerProblem(rejection), read)
        }
        return client.perform(space: spaceName, name, bytes, id: id, time: time, read)
    }

    /// Performs an action on what is shown. Returns the reason if it is refused for good.
    private func predict(_ id: String, _ name: String, _ input: [UInt8], _ time: String) -> Rejection? {
        let place = next ?? (client: "", number: 0)
        let action = LocalFeature<State, Service, Model>.LocalAction(
            id: id, name: name, input: input, client: place.client, number: place.number,
            time: Timestamp(time) ?? Timestamp(seconds: 0))
        guard next != nil, feature.caller != nil, phase != .loading else {
            pending.append(PendingPrediction(action: action, isPerformed: false))
            return nil
        }
        next?.number += 1
        do throws(Rejection) {
            try feature.perform(action)
            pending.append(PendingPrediction(action: action, isPerformed: true))
        } catch {
            if phase.isCurrent, feature.isComplete {
                next?.number -= 1
                return error
            }
            pending.append(PendingPrediction(action: action, isPerformed: false))
        }
        return nil
    }

    /// The number of actions whose effect is shown before the server's.
    public var predictedCount: Int { lock.withLock { _ in pending.count { $0.isPerformed } } }

    /// The number of steps of the server that changed what an action of this device had shown: another commit came between,
    /// or the action reads what is not replicated, or its time.
    public var differenceCount: Int { lock.withLock { _ in feature.differenceCount } }

    // MARK: The client

    package func identified(_ caller: JSON?) -> [@MainActor @Sendable () -> Void] {
        turned {
            var subject = ""
            if case .string(let text)? = caller?["sub"] { subject = text }
            feature.caller = caller.map { Caller(subject, claims: $0["claims"] ?? [:]) }
            perform(over: [])
            for reader in readers.values { reader.begin() }
        }
    }

    package func queued(
        _ actions: [ForeseenAction], next place: (client: String, number: Int)?
    ) -> [@MainActor @Sendable () -> Void] {
        turned {
            next = place
            var isChanged = false
            finished.formIntersection(actions.map(\.action.id))
            for foreseen in actions
            where foreseen.action.name.hasPrefix(remote.model.name + "/") && !finished.contains(foreseen.action.id) {
                let time = foreseen.action.time.flatMap { Timestamp($0) } ?? Timestamp(seconds: 0)
                guard let index = pending.firstIndex(where: { $0.action.id == foreseen.action.id }) else {
                    let action = LocalFeature<State, Service, Model>.LocalAction(
                        id: foreseen.action.id, name: foreseen.action.name, input: foreseen.action.input,
                        client: foreseen.client, number: foreseen.number, time: time)
                    pending.append(PendingPrediction(action: action, isPerformed: false))
                    isChanged = true
                    continue
                }
                let known = pending[index].action
                guard (known.client, known.number, known.time) != (foreseen.client, foreseen.number, time) else {
                    continue
                }
                (pending[index].action.client, pending[index].action.number) = (foreseen.client, foreseen.number)
                pending[index].action.time = time
                isChanged = true
            }
            if isChanged { perform(over: []) }
        }
    }

    package func take(
        _ news: [ReplicaNews], phase: Phase?, over: [String]
    ) -> [@MainActor @Sendable () -> Void] {
        turned {
            let isNewPhase = phase.map { $0 != self.phase } ?? false
            if let phase { self.phase = phase }
            let count = pending.count
            pending.removeAll { over.contains($0.action.id) }
            finished.formUnion(over)
            if !news.isEmpty || count != pending.count {
                perform(
                    over: news.map { one in
                        switch one {
                        case .whole(let content): .whole(content)
                        case .changes(let content): .changes(content)
                        case .gone: .gone
                        }
                    })
            }
            if isNewPhase { for reader in readers.values { reader.refresh() } }
        }
    }

    package func content() -> JSON? { lock.withLock { _ in feature.content } }

    private func perform(over news: [LocalFeature<State, Service, Model>.ConfirmedNews]) {
        let failed = feature.step(news, pending.map(\.action))
        for index in pending.indices { pending[index].isPerformed = !failed.contains(pending[index].action.id) }
    }

    /// Runs `body` alone, and shows what it changed.
    private func turn<Result>(_ body: () -> Result) -> Result {
        let (result, updates) = lock.withLock { _ -> (Result, [@MainActor @Sendable () -> Void]) in
            let result = body()
            defer { self.updates = [] }
            return (result, self.updates)
        }
        client.show(updates)
        return result
    }

    private func turned(_ body: () -> Void) -> [@MainActor @Sendable () -> Void] {
        lock.withLock { _ in
            body()
            defer { updates = [] }
            return updates
        }
    }
}

extension LocalSpace: FeatureAccess {}

/// The owner of readers, whatever its types.
private protocol ReaderOwner: AnyObject, Sendable {
    func endReader(_ name: Int)
}

extension LocalSpace: ReaderOwner {}

/// A reader of a replica that does not keep it alive.
private struct WeakReplicaReader: ReplicaReader {
    private final class WeakReader: Sendable {
        let reader: @Sendable () -> (any ReplicaReader)?
        init(_ reader: @escaping @Sendable () -> (any ReplicaReader)?) { self.reader = reader }
    }

    let spaceName: String
    private let weakReader: WeakReader

    init<Reader: ReplicaReader & AnyObject>(_ reader: Reader, space: String) {
        spaceName = space
        weakReader = WeakReader { [weak reader] in reader }
    }

    func identified(_ caller: JSON?) -> [@MainActor @Sendable () -> Void] {
        weakReader.reader()?.identified(caller) ?? []
    }

    func queued(
        _ actions: [ForeseenAction], next: (client: String, number: Int)?
    ) -> [@MainActor @Sendable () -> Void] { weakReader.reader()?.queued(actions, next: next) ?? [] }

    func take(_ news: [ReplicaNews], phase: Phase?, over: [String]) -> [@MainActor @Sendable () -> Void] {
        weakReader.reader()?.take(news, phase: phase, over: over) ?? []
    }

    func content() -> JSON? { weakReader.reader()?.content() }
}

extension HeadwaterClient {
    /// A space of the server through a feature that also runs here. Throws if the state of the feature has no replica. A
    /// client has at most one for each feature and space.
    public func local<State, Service, Model>(
        _ name: String, of model: FeatureModel<State, Service, Model>
    ) throws -> LocalSpace<State, Service, Model> {
        let local = try LocalSpace(space(name, of: model))
        local.begin()
        return local
    }

    /// Performs updates of the main actor.
    func show(_ updates: [@MainActor @Sendable () -> Void]) { screen.add(updates) }
}
