import JSON
import Reactive

extension Source {
    /// The observable of one run of it.
    func observable(in stage: Stage) -> Observable<JSON> {
        switch self {
        case .items(let items): Self.observable(of: items, in: stage)
        case .inline(let pipeline): pipeline.observable(in: stage)
        case .view(let name):
            // What is tried has no views, and inputs in their place.
            stage.run.feeds.view(name) ?? stage.run.feeds.input(name, stage.scheduler)
                ?? .failed(StreamFailure("there is no view \(name)", of: stage.stream))
        case .input(let name):
            stage.run.feeds.input(name, stage.scheduler) ?? .failed(StreamFailure("there is no input \(name)", of: stage.stream))
        case .reference(let id):
            stage.run.program.definitions[id]?.pipeline.observable(in: stage.stage(of: id))
                ?? .failed(StreamFailure("there is no stream \(id)", of: stage.stream))
        case .joined(let joining, let sources): Self.join(sources, by: joining, in: stage)
        }
    }

    /// Items, one after the other; each is made when its turn has come.
    private static func observable(of items: [Item], in stage: Stage) -> Observable<JSON> {
        guard let first = items.first else { return .empty() }
        return first.observable(in: stage).followed(keeping: 1) { next, end in
            guard case .completed = end, next < items.count else { return nil }
            next += 1
            return items[next - 1].observable(in: stage)
        }
    }

    private static func join(_ sources: [Pipeline], by joining: Joining, in stage: Stage) -> Observable<JSON> {
        switch joining {
        case .merge: return merge(sources.map { $0.observable(in: stage) })
        case .append: return append(sources.map { $0.observable(in: stage) })
        case .combineLatest:
            let pointer = JSONPointer(["source", "combineLatest"])
            return combineLatest(sources.map { $0.observable(in: stage) }).map { try stage.made(of: $0, at: pointer) }
        case .zip: return zip(sources, in: stage)
        case .flatMap:
            let first = sources[0].observable(in: stage)
            return sources.dropFirst().reduce(first) { outer, inner in
                outer.flatMap { try stage.run(inner, for: $0, at: JSONPointer(["source", "flatMap"])) }
            }
        }
    }

    /// Pairs values; of what one source delivers before the others, a limited number waits.
    private static func zip(_ sources: [Pipeline], in stage: Stage) -> Observable<JSON> {
        .deferred {
            let backlogs = sources.map { _ in Backlog(stage.allowance) }
            let pointer = JSONPointer(["source", "zip"])
            let counted = Swift.zip(sources, backlogs).map { source, backlog in
                source.observable(in: stage).map { value in
                    try backlog.add(value, at: pointer, in: stage)
                    return value
                }
            }
            return Reactive.zip(counted).map { values in
                for backlog in backlogs { backlog.remove(1) }
                return try stage.made(of: values, at: pointer)
            }
        }
    }
}

extension Source.Item {
    /// The value, with what is done with it.
    fileprivate func observable(in stage: Stage) -> Observable<JSON> {
        operators.reduce(stage.values([value])) { $1.step($0, stage) }
    }
}
