import JSON
import Reactive
import StateModel

/// An operator with its source and, if it takes one, its side source.
final class StageNode: PipelineNode {
    private let stage: PipelineStage
    private let budget: StepBudget
    private var isDue = false

    private var source: PipelineNode { children[0] }
    private var side: PipelineNode? { children.count > 1 ? children[1] : nil }

    init(_ stage: PipelineStage, _ slot: MemorySlot, of source: PipelineNode, side: PipelineNode?, _ budget: StepBudget)
    {
        self.stage = stage
        self.budget = budget
        super.init(slot, [source] + (side.map { [$0] } ?? []))
    }

    override func resumeParts() {
        stage.resume()
        super.resumeParts()
        if !stage.takesSide { side?.stop() }
    }

    override var inOrder: [PipelineNode] { stage.sideIsFirst ? children.reversed() : children }

    override var due: Instant? { isBegun && !isOver ? stage.due : nil }

    override var wait: Duration { stage.wait }

    var isFresh: Bool { stage.isFresh }

    override func noteDue() {
        isDue = true
        noteChanged()
    }

    override func compute(_ moment: StreamMoment, isFirst: Bool, _ output: inout Emission<JSON>) {
        if isFirst { output.attempt { try stage.begin(&$0) } }
        if isDue {
            isDue = false
            output.attempt { output in
                guard budget.spend(1) else { throw budget.failure }
                try stage.elapse(&output)
            }
        }
        if stage.sideIsFirst { takeSide(moment, &output) }
        if !output.isOver {
            for event in source.step(moment) where !output.isOver {
                take(&output) { output in
                    switch event {
                    case .value(let value): try stage.receive(value, &output)
                    case .end(let end): try stage.end(end, &output)
                    }
                }
            }
        }
        if !stage.sideIsFirst { takeSide(moment, &output) }
    }

    private func takeSide(_ moment: StreamMoment, _ output: inout Emission<JSON>) {
        guard let side, !output.isOver else { return }
        for event in side.step(moment) where !output.isOver && stage.takesSide {
            take(&output) { output in
                switch event {
                case .value(let value): try stage.receiveSide(value, &output)
                case .end(.completed): try stage.endSide(&output)
                case .end(let failure): output.finish(failure)
                }
            }
        }
        if !stage.takesSide { side.stop() }
    }

    private func take(_ output: inout Emission<JSON>, _ body: (inout Emission<JSON>) throws -> Void) {
        output.attempt { output in
            guard budget.spend(1) else { throw budget.failure }
            try body(&output)
        }
    }

    override var latest: JSON? { stage.latest }
}
