import JSON
import Reactive

/// Where the pipelines of one definition are made into observables, for one run.
final class Stage {
    /// What all stages of a run have in common.
    final class Run {
        let program: Program
        let scheduler: any Scheduler
        let allowance: Allowance
        let feeds: Feeds
        /// The stages of the definitions that are referred to, so that what they share is shared within the run.
        var stages: [String: Stage] = [:]

        init(_ program: Program, _ scheduler: any Scheduler, _ allowance: Allowance, _ feeds: Feeds) {
            self.program = program
            self.scheduler = CountingScheduler(scheduler, allowance)
            self.allowance = allowance
            self.feeds = feeds
        }
    }

    let run: Run
    /// The id of the definition.
    let stream: String?
    /// The value that this is a run for, where it is one for each value.
    let outer: JSON
    /// What is shared, by the pointer to its operator.
    private var shared: [JSONPointer: Observable<JSON>] = [:]

    init(_ run: Run, stream: String?, outer: JSON = .null) {
        self.run = run
        self.stream = stream
        self.outer = outer
    }

    var scheduler: any Scheduler { run.scheduler }
    var allowance: Allowance { run.allowance }

    /// The stage of a definition that is referred to.
    func stage(of id: String) -> Stage {
        if let stage = run.stages[id] { return stage }
        let stage = Stage(run, stream: id)
        run.stages[id] = stage
        return stage
    }

    /// Forgets what is shared, which knows this stage.
    func close() {
        shared = [:]
        for stage in run.stages.values { stage.shared = [:] }
        run.stages = [:]
    }

    /// A run of a source for a value, which it sees as `outer`.
    func run(_ inner: Pipeline, for value: JSON, at pointer: JSONPointer) throws -> Observable<JSON> {
        let allowance = allowance
        guard allowance.spend(1) else { throw allowance.failure }
        guard allowance.openRuns < Limits.openRuns else {
            throw StreamFailure("more than \(Limits.openRuns) runs of inner sources are under way", value: value, at: pointer, in: self)
        }
        let stage = Stage(run, stream: stream, outer: value)
        return inner.observable(in: stage).handleEvents(
            start: { allowance.openRuns += 1 },
            end: { _ in
                allowance.openRuns -= 1
                stage.shared = [:]
            },
            stop: {
                allowance.openRuns -= 1
                stage.shared = [:]
            })
    }

    /// The one observable that all in this run share who come to an operator.
    func sharing(_ source: Observable<JSON>, at pointer: JSONPointer) -> Observable<JSON> {
        if let observable = shared[pointer] { return observable }
        let observable = source.asEvents().share()
        shared[pointer] = observable
        return observable
    }

    /// Values, and the end.
    func values(_ values: [JSON]) -> Observable<JSON> {
        let allowance = allowance
        return Observable { output in
            for value in values where output.isActive {
                // Who has no steps left says nothing more, not even that.
                guard allowance.spend(1) else { return }
                output.emit(value)
            }
            output.finish(.completed)
        }
    }

    /// Does something that may find fault with a value.
    func reporting<Result>(_ pointer: JSONPointer, of value: JSON, _ body: () throws -> Result) throws -> Result {
        do { return try body() } catch { throw StreamFailure("\(error)", value: value, at: pointer, in: self) }
    }
}

extension Observable {
    /// This, of which newcomers are not told what has been: in a run all is something that happens.
    fileprivate func asEvents() -> Observable<Value> {
        Observable { output in
            output.statefulness = .never
            output.listen(to: self, receive: { output.emit($0) }, end: { output.finish($0) })
        }
    }
}
