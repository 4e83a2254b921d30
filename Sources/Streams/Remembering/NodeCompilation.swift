import JSON
import Reactive

extension Pipeline {
    /// Compiles the pipeline to the nodes of a remembering stream. Precondition: no operator is for runs only.
    func node(_ slot: MemorySlot, in context: CompilationContext) -> PipelineNode {
        operators.enumerated().reduce(source.node(slot.appending("source"), in: context)) { source, element in
            let (index, one) = element
            let slot = slot.appending("operators").appending(index)
            guard let stage = one.stage?(context, slot) else { return source }
            let side = one.inner?.node(slot.appending("side"), in: context)
            return StageNode(stage, slot, of: source, side: side, context.budget)
        }
    }
}

extension PipelineSource {
    fileprivate func node(_ slot: MemorySlot, in context: CompilationContext) -> PipelineNode {
        switch self {
        case .view(let name):
            context.run.inputs == nil
                ? ViewNode(name, slot) { StreamFailure($0, of: context.stream) } : Self.input(name, slot, in: context)
        case .input(let name): Self.input(name, slot, in: context)
        case .inline(let pipeline): pipeline.node(slot, in: context)
        case .changes(let fold): ChangesNode(fold, slot, context)
        case .reference(let id):
            context.run.pipelines[id]?.node(slot.appending("ref"), in: context.run.context(of: id))
                ?? PipelineNode(slot)
        case .joined(let joining, let sources): Self.join(sources, by: joining, slot, in: context)
        // A stream with this source is no view.
        case .items: PipelineNode(slot)
        }
    }

    private static func input(_ name: String, _ slot: MemorySlot, in context: CompilationContext) -> PipelineNode {
        let missing = ScheduledEvent(
            after: .zero, event: .end(.failed(StreamFailure("there is no input \(name)", of: context.stream))))
        return InputNode(context.run.inputs?(name) ?? InputSchedule([missing]), slot, context)
    }

    private static func join(
        _ sources: [Pipeline], by joining: Joining, _ slot: MemorySlot, in context: CompilationContext
    ) -> PipelineNode {
        let children = sources.enumerated().map { $1.node(slot.appending($0), in: context) }
        let place = OperatorPlace(context: context, pointer: JSONPointer(["source", joining.rawValue]))
        switch joining {
        case .merge: return MergeNode(slot, children)
        case .append: return AppendNode(slot, children)
        case .combineLatest: return CombineLatestNode(slot, children, at: place)
        case .zip: return ZipNode(slot, children, at: place)
        // A stream with this source is for runs only.
        case .flatMap: return PipelineNode(slot)
        }
    }
}
