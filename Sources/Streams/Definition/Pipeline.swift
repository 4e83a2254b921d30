import JSON
import Reactive

/// A source, and what is done with its values, in order.
struct Pipeline: Sendable {
    let source: Source
    let operators: [Operator]

    /// The observable of one run of it.
    func observable(in stage: Stage) -> Observable<JSON> {
        operators.reduce(source.observable(in: stage)) { $1.step($0, stage) }
    }
}

/// One operator of a pipeline.
struct Operator: Sendable {
    /// What it makes of an observable in a run.
    typealias Step = @Sendable (Observable<JSON>, Stage) -> Observable<JSON>

    let step: Step
    /// The source that it was given, where it was.
    var inner: Pipeline?
}

/// Where the values of a pipeline come from.
indirect enum Source: Sendable {
    /// One value of a stream of items, and what is done with it.
    struct Item: Sendable {
        let value: JSON
        let operators: [Operator]
    }

    /// How several sources become one.
    enum Joining: String, CaseIterable, Sendable {
        case merge, append, flatMap, zip, combineLatest
    }

    case items([Item])
    case view(String)
    case reference(String)
    case input(String)
    case joined(Joining, [Pipeline])
    case inline(Pipeline)
}
