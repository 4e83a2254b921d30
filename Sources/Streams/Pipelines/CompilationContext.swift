import JSON
import Reactive

/// The surroundings in which the pipelines of one definition are compiled to observables, for one run.
final class CompilationContext {
    let run: RunContext
    /// The id of the definition.
    let stream: String?
    /// The value that an inner source runs for; null elsewhere.
    let outer: JSON
    /// The observables behind `share` operators, by the pointer to the operator.
    private var shared: [JSONPointer: Observable<JSON>] = [:]

    init(_ run: RunContext, stream: String?, outer: JSON = .null) {
        self.run = run
        self.stream = stream
        self.outer = outer
    }

    var scheduler: any Scheduler { run.scheduler }
    var budget: StepBudget { run.budget }

    /// Releases the shared observables, which retain this context.
    func forgetShared() {
        shared = [:]
    }

    /// Returns the observable of an inner source for `value`, which its expressions see as `outer`.
    func run(_ inner: Pipeline, for value: JSON, at pointer: JSONPointer) throws -> Observable<JSON> {
        let budget = budget
        guard budget.spend(1) else { throw budget.failure }
        guard budget.openRuns < StreamLimits.openRuns else {
            throw failure(
                "more than \(StreamLimits.openRuns) runs of inner sources are open", value: value, at: pointer)
        }
        let context = CompilationContext(run, stream: stream, outer: value)
        let held = HeldValue(self, at: pointer)
        try held.replace(with: value)
        return inner.observable(in: context).handleEvents(
            start: { budget.openRuns += 1 },
            end: { _ in
                budget.openRuns -= 1
                held.clear()
                context.forgetShared()
            },
            stop: {
                budget.openRuns -= 1
                held.clear()
                context.forgetShared()
            })
    }

    /// Returns the one observable that all references to a `share` operator use within this run.
    func sharing(_ source: Observable<JSON>, at pointer: JSONPointer) -> Observable<JSON> {
        if let observable = shared[pointer] { return observable }
        let observable = source.asEvents().share()
        shared[pointer] = observable
        return observable
    }

    /// Emits values and completes.
    func values(_ values: [JSON]) -> Observable<JSON> {
        let budget = budget
        return Observable { output in
            for value in values where output.isActive {
                // A run without steps left emits nothing more, and does not complete.
                guard budget.spend(1) else { return }
                output.emit(value)
            }
            output.finish(.completed)
        }
    }

    /// Runs `body` and throws its error as a failure at `pointer`, with the value.
    func reporting<Result>(_ pointer: JSONPointer, of value: JSON, _ body: () throws -> Result) throws -> Result {
        do { return try body() } catch { throw failure("\(error)", value: value, at: pointer) }
    }

    /// A failure of an operator of this definition.
    func failure(_ description: String, value: JSON? = nil, at pointer: JSONPointer) -> StreamFailure {
        StreamFailure(description, value: value, at: pointer, of: stream)
    }
}

extension CompilationContext {
    /// Returns a value that an expression or an operator has made, after its size and depth are checked and its size is
    /// spent.
    func made(_ value: JSON, by maker: String, at pointer: JSONPointer) throws -> JSON {
        let size = ValueSize(of: value, upTo: StreamLimits.valueSize, nesting: StreamLimits.valueNesting)
        guard !size.isTooDeep else {
            throw failure("\(maker) makes a value that is more than \(StreamLimits.valueNesting) deep", at: pointer)
        }
        guard let total = size.total else {
            throw failure("\(maker) makes a value that is larger than \(StreamLimits.valueSize)", at: pointer)
        }
        guard budget.spend(size: total) else { throw budget.failure }
        return value
    }

    /// Returns the array that an operator makes of several values.
    func made(of values: [JSON], at pointer: JSONPointer) throws -> JSON {
        try made(.array(values), by: "the operator", at: pointer)
    }
}

extension Observable {
    /// The same values as events: a later subscriber does not receive the latest one.
    fileprivate func asEvents() -> Observable<Value> {
        Observable { output in
            output.statefulness = .never
            output.listen(to: self, receive: { output.emit($0) }, end: { output.finish($0) })
        }
    }
}
