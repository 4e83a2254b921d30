/// The sources of an operator that delivers what each of them delivers, in their order: those that it was given, or those that come up.
@usableFromInline
final class Lanes<Value> {
    /// One source.
    @usableFromInline
    final class Lane {
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
    @usableFromInline var arrived: [Lane] = []
    /// How that from which lanes come up has failed, if it has.
    @usableFromInline var failure: End?
    /// Has the last say about a value, before it is delivered.
    @usableFromInline var admits: (Lane) -> Bool = { _ in true }

    /// Lanes into an observable that is being started.
    @inlinable
    init(to output: Observable<Value>) {
        guard let graph = unsafe output.graph else { preconditionFailure("lanes are made when their observable is started") }
        self.output = output
        self.graph = graph
        joint = output.makeJoint()
    }

    /// Opens a lane from a source.
    @inlinable
    @discardableResult
    func open(_ source: Observable<Value>) -> Lane {
        let lane = Lane(number: opened)
        opened += 1
        open += 1
        let lanes = self
        lane.link = output.listen(
            to: source,
            receive: { lanes.receive($0, from: lane) },
            end: { end in
                lane.end = end
                lanes.open -= 1
                lanes.note(lane)
            })
        return lane
    }

    @inlinable
    func receive(_ value: Value, from lane: Lane) {
        // Where nothing waits for anything, a value need not either, and an endless source can be cut short.
        if graph.order == .asItComes, admits(lane) { return output.emit(value) }
        lane.values.append(value)
        note(lane)
    }

    @usableFromInline
    func note(_ lane: Lane) {
        if !lane.hasArrived {
            lane.hasArrived = true
            arrived.append(lane)
        }
        graph.schedule(joint)
    }

    /// Delivers what has arrived, lane by lane; fails with the first lane that has. `completed` hears of each that has completed.
    @inlinable
    func deliver(completed: (Lane) -> Void = { _ in }) {
        guard !arrived.isEmpty else { return }
        var lanes = arrived
        arrived.removeAll(keepingCapacity: true)
        if lanes.count > 1 { lanes.sort { $0.number < $1.number } }
        for lane in lanes {
            lane.hasArrived = false
            guard admits(lane) else { continue }
            for value in lane.values { output.emit(value) }
            lane.values.removeAll(keepingCapacity: true)
            switch lane.end {
            case .failed(let error): return output.finish(.failed(error))
            case .completed: completed(lane)
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
