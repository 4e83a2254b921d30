internal import Ground
import JSON
public import Reactive

/// The world outside the state, for an effect: the time, other servers, and the actions it may perform.
public final class Outside {
    let feature: String
    /// The store; nil if the effects are only inspected.
    private let host: (any EffectHost)?
    /// The space of the effect.
    public let space: SpaceName
    /// The clock and the alarms.
    public let scheduler: any Scheduler
    /// Random numbers, to spread work over time between spaces.
    public var random: Randomness
    /// The log of the server, for lines of this feature.
    ///
    ///     outside.log.info("the publisher answered")
    public var log: FeatureLog {
        let (feature, space, host) = (feature, space, Confined(openHost))
        return FeatureLog(
            info: { host.value?.note("\(feature) in the space \(space): \($0)") },
            warning: { host.value?.warn("\(feature) in the space \(space): \($0)") })
    }

    init(of feature: String, in space: SpaceName, of host: any EffectHost) {
        self.feature = feature
        self.space = space
        self.host = host
        scheduler = host.executor.scheduler
        random = host.randomness()
    }

    /// Creates the outside for effects that are inspected and never run.
    init(of feature: String) {
        self.feature = feature
        host = nil
        space = .common
        scheduler = VirtualScheduler()
        random = Randomness(seed: 0)
    }

    /// The store, unless it is closed.
    var openHost: (any EffectHost)? { host.flatMap { $0.isOpen ? $0 : nil } }

    /// The time of day, as in commits.
    public var now: Timestamp { openHost?.now ?? Timestamp(microseconds: 0) }

    // MARK: Acting

    /// Performs an action, delivers the answer and completes.
    ///
    /// `action` names an action of this feature, or one of another feature as `feature/action`. `space` is this space
    /// if nil. If the state rejects the action (`Rejection.Kind.conflict`), the observable completes without an answer.
    /// If the journal fails, or other processes always commit first, the action is retried, without end. Any other
    /// refusal is a failure. In a cluster an action in a space of another owner is sent there, and performed once.
    public func perform<Input: Record>(
        _ action: String, _ input: Input, in space: SpaceName? = nil, key: String? = nil
    ) -> Observable<Answer> {
        .deferred { [self] in
            let parts = action.split(separator: "/", maxSplits: 1).map(String.init)
            let call = Call(
                feature: parts.count == 2 ? parts[0] : feature, action: parts.last ?? "", input: try input.json(),
                key: key)
            return attempt(call.byEffect, in: space ?? self.space, number: 0)
        }
    }

    /// Performs an action without an input.
    public func perform(_ action: String, in space: SpaceName? = nil, key: String? = nil) -> Observable<Answer> {
        perform(action, NoInput(), in: space, key: key)
    }

    private func attempt(_ call: Call, in space: SpaceName, number: Int) -> Observable<Answer> {
        send(call, in: space).catch { [self] error in
            switch error as? Refusal {
            case .rejected(let rejection): return rejection.kind == .conflict ? .empty() : .failed(rejection)
            case .journal, .contended, .elsewhere:
                let delay = RetryDelays.forActions[number]
                return Observable<Int>.timer(delay, on: scheduler).flatMap { _ in
                    self.attempt(call, in: space, number: number + 1)
                }
            case .noSuchAction, .wrongSpace:
                guard let message = openHost?.misspelling(of: call.feature, call.action, in: space) else {
                    return .failed(error)
                }
                openHost?.noteMisspelling(message)
                return .failed(MisspeltAction(description: message))
            default: return .failed(error)
            }
        }
    }

    /// Sends a call once. The action is performed even if the subscription to its answer is cancelled.
    private func send(_ call: Call, in space: SpaceName) -> Observable<Answer> {
        deliver { host, receive in
            host.perform(call, in: space) { receive($0.mapError { $0 }) }
            return {}
        }
    }

    // MARK: Fetching

    /// Sends a request to another server, once for each run. Cancelling the run cancels the request.
    public func fetch(_ request: OutgoingRequest) -> Observable<OutgoingResponse> {
        deliver { host, receive in
            let receive = Confined(receive)
            let executor = host.executor
            let cancellation = host.fetcher.fetch(request) { result in
                executor.post { receive.value(result.mapError { $0 }) }
            }
            return { cancellation.cancel() }
        }
    }

    /// Delivers the result that `start` passes on, once, on this executor. `start` returns the closure that cancels it.
    package func result<Value>(
        of start: @escaping (@escaping (Result<Value, any Error>) -> Void) -> () -> Void
    ) -> Observable<Value> {
        deliver { _, receive in start(receive) }
    }

    /// Delivers the one result of `start`, and the end. `start` returns the closure that cancels it.
    private func deliver<Value>(
        _ start: @escaping (any EffectHost, @escaping (Result<Value, any Error>) -> Void) -> () -> Void
    ) -> Observable<Value> {
        Observable { [host] output in
            guard let host, host.isOpen else { return }
            output.statefulness = .never
            let response = PendingResponse(for: output, in: host.graph)
            let cancel = start(host, response.receive)
            output.undo = {
                response.cancel()
                cancel()
            }
        }
    }
}

/// The result that a run waits for. It is delivered unless the run has been cancelled.
private final class PendingResponse<Value> {
    private var output: Observable<Value>?
    private let graph: Graph

    init(for output: Observable<Value>, in graph: Graph) {
        self.graph = graph
        self.output = output
    }

    func cancel() {
        output = nil
    }

    /// Delivers the result and the end, after the current turn of the graph.
    func receive(_ result: Result<Value, any Error>) {
        graph.whenIdle { [self] in
            guard let output else { return }
            switch result {
            case .success(let value):
                output.emit(value)
                output.finish(.completed)
            case .failure(let error): output.finish(.failed(error))
            }
        }
    }
}

/// The failure of an effect that performs an action that does not exist.
struct MisspeltAction: Error, CustomStringConvertible {
    let description: String
}
