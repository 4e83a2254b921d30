import JSON
import Reactive

extension PipelineSource {
    /// Compiles the source to the observable of one run.
    func observable(in context: CompilationContext) -> Observable<JSON> {
        switch self {
        case .items(let items): Self.observable(of: items, in: context)
        case .inline(let pipeline): pipeline.observable(in: context)
        case .view(let name):
            // In a trial, inputs take the place of views.
            context.run.sources.view(name) ?? context.run.sources.input(name, context.scheduler)
                ?? .failed(StreamFailure("there is no view \(name)", of: context.stream))
        case .input(let name):
            context.run.sources.input(name, context.scheduler)
                ?? .failed(StreamFailure("there is no input \(name)", of: context.stream))
        case .reference(let id):
            context.run.pipelines[id]?.observable(in: context.run.context(of: id))
                ?? .failed(StreamFailure("there is no stream \(id)", of: context.stream))
        case .changes(let fold):
            // A run has no commits of its own: it shows the value before the first one.
            append([context.values([fold.initialValue]), .never()])
        case .joined(let joining, let sources): Self.join(sources, by: joining, in: context)
        }
    }

    /// Emits items one after the other. Each is compiled when its turn comes.
    private static func observable(of items: [Item], in context: CompilationContext) -> Observable<JSON> {
        guard let first = items.first else { return .empty() }
        return first.observable(in: context).followed(keeping: 1) { next, end in
            guard case .completed = end, next < items.count else { return nil }
            next += 1
            return items[next - 1].observable(in: context)
        }
    }

    private static func join(
        _ sources: [Pipeline], by joining: Joining, in context: CompilationContext
    ) -> Observable<JSON> {
        switch joining {
        case .merge: return merge(sources.map { $0.observable(in: context) })
        case .append: return append(sources.map { $0.observable(in: context) })
        case .combineLatest:
            let pointer = JSONPointer(["source", "combineLatest"])
            let kept = sources.map { context.keepingLatest(of: $0.observable(in: context), at: pointer) }
            return combineLatest(kept).map { try context.made(of: $0, at: pointer) }
        case .zip: return zip(sources, in: context)
        case .flatMap:
            let first = sources[0].observable(in: context)
            return sources.dropFirst().reduce(first) { outer, inner in
                outer.flatMap { try context.run(inner, for: $0, at: JSONPointer(["source", "flatMap"])) }
            }
        }
    }

    /// Pairs values. The values that one source delivers before the others wait, up to a limit.
    private static func zip(_ sources: [Pipeline], in context: CompilationContext) -> Observable<JSON> {
        .deferred {
            let backlogs = sources.map { _ in WaitingValues(context.budget) }
            let pointer = JSONPointer(["source", "zip"])
            let counted = Swift.zip(sources, backlogs).map { source, backlog in
                source.observable(in: context).map { value in
                    try backlog.add(value, at: pointer, in: context)
                    return value
                }
            }
            return Reactive.zip(counted).map { values in
                for backlog in backlogs { backlog.remove(1) }
                return try context.made(of: values, at: pointer)
            }
        }
    }
}

extension PipelineSource.Item {
    /// Compiles the value and its operators.
    fileprivate func observable(in context: CompilationContext) -> Observable<JSON> {
        operators.reduce(context.values([value])) { $1.transform($0, context) }
    }
}
