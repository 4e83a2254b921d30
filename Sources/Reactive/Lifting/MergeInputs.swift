/// The sources of an operator that delivers what each of them delivers, in their order: those that it was given, or those that come up.
@usableFromInline
final class MergeInputs<Value> {
    /// One source.
    @usableFromInline
    final class Input {
        /// Its place among the sources.
        @usableFromInline let number: Int
        /// What it delivered in this turn.
        @usableFromInline var values: [Value] = []
        @usableFromInline var end: End?
        /// Whether something of it waits to be dealt with.
        @usableFromInline var hasArrived = false
        /// The way from it, which knows the lane.
        @usableFromInline weak var link: Link<Value>?

        @inlinable
        init(number: Int) {
            self.number = number
        }

        /// Stops listening to it, and drops what waits of it.
        @usableFromInline
        func close() {
            values.removeAll()
            end = nil
            link?.cancel()
        }
    }

    @usableFromInline let output: Observable<Value>
    @usableFromInline let graph: Graph
    @usableFromInline let joint: Joint
    @usableFromInline var opened = 0
    /// How many have not ended.
    @usableFromInline var open = 0
    /// Those of which something waits.
    @usableFromInline var arrived: [Input] = []
    /// How that from which lanes come up has failed, if it has.
    @usableFromInline var failure: End?
    /// Has the last say about a value, before it is delivered.
    @usableFromInline var admits: (Input) -> Bool = { _ in true }

    /// Lanes into an observable that is being started.
    @inlinable
    init(to output: Observable<Value>) {
        guard let graph = unsafe output.graph else { preconditionFailure("inputs are made when their observable is started") }
        self.output = output
        self.graph = graph
        joint = output.makeJoint()
    }

    /// Opens a lane from a source.
    @inlinable
    @discardableResult
    func open(_ source: Observable<Value>) -> Input {
        let input = Input(number: opened)
        opened += 1
        open += 1
        let inputs = self
        input.link = output.listen(
            to: source,
            receive: { inputs.receive($0, from: input) },
            end: { end in
                input.end = end
                inputs.open -= 1
                inputs.note(input)
            })
        return input
    }

    @inlinable
    func receive(_ value: Value, from input: Input) {
        // Where nothing waits for anything, a value need not either, and an endless source can be cut short.
        if graph.order == .onArrival, admits(input) { return output.emit(value) }
        input.values.append(value)
        note(input)
    }

    @usableFromInline
    func note(_ input: Input) {
        if !input.hasArrived {
            input.hasArrived = true
            arrived.append(input)
        }
        graph.schedule(joint)
    }

    /// Delivers what has arrived, lane by lane; fails with the first lane that has. `completed` hears of each that has completed.
    @inlinable
    func deliver(completed: (Input) -> Void = { _ in }) {
        guard !arrived.isEmpty else { return }
        var inputs = arrived
        arrived.removeAll(keepingCapacity: true)
        if inputs.count > 1 { inputs.sort { $0.number < $1.number } }
        for input in inputs {
            input.hasArrived = false
            guard admits(input) else { continue }
            for value in input.values { output.emit(value) }
            input.values.removeAll(keepingCapacity: true)
            switch input.end {
            case .failed(let error): return output.finish(.failed(error))
            case .completed: completed(input)
            case nil: break
            }
        }
    }

    /// Ends the output once all that has arrived is delivered: with the failure, or when nothing is open.
    @inlinable
    func finishIfOver() {
        guard arrived.isEmpty else { return graph.schedule(joint) }
        if let failure { output.finish(failure) } else if open == 0 { output.finish(.completed) }
    }
}

extension MergeInputs {
    /// Listens to the observable whose values become lanes; its end is one of those that `open` counts.
    @inlinable
    func listen<Outer>(to outer: Observable<Outer>, _ waiting: Box<Fifo<Outer>>) {
        output.listen(
            to: outer,
            receive: { value in
                waiting.value.append(value)
                self.graph.schedule(self.joint)
            },
            end: { end in
                self.open -= 1
                if case .failed = end { self.failure = end }
                self.graph.schedule(self.joint)
            })
    }
}
