import JSON
import Reactive
import StateModel

/// The trial of a stream that a space can keep: its nodes are those of the space, and its memory is volatile.
final class TriedTree {
    private let context: CompilationContext
    private let root: PipelineNode
    private let budget: StepBudget

    init(_ program: StreamProgram, _ budget: StepBudget, _ inputs: @escaping (String) -> InputSchedule?) {
        self.budget = budget
        let run = RunContext(program.pipelines, VirtualScheduler(), budget, ExternalSources { _ in nil })
        run.inputs = inputs
        context = CompilationContext(run, stream: program.main.id)
        root = program.main.pipeline.node(MemorySlot(memory: Memory("~trial"), path: ""), in: context)
    }

    deinit {
        context.run.close()
        root.stop()
    }

    /// Runs until a time, as long as `goesOn` returns true. Returns the time of the last event.
    func run(
        until end: Instant, while goesOn: () -> Bool, _ hear: (StreamEvent, Instant) -> Void
    ) -> Instant {
        var now = Instant.zero
        step(at: now, hear)
        let timed = TimedNodes(of: root)
        while goesOn(), let due = timed.due, due <= end {
            now = max(now, due)
            timed.noteDue()
            step(at: now, hear)
        }
        return now
    }

    private func step(at now: Instant, _ hear: (StreamEvent, Instant) -> Void) {
        for event in root.step(StreamMoment(now: now)) {
            switch event {
            case .value(let value): hear(.value(value), now)
            case .end(let end): if budget.shortage == nil { hear(StreamEvent(end), now) }
            }
        }
        if budget.shortage != nil { hear(.failure(budget.failure), now) }
    }
}
