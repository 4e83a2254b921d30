/// Where an operator waits for several sources, each of a type of its own, and deals with what they delivered once in a turn.
@usableFromInline
package final class MultiInputOperator<Output> {
    @usableFromInline let output: Observable<Output>
    @usableFromInline let graph: Graph
    @usableFromInline package let joint: Joint
    /// What is yet to be listened to, in the order of the operator's arguments.
    @usableFromInline var starts: [() -> Void] = []
    /// How many sources have not ended.
    @usableFromInline package var open = 0
    /// How the first source that failed did.
    @usableFromInline var failure: End?

    /// A meeting for an observable that is being started.
    @inlinable
    package init(for output: Observable<Output>) {
        guard let graph = unsafe output.graph else { preconditionFailure("a inputs is made when its observable is started") }
        self.output = output
        self.graph = graph
        joint = output.makeJoint()
    }

    /// Adds a source, which is listened to when all have been added. `end` is for its completion; a failure fails the output once what arrived
    /// before has been dealt with.
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

    /// Listens to all that was added, and does `run` once in each turn in which something arrived.
    @usableFromInline
    package func begin(_ run: @escaping () -> Void) {
        joint.run = run
        let starts = starts
        self.starts = []
        for start in starts { start() }
    }

    /// Ends the output if a source has failed or `isOver`.
    @inlinable
    package func finish(if isOver: @autoclosure () -> Bool) {
        if let failure { output.finish(failure) } else if isOver() { output.finish(.completed) }
    }
}
