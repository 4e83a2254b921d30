public import Reactive

/// A process that runs while there is work for it: while a variable is not nil, or a table has rows.
///
/// Work is state. So it survives a restart: the space is loaded and stays in memory until the work is done. An action
/// that removes the work cancels the effect, and an effect ends by performing such an action. External calls are
/// at-least-once: after a crash they may be repeated, so each carries a number from the state by which the remote
/// server detects a repeat.
public struct Effect {
    /// The variable or the table.
    let work: AnyObject
    /// Starts the effect in a graph, and calls `end` if it ends.
    package let begin: (Graph, @escaping (End) -> Void) -> Subscription

    private init<Output>(work: AnyObject, _ pipeline: Observable<Output>) {
        self.work = work
        begin = { graph, end in pipeline.watch(in: graph, receive: { _ in }, end: end) }
    }

    /// Runs `does` for the value of `work`: restarts it when the value changes, and cancels it when the value is nil.
    public init<Work: Equatable, Output>(
        for work: Variable<Work?>, _ does: @escaping (Work) throws -> Observable<Output>
    ) {
        self.init(work: work, work.flatMapLatest { work in try work.map(does) ?? .empty() })
    }

    /// Runs a pipeline over the values of `work`; nil means no work.
    public init<Work: Equatable, Output>(
        following work: Variable<Work?>, _ pipeline: (Observable<Work?>) -> Observable<Output>
    ) {
        self.init(work: work, pipeline(work))
    }

    /// Runs `does` for each row of a table from its insertion to its removal. The observable emits each change of the
    /// row.
    public init<Key: Hashable, Row: Equatable, Output>(
        each work: Table<Key, Row>, _ does: @escaping (Key, Observable<Row>) throws -> Observable<Output>
    ) {
        self.init(work: work, work.flatMapEach(does))
    }
}
