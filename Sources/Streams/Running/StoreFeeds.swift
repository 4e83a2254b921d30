import JSON
import Reactive
public import StateStore

extension Feeds {
    /// The views of a space that feed a program, for a run on the store's home: what it is told of them is as durable as what any watcher is told, and
    /// what one commit changes of several comes in one turn.
    public init(_ store: Store, _ space: SpaceName, for program: Program) {
        let views = LiveViews(program.views.sorted(), of: store, in: space)
        self.init { views.observable(of: $0) }
    }
}

/// Views of a space as a run is fed by them. They are watched together, while anything listens to any of them.
private final class LiveViews {
    private let names: [String]
    private let store: Store
    private let space: SpaceName
    private var watch: Watch?
    /// What each was last.
    private var latest: [String: Event<JSON>] = [:]
    private var listeners: [Listener] = []

    private typealias Listener = (id: Int, view: String, graph: Graph, deliver: (Event<JSON>) -> Void)
    private var listenersCount = 0

    init(_ names: [String], of store: Store, in space: SpaceName) {
        self.names = names
        self.store = store
        self.space = space
    }

    func observable(of view: String) -> Observable<JSON> {
        Observable { output in
            guard let graph = unsafe output.graph else { return }
            output.statefulness = .never
            self.listenersCount += 1
            let listener: Listener = (self.listenersCount, view, graph, { output.deliver($0) })
            output.undo = { self.leave(listener.id) }
            self.join(listener)
        }
    }

    private func join(_ listener: Listener) {
        listeners.append(listener)
        if let event = latest[listener.view] {
            listener.graph.whenIdle { listener.deliver(event) }
        } else if watch == nil {
            watch = store.watch(names, in: space) { [weak self] in self?.hear($0) }
        }
    }

    private func leave(_ id: Int) {
        listeners.removeAll { $0.id == id }
        guard listeners.isEmpty else { return }
        watch?.cancel()
        watch = nil
        latest = [:]
    }

    private func hear(_ news: Result<ViewFrames, Refusal>) {
        let events = events(of: news)
        latest.merge(events) { _, new in new }
        let told = listeners.compactMap { listener in events[listener.view].map { (listener, $0) } }
        // All in one turn: what is derived of several is not to be seen with half of a commit in it.
        told.first?.0.graph.whenIdle { for (listener, event) in told { listener.deliver(event) } }
    }

    private func events(of news: Result<ViewFrames, Refusal>) -> [String: Event<JSON>] {
        func failure(_ words: String) -> Event<JSON> { .end(.failed(StreamFailure(words))) }
        switch news {
        case .failure(let refusal):
            return Dictionary(uniqueKeysWithValues: names.map { ($0, failure("the view cannot be watched: \(refusal)")) })
        case .success(let news):
            var events: [String: Event<JSON>] = [:]
            for (view, frame) in news {
                do {
                    events[view] = .value(try JSON(parsing: frame.value.get()))
                } catch {
                    events[view] = failure("the view has failed: \(error)")
                }
            }
            return events
        }
    }
}
