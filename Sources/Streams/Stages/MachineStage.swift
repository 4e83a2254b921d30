import JSON
import Reactive
import StateModel

/// The host of a machine in a tree of nodes. What it keeps is in a slot; in a trial, nothing is kept.
final class MachineStage<M: Machine>: PipelineStage where M.Input == JSON {
    /// What the machine does with a value of the side source; nil if it has none.
    typealias TakeSide = (JSON, inout M.State, inout Emission<M.Output>) throws -> Void

    private let machine: M
    private let form: KeptForm<M.State>
    private let slot: MemorySlot
    private let memory: any OperatorMemory
    private let takeSide: TakeSide?
    private let made: (M.Output) throws -> JSON
    private var state: M.State
    /// True if the memory has a state.
    private var isKept = false
    private var hasTaken = false

    init(
        _ machine: M, _ form: KeptForm<M.State>, _ slot: MemorySlot, _ memory: any OperatorMemory,
        _ takeSide: TakeSide?, _ made: @escaping (M.Output) throws -> JSON
    ) {
        self.memory = memory
        self.machine = machine
        self.form = form
        self.slot = slot
        self.takeSide = takeSide
        self.made = made
        state = machine.initial
        super.init(sideIsFirst: machine.sideIsFirst)
    }

    override func resume() {
        guard let kept = form.read(slot) else { return }
        state = kept
        isKept = true
    }

    override func begin(_ output: inout Emission<JSON>) throws {
        try play(&output, keeps: form.begins) { try machine.begin(&$0, &$1) }
    }

    override var isFresh: Bool { !hasTaken }

    override func receive(_ value: JSON, _ output: inout Emission<JSON>) throws {
        hasTaken = true
        try play(&output) { try machine.receive(value, &$0, &$1) }
    }

    override func end(_ end: End, _ output: inout Emission<JSON>) throws {
        try play(&output) { try machine.end(end, &$0, &$1) }
    }

    override func receiveSide(_ value: JSON, _ output: inout Emission<JSON>) throws {
        try play(&output) { state, results in try takeSide?(value, &state, &results) }
    }

    override func endSide(_ output: inout Emission<JSON>) throws {
        try play(&output) { state, results in try machine.endSide(&state, &results) }
    }

    override var takesSide: Bool { machine.takesSide(state) }
    override var due: Instant? { machine.due(state) }
    override var wait: Duration { machine.wait }

    override func elapse(_ output: inout Emission<JSON>) throws {
        try play(&output) { try machine.elapse(&$0, &$1) }
    }

    private func play(
        _ output: inout Emission<JSON>, keeps: Bool = true,
        _ event: (inout M.State, inout Emission<M.Output>) throws -> Void
    ) throws {
        var results = Emission<M.Output>(at: output.now)
        results.attempt { try event(&state, &$0) }
        if keeps {
            try form.keep(&state, memory)
            isKept = true
        }
        try results.forEach { event in
            switch event {
            case .value(let value): output.emit(try made(value))
            case .end(let end): output.finish(end)
            }
        }
    }

    // Written out, because a `nil` beside a JSON value is the JSON null.
    override var latest: JSON? {
        guard isKept, let shown = form.delivered else { return Optional.none }
        return shown(state)
    }
}

/// An operator of a document at its place: a machine over JSON, which both hosts can play.
struct OperatorMachine {
    /// Makes its stage of a remembering pipeline.
    let stage: (MemorySlot) -> PipelineStage
    /// Makes its observable of a run, over a source and, if it takes one, a side source.
    let observable: (Observable<JSON>, Observable<JSON>?) -> Observable<JSON>
}

/// The place of an operator in its document, and the surroundings in which the document is compiled.
struct OperatorPlace {
    let context: CompilationContext
    let pointer: JSONPointer

    /// True in a space, which keeps what the operator remembers.
    var isKept: Bool { context.run.isKept }

    /// The memory of the operator: the slot in a space, and none in a trial.
    func memory(in slot: MemorySlot) -> any OperatorMemory { isKept ? slot : RunMemory(self) }

    /// A duration as the host counts it: a space knows microseconds.
    func span(of duration: Duration) -> Duration { isKept ? duration.inMicroseconds : duration }

    /// Returns the array that the operator makes of several values.
    func array(_ values: [JSON]) throws -> JSON { try context.made(of: values, at: pointer) }

    /// Spends the step of a value that the operator adds.
    func spend() throws {
        guard context.budget.spend(1) else { throw context.budget.failure }
    }

    /// An operator with one source. `made` makes the results of the machine to values.
    func host<M: Machine>(
        _ machine: M, _ form: KeptForm<M.State>, _ made: @escaping (M.Output) throws -> JSON
    ) -> OperatorMachine where M.Input == JSON {
        let form = form.limited(at: self)
        return OperatorMachine {
            MachineStage(machine, form, $0, memory(in: $0), nil, made)
        } observable: { source, _ in
            guard form.isOfEntries else { return source.run(machine, on: context.scheduler).map(made) }
            let source = form.holdsLatest ? context.keepingLatest(of: source, at: pointer) : source
            return .deferred {
                let memory = RunMemory(self)
                return source.run(machine, on: context.scheduler) { try form.keep(&$0, memory) }.map(made)
            }
        }
    }

    /// An operator with one source whose results are values.
    func host<M: Machine>(
        _ machine: M, _ form: KeptForm<M.State>
    ) -> OperatorMachine where M.Input == JSON, M.Output == JSON {
        host(machine, form) { $0 }
    }

    /// An operator with a side source. `made` makes the results of the machine to values.
    func host<M: Machine>(
        besides machine: M, _ form: KeptForm<M.State>, _ made: @escaping (M.Output) throws -> JSON
    ) -> OperatorMachine where M.Input == JSON, M.Side == JSON {
        OperatorMachine {
            MachineStage(machine, form, $0, memory(in: $0), { try machine.receiveSide($0, &$1, &$2) }, made)
        } observable: { source, side in
            .deferred {
                let memory = RunMemory(self)
                return source.run(machine, with: side ?? .never()) { try form.keep(&$0, memory) }.map(made)
            }
        }
    }
}
