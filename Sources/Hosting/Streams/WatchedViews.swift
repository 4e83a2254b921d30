package import Streams
import JSON
import Reactive
package import StateStore

extension ExternalSources {
    /// The views of a permit that feed a program, for a run on the store's executor. Their values are as durable as
    /// those of any watch, and the changes of one commit come in one turn. The listeners of the run follow the rules of
    /// their own permits.
    package init(_ store: Store, _ permit: ReadPermit, for program: StreamProgram) {
        let views = WatchedViews(program.views.sorted(), of: store, permit)
        self.init { views.observable(of: $0) }
    }
}

/// The views of a space that feed a run. One watch of all of them lasts for as long as any has a listener.
private final class WatchedViews {
    /// The names of the views as the program writes them, and the one form of each.
    private let names: [String]
    private let forms: [ViewKey]
    private let store: Store
    private let permit: ReadPermit
    private var watch: Watch?
    /// The latest event of each view.
    private var latest: [String: Event<JSON>] = [:]
    private var listeners: [ViewListener] = []

    private typealias ViewListener = (id: Int, view: String, graph: Graph, deliver: (Event<JSON>) -> Void)
    private var listenersCount = 0

    init(_ names: [String], of store: Store, _ permit: ReadPermit) {
        self.names = names
        // A name with a fault is the name of no view, and the store says so.
        forms = names.map { ViewKey($0) }.map { (try? store.viewName($0)) ?? $0 }
        self.store = store
        self.permit = permit
    }

    func observable(of view: String) -> Observable<JSON> {
        Observable { output in
            guard let graph = unsafe output.graph else { return }
            output.statefulness = .never
            self.listenersCount += 1
            let listener: ViewListener = (self.listenersCount, view, graph, { output.deliver($0) })
            output.undo = { self.leave(listener.id) }
            self.join(listener)
        }
    }

    private func join(_ listener: ViewListener) {
        listeners.append(listener)
        if let event = latest[listener.view] {
            listener.graph.whenIdle { listener.deliver(event) }
        } else if watch == nil {
            watch = store.watchSources(of: permit) { [weak self] in self?.hear($0) }
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
        // All in one turn, so that no derived value shows half of a commit.
        told.first?.0.graph.whenIdle { for (listener, event) in told { listener.deliver(event) } }
    }

    private func events(of news: Result<ViewFrames, Refusal>) -> [String: Event<JSON>] {
        func failure(_ words: String) -> Event<JSON> { .end(.failed(StreamFailure(words))) }
        switch news {
        case .failure(let refusal):
            return Dictionary(
                uniqueKeysWithValues: names.map { ($0, failure("the view cannot be watched: \(refusal)")) })
        case .success(let news):
            var events: [String: Event<JSON>] = [:]
            for (form, frame) in news {
                for (name, own) in zip(names, forms) where own == form {
                    do {
                        events[name] = .value(try frame.tree())
                    } catch {
                        events[name] = failure("the view has failed: \(error)")
                    }
                }
            }
            return events
        }
    }
}
