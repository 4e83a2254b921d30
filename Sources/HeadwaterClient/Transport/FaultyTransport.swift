import Synchronization

/// A bad network in front of another transport, for tests and previews of what a screen shows then.
///
///     let network = FaultyTransport(server)
///     let client = HeadwaterClient(transport: network)
///     network.isOnline = false          // Streams end, requests fail.
///     network.loseAnswers(1)            // The next action reaches the server, its answer does not come.
///     network.delay = .seconds(2)       // Each answer comes later.
public final class FaultyTransport: ClientTransport {
    private struct NetworkState {
        var isOnline = true
        var answersToLose = 0
        var delay = Duration.zero
        var nextPassage = 1
        var passages: [Int: Passage] = [:]
    }

    /// A request under way.
    private struct Passage {
        let deliver: @Sendable (WireEvent) -> Void
        var request: (any Cancellable)?
        let losesAnswer: Bool
        /// The pieces that are late, in order.
        var late: [WireEvent] = []
    }

    private let base: any ClientTransport
    private let loop: any ClientLoop
    private let state = Mutex(NetworkState())

    /// A network before a transport, without faults.
    public convenience init(_ base: any ClientTransport) { self.init(base, loop: DispatchLoop()) }

    /// A network whose delays follow the time of a loop.
    package init(_ base: any ClientTransport, loop: any ClientLoop) {
        (self.base, self.loop) = (base, loop)
    }

    /// False while requests fail and no byte comes. Requests under way end.
    public var isOnline: Bool {
        get { state.withLock { $0.isOnline } }
        set {
            state.withLock { $0.isOnline = newValue }
            if !newValue { cut() }
        }
    }

    /// The time by which each piece of an answer is late.
    public var delay: Duration {
        get { state.withLock { $0.delay } }
        set { state.withLock { $0.delay = newValue } }
    }

    /// Lets the answers of the next requests that are no streams be lost: the server performs them.
    public func loseAnswers(_ count: Int) { state.withLock { $0.answersToLose = count } }

    /// Ends all requests under way, streams too.
    public func cut() {
        let passages = state.withLock { state in
            defer { state.passages = [:] }
            return state.passages.sorted { $0.key < $1.key }.map(\.value)
        }
        for passage in passages {
            passage.request?.cancel()
            passage.deliver(.end(isEarly: true))
        }
    }

    /// Passes a request on, unless the network is not there.
    public func start(_ request: WireRequest, _ deliver: @escaping @Sendable (WireEvent) -> Void) -> any Cancellable {
        let number = state.withLock { state -> Int? in
            guard state.isOnline else { return nil }
            let loses = !request.isStream && state.answersToLose > 0
            if loses { state.answersToLose -= 1 }
            let number = state.nextPassage
            state.nextPassage += 1
            state.passages[number] = Passage(deliver: deliver, request: nil, losesAnswer: loses)
            return number
        }
        guard let number else {
            deliver(.end(isEarly: true))
            return PassageEnding(network: self, number: 0)
        }
        let started = base.start(request) { [weak self] event in self?.pass(event, number) }
        let isOver = state.withLock { state in
            state.passages[number]?.request = started
            return state.passages[number] == nil
        }
        if isOver { started.cancel() }
        return PassageEnding(network: self, number: number)
    }

    private struct PassageEnding: Cancellable {
        let network: FaultyTransport
        let number: Int
        func cancel() { network.state.withLock { $0.passages.removeValue(forKey: number) }?.request?.cancel() }
    }

    private func pass(_ event: WireEvent, _ number: Int) {
        let pause = state.withLock { state -> Duration? in
            // A piece keeps its place behind those that are late.
            guard state.delay > .zero || state.passages[number]?.late.isEmpty == false else { return nil }
            state.passages[number]?.late.append(event)
            return state.delay
        }
        guard let pause else { return arrive(event, number) }
        loop.run(after: pause) { [weak self] in
            guard let self,
                let first = state.withLock({ state -> WireEvent? in
                    guard state.passages[number]?.late.isEmpty == false else { return nil }
                    return state.passages[number]?.late.removeFirst()
                })
            else { return }
            arrive(first, number)
        }
    }

    private func arrive(_ event: WireEvent, _ number: Int) {
        let told = state.withLock { state -> (deliver: @Sendable (WireEvent) -> Void, event: WireEvent)? in
            guard let passage = state.passages[number] else { return nil }
            if case .end = event { state.passages[number] = nil }
            guard passage.losesAnswer else { return (passage.deliver, event) }
            if case .end = event { return (passage.deliver, .end(isEarly: true)) }
            return nil
        }
        if let told { told.deliver(told.event) }
    }
}

extension FaultyTransport: CustomStringConvertible, CustomReflectable {
    /// `a network: online`.
    public var description: String { "a network: \(isOnline ? "online" : "offline")" }
    /// True if bytes come.
    public var customMirror: Mirror { Mirror(self, children: ["isOnline": isOnline], displayStyle: .class) }
}
