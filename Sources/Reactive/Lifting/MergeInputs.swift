/// The inputs of an operator that forwards the values of all its sources in the order of the sources. The sources are
/// fixed (`merge`) or are added over time (`flatMap`).
@usableFromInline
final class MergeInputs<Value> {
    /// One source of the operator.
    @usableFromInline
    final class MergeInput {
        /// The index of the source.
        @usableFromInline let number: Int
        /// The values that the source delivered in this turn.
        @usableFromInline var values: [Value] = []
        @usableFromInline var end: End?
        /// True if values or the end wait for the joint.
        @usableFromInline var hasArrived = false
        /// The link to the source. Weak, because the link's closures retain this input.
        @usableFromInline weak var link: Link<Value>?

        @inlinable
        init(number: Int) {
            self.number = number
        }

        /// Stops listening to the source and drops its waiting values.
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
    /// The number of sources that have not ended.
    @usableFromInline var open = 0
    /// The inputs with waiting values or a waiting end.
    @usableFromInline var arrived: [MergeInput] = []
    /// The failure of the outer observable (the one whose values become sources), if it failed.
    @usableFromInline var failure: End?
    /// Decides if the waiting values of an input may be delivered.
    @usableFromInline var admits: (MergeInput) -> Bool = { _ in true }

    /// Creates the inputs of an observable that is starting.
    @inlinable
    init(to output: Observable<Value>) {
        guard let graph = unsafe output.graph else {
            preconditionFailure("inputs are created while their observable starts")
        }
        self.output = output
        self.graph = graph
        joint = output.makeJoint()
    }

    /// Adds a source and listens to it.
    @inlinable
    @discardableResult
    func open(_ source: Observable<Value>) -> MergeInput {
        let input = MergeInput(number: opened)
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
    func receive(_ value: Value, from input: MergeInput) {
        // On arrival no joint waits for others, so the value is forwarded at once. That lets a listener cut short an
        // endless source.
        if graph.order == .onArrival, admits(input) { return output.emit(value) }
        input.values.append(value)
        note(input)
    }

    @usableFromInline
    func note(_ input: MergeInput) {
        if !input.hasArrived {
            input.hasArrived = true
            arrived.append(input)
        }
        graph.schedule(joint)
    }

    /// Delivers the waiting values, input by input, and fails with the first input that failed. Calls `completed` for
    /// each input that completed.
    @inlinable
    func deliver(completed: (MergeInput) -> Void = { _ in }) {
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

    /// Ends the output after all waiting values are delivered: with the failure, or with completion if no source is
    /// open.
    @inlinable
    func finishIfOver() {
        guard arrived.isEmpty else { return graph.schedule(joint) }
        if let failure { output.finish(failure) } else if open == 0 { output.finish(.completed) }
    }
}

extension MergeInputs {
    /// Listens to the outer observable, whose values become sources. `open` counts it as one source.
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
