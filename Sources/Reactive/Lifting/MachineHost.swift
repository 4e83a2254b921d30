/// The run of a machine in the graph of one process. Its memory is volatile: the state begins anew each time the
/// observable starts.
private final class MachineHost<M: Machine> {
    let machine: M
    private let output: Observable<M.Output>
    private let clock: (any Scheduler)?
    /// Takes the state after each event, before its results are delivered.
    private let keep: (inout M.State) throws -> Void
    private var state: M.State
    private var alarm: Alarm?
    private var due: Instant?
    private(set) var isOver = false

    init(
        _ machine: M, for output: Observable<M.Output>, _ clock: (any Scheduler)?,
        _ keep: @escaping (inout M.State) throws -> Void
    ) {
        self.machine = machine
        self.output = output
        self.clock = clock
        self.keep = keep
        state = machine.initial
        // The results may make the last listener leave, and another one come.
        output.undo = { self.isOver = true }
        play { try machine.begin(&$0, &$1) }
    }

    /// True if the side source still counts.
    var takesSide: Bool { machine.takesSide(state) }

    /// Plays one event: the state changes, the results are delivered, and the alarm is set.
    func play(_ event: (inout M.State, inout Emission<M.Output>) throws -> Void) {
        guard !isOver else { return }
        let now = clock?.now ?? .zero
        var results = Emission<M.Output>(at: now)
        results.attempt { try event(&state, &$0) }
        do { try keep(&state) } catch {
            results = Emission(at: now)
            results.finish(.failed(error))
        }
        results.forEach { if !isOver { output.deliver($0) } }
        if !isOver { setAlarm() }
    }

    func end(_ end: End) {
        play { try machine.end(end, &$0, &$1) }
    }

    private func setAlarm() {
        let next = machine.due(state)
        guard let clock, next != due || next != nil && machine.setsAnew else { return }
        output.cancel(alarm)
        due = next
        alarm = next.map { next in
            output.after(next - clock.now, on: clock) { [self] in
                due = nil
                play { try machine.elapse(&$0, &$1) }
            }
        }
    }
}

extension Observable {
    /// Makes the observable of a machine over this source. `keep` takes the state after each event, before its results are
    /// delivered; an error of it is a failure in their place.
    package func run<M: Machine>(
        _ machine: M, on clock: (any Scheduler)? = nil, madeBy maker: StaticString = #function,
        keeping keep: @escaping (inout M.State) throws -> Void = { _ in }
    ) -> Observable<M.Output> where M.Input == Value {
        Observable<M.Output>(madeBy: maker) { output in
            let host = MachineHost(machine, for: output, clock, keep)
            guard !host.isOver else { return }
            output.listen(
                to: self, receive: { value in host.play { try machine.receive(value, &$0, &$1) } },
                end: { host.end($0) })
        }
    }

    /// Makes the observable of a machine over this source and a side source, which decides when or which values are
    /// delivered.
    package func run<M: Machine>(
        _ machine: M, with side: Observable<M.Side>, on clock: (any Scheduler)? = nil,
        madeBy maker: StaticString = #function, keeping keep: @escaping (inout M.State) throws -> Void = { _ in }
    ) -> Observable<M.Output> where M.Input == Value {
        Observable<M.Output>(madeBy: maker) { output in
            guard let graph = unsafe output.graph else { return }
            let joint = output.makeJoint()
            let host = MachineHost(machine, for: output, clock, keep)
            let values = Box(Fifo<Value>()), sides = Box(Fifo<M.Side>())
            let end = Box(End?.none), sideEnd = Box(End?.none)
            let link = Box(Link<M.Side>?.none)
            let runSource = {
                while !host.isOver, let value = values.value.popFirst() {
                    host.play { try machine.receive(value, &$0, &$1) }
                }
            }
            let runSide = {
                while !host.isOver, host.takesSide, let value = sides.value.popFirst() {
                    host.play { state, output in try machine.receiveSide(value, &state, &output) }
                }
                guard !host.isOver else { return }
                guard host.takesSide else {
                    link.value?.cancel()
                    return
                }
                guard let ending = sideEnd.value else { return }
                sideEnd.value = nil
                host.play { state, output in
                    if case .failed = ending { return output.finish(ending) }
                    try machine.endSide(&state, &output)
                }
            }
            joint.run = {
                if machine.sideIsFirst { runSide() }
                runSource()
                if !machine.sideIsFirst { runSide() }
                if let ending = end.value, !host.isOver { host.end(ending) }
            }
            let listenToSource = {
                _ = output.listen(
                    to: self,
                    receive: { value in
                        values.value.append(value)
                        graph.schedule(joint)
                    },
                    end: { ending in
                        end.value = ending
                        graph.schedule(joint)
                    })
            }
            if !machine.sideIsFirst { listenToSource() }
            let listening = output.listen(
                to: side, isSideInput: true,
                receive: { value in
                    sides.value.append(value)
                    graph.schedule(joint)
                },
                end: { ending in
                    sideEnd.value = ending
                    graph.schedule(joint)
                })
            // The side source may already have delivered.
            if host.takesSide { link.value = listening } else { listening.cancel() }
            if machine.sideIsFirst { listenToSource() }
        }
    }

    /// Delivers an event.
    @inlinable
    package func deliver(_ event: Event<Value>) {
        switch event {
        case .value(let value): emit(value)
        case .end(let end): finish(end)
        }
    }
}
