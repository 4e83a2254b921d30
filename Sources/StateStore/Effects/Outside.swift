import JSON
public import Reactive

/// What an effect is given besides the state: the time, the world, and the right to act.
public final class Outside {
    /// How long a performance waits before it is tried again, each time longer, the last without end.
    static let patience: [Duration] = [.seconds(1), .seconds(2), .seconds(5), .seconds(15), .seconds(30)]

    private let feature: String
    /// Nobody where the effects are made to be looked at only.
    private let door: Door?
    /// The space whose effects these are.
    public let space: SpaceName
    /// The time, and alarms.
    public let scheduler: any Scheduler
    /// Random numbers, for what should not happen everywhere at once.
    public var random: Randomness

    init(of feature: String, in space: SpaceName, of store: Store) {
        self.feature = feature
        self.space = space
        door = store.door
        scheduler = store.home.scheduler
        random = store.randomness()
    }

    /// The outside of effects that are only looked at.
    init(of feature: String) {
        self.feature = feature
        door = nil
        space = .common
        scheduler = VirtualScheduler()
        random = Randomness(seed: 0)
    }

    /// The time of day, as commits have it.
    public var now: Timestamp { door?.store?.now ?? Timestamp(microseconds: 0) }

    // MARK: Acting

    /// Performs an action of this feature, or another's as `feature/name`, in this space or another, as anybody would: delivers the answer and
    /// completes. Where the state does not allow it (any more), it completes without; where it cannot be kept just now, it is tried again. Any
    /// other refusal is a failure.
    public func perform<Input: Record>(
        _ action: String, _ input: Input, in space: SpaceName? = nil, key: String? = nil
    ) -> Observable<Answer> {
        .deferred { [self] in
            let parts = action.split(separator: "/", maxSplits: 1).map(String.init)
            let call = Call(
                feature: parts.count == 2 ? parts[0] : feature, action: parts.last ?? "", input: try input.json(), key: key)
            return attempt(call.byEffect, in: space ?? self.space, number: 0)
        }
    }

    /// Performs an action that needs nothing.
    public func perform(_ action: String, in space: SpaceName? = nil, key: String? = nil) -> Observable<Answer> {
        perform(action, Nothing(), in: space, key: key)
    }

    private func attempt(_ call: Call, in space: SpaceName, number: Int) -> Observable<Answer> {
        send(call, in: space).catch { [self] error in
            switch error as? Refusal {
            case .rejected(let rejection): return rejection.kind == .conflict ? .empty() : .failed(rejection)
            case .journal, .contended:
                let delay = Self.patience[min(number, Self.patience.count - 1)]
                return Observable<Int>.timer(delay, on: scheduler).flatMap { _ in self.attempt(call, in: space, number: number + 1) }
            default: return .failed(error)
            }
        }
    }

    /// Sends a call once. It is performed whether somebody still waits for the answer or not.
    private func send(_ call: Call, in space: SpaceName) -> Observable<Answer> {
        arriving { store, arrive in
            store.reach?(call, space) { arrive($0.mapError { $0 }) }
            return {}
        }
    }

    // MARK: Fetching

    /// Fetches something, once for each run; one that is not wanted any more is broken off.
    public func fetch(_ request: OutgoingRequest) -> Observable<OutgoingResponse> {
        arriving { store, arrive in
            let arrive = Owned(arrive)
            let home = store.home
            let cancellation = store.fetcher.fetch(request) { result in
                home.post { arrive.value(result.mapError { $0 }) }
            }
            return { cancellation.cancel() }
        }
    }

    /// What `ask` has arrive, and the end. It gives what breaks it off.
    private func arriving<Value>(
        _ ask: @escaping (Store, @escaping (Result<Value, any Error>) -> Void) -> () -> Void
    ) -> Observable<Value> {
        Observable { [door] output in
            guard let store = door?.store else { return }
            output.statefulness = .never
            let arrival = Arrival(at: output, in: store.graph)
            let breakOff = ask(store, arrival.take)
            output.undo = {
                arrival.forget()
                breakOff()
            }
        }
    }
}

/// Where something arrives that was asked for elsewhere. It is delivered if the run that asked still waits for it.
private final class Arrival<Value> {
    private var output: Observable<Value>?
    private let graph: Graph

    init(at output: Observable<Value>, in graph: Graph) {
        self.graph = graph
        self.output = output
    }

    func forget() {
        output = nil
    }

    /// Delivers what has come, and the end; not within the call that asked.
    func take(_ result: Result<Value, any Error>) {
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
