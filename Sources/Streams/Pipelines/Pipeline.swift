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

    /// A function that makes the operator's stage of a remembering pipeline, with its slot.
    typealias MakeStage = @Sendable (CompilationContext, MemorySlot) -> PipelineStage

    /// The name of the operator, and its place in the document.
    let name: String
    let pointer: JSONPointer
    let transform: Transform
    /// The source among the operator's parameters, if it takes one.
    let inner: Pipeline?
    /// True if the operator does not remember: its last value over live views follows from their present values.
    let isStateless: Bool
    /// Makes its stage; nil if the operator is only for runs.
    let stage: MakeStage?
    /// The duration that the operator waits, if it takes one.
    let duration: Duration?
}

/// The origin of a pipeline's values.
indirect enum PipelineSource: Sendable {
    /// One value of a stream of items, and the operators it passes.
    struct Item: Sendable {
        let value: JSON
        let operators: [Operator]
    }

    /// A result that the commits of a space accumulate.
    struct ChangeFold: Sendable {
        /// The actions whose commits count, as `feature/name`.
        let actions: Set<String>
        let initialValue: JSON
        /// An expression that sees `accumulated` and `change`.
        let expression: OperatorExpression
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
    case changes(ChangeFold)
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
        case .view, .reference, .changes: true
        case .inline(let pipeline): pipeline.isLive
        case .joined(_, let sources): sources.allSatisfy(\.isLive)
        }
    }
}
