/// The inputs of an operator with several sources of different types (`combineLatest`, `zip`). The joint processes
/// their values once in a turn.
@usableFromInline
package final class MultiInputOperator<Output> {
    @usableFromInline let output: Observable<Output>
    @usableFromInline let graph: Graph
    @usableFromInline package let joint: Joint
    /// The subscriptions to make in `begin`, in the order of the operator's arguments.
    @usableFromInline var starts: [() -> Void] = []
    /// The number of sources that have not ended.
    @usableFromInline package var open = 0
    /// The failure of the first source that failed.
    @usableFromInline var failure: End?

    /// Creates the inputs of an observable that is starting.
    @inlinable
    package init(for output: Observable<Output>) {
        guard let graph = unsafe output.graph else {
            preconditionFailure("inputs are created while their observable starts")
        }
        self.output = output
        self.graph = graph
        joint = output.makeJoint()
    }

    /// Adds a source; `begin` subscribes to it. `complete` is called when the source completes. A failure of the source
    /// ends the output after the values before it are processed.
    @inlinable
    package func add<Input>(
        _ source: Observable<Input>, receive: @escaping (Input) -> Void, complete: @escaping () -> Void = {}
    ) {
        open += 1
        let inputs = self
        starts.append {
            inputs.output.listen(
                to: source,
                receive: { value in
                    receive(value)
                    inputs.graph.schedule(inputs.joint)
                },
                end: { end in
                    inputs.open -= 1
                    if case .failed = end { inputs.failure = inputs.failure ?? end } else { complete() }
                    inputs.graph.schedule(inputs.joint)
                })
        }
    }

    /// Subscribes to all added sources. Calls `run` once in each turn in which a source delivered.
    @usableFromInline
    package func begin(_ run: @escaping () -> Void) {
        joint.run = run
        let starts = starts
        self.starts = []
        for start in starts { start() }
    }

    /// Ends the output if a source has failed or `isOver` is true.
    @inlinable
    package func finish(if isOver: @autoclosure () -> Bool) {
        if let failure { output.finish(failure) } else if isOver() { output.finish(.completed) }
    }
}
