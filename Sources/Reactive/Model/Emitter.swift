/// The end of an observable of one's own through which its values enter the graph.
public final class Emitter<Value> {
    private weak var output: Observable<Value>?
    private let graph: Graph
    /// True while the observable starts: then a value is part of the turn under way.
    private var isStarting = true

    fileprivate init(_ output: Observable<Value>, in graph: Graph) {
        self.output = output
        self.graph = graph
    }

    /// True as long as the observable has a listener.
    public var isWanted: Bool { output != nil }

    /// Delivers a value in a turn of its own: at once or, within a turn, after it. A value after the end is lost.
    public func send(_ value: Value) {
        if isStarting { output?.emit(value) } else { graph.whenIdle { self.output?.emit(value) } }
    }

    /// Ends the observable. A later listener starts it again.
    public func send(_ end: End) {
        if isStarting { output?.finish(end) } else { graph.whenIdle { self.output?.finish(end) } }
    }

    fileprivate func begun() { isStarting = false }
    fileprivate func close() { output = nil }
}

extension Observable {
    /// An observable of one's own. `start` is called when the first listener arrives, and returns the closure that is
    /// called when the last one has left. A later listener starts it again.
    ///
    /// The latest value is delivered to later listeners, unless the values are `events`.
    ///
    ///     let temperature = Observable<Double>.source { emitter in
    ///         let handle = sensor.begin { emitter.send($0) }
    ///         return { sensor.end(handle) }
    ///     }
    public static func source(
        events areEvents: Bool = false, _ start: @escaping (Emitter<Value>) -> () -> Void
    ) -> Observable<Value> {
        Observable(madeBy: "source") { output in
            guard let graph = unsafe output.graph else { return }
            if areEvents { output.statefulness = .never }
            let emitter = Emitter(output, in: graph)
            let stop = start(emitter)
            emitter.begun()
            output.undo = {
                emitter.close()
                stop()
            }
        }
    }
}
