import JSON
import Reactive

/// A source and the operators that its values pass, in order.
struct Pipeline: Sendable {
    let source: PipelineSource
    let operators: [Operator]

    /// Compiles the pipeline to the observable of one run.
    func observable(in context: CompilationContext) -> Observable<JSON> {
        operators.reduce(source.observable(in: context)) { $1.transform($0, context) }
    }
}

/// One operator of a pipeline.
struct Operator: Sendable {
    /// A function from the observable before the operator to the one behind it.
    typealias Transform = @Sendable (Observable<JSON>, CompilationContext) -> Observable<JSON>

    let transform: Transform
    /// The source among the operator's parameters, if it takes one.
    var inner: Pipeline?
}

/// The origin of a pipeline's values.
indirect enum PipelineSource: Sendable {
    /// One value of a stream of items, and the operators it passes.
    struct Item: Sendable {
        let value: JSON
        let operators: [Operator]
    }

    /// A way to make one source of several.
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

extension Pipeline {
    /// True if neither items nor inputs feed the pipeline. The definitions it refers to are not examined.
    var isLive: Bool {
        source.isLive && operators.allSatisfy { $0.inner?.isLive ?? true }
    }
}

extension PipelineSource {
    fileprivate var isLive: Bool {
        switch self {
        case .items, .input: false
        case .view, .reference: true
        case .inline(let pipeline): pipeline.isLive
        case .joined(_, let sources): sources.allSatisfy(\.isLive)
        }
    }
}
