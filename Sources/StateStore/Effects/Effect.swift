public import Reactive

/// Something that is done while there is work for it: a variable that is not nil, a table that has rows.
///
/// Work is state. So it outlives the server; a space that has some is found again after a restart and stays in memory until it is done; and taking
/// the work away, in whatever action, cancels what is under way. An effect ends its work by performing an action that takes it away. It may be done
/// again after a crash, so what it does outside is to be asked for by a number that the outside can tell apart.
public struct Effect {
    /// The variable or the table.
    let work: AnyObject
    /// Begins it in a graph; says how it ended, if it does.
    let begin: (Graph, @escaping (End) -> Void) -> Subscription

    private init<Output>(work: AnyObject, _ pipeline: Observable<Output>) {
        self.work = work
        begin = { graph, end in pipeline.watch(in: graph, receive: { _ in }, end: end) }
    }

    /// Does something for the work that there is: begun anew for other work, cancelled where there is none.
    public init<Work: Equatable, Output>(
        for work: Variable<Work?>, _ does: @escaping (Work) throws -> Observable<Output>
    ) {
        self.init(work: work, work.flatMapLatest { work in try work.map(does) ?? .empty() })
    }

    /// Does what a pipeline makes of the work as it changes, nil where there is none.
    public init<Work: Equatable, Output>(
        following work: Variable<Work?>, _ pipeline: (Observable<Work?>) -> Observable<Output>
    ) {
        self.init(work: work, pipeline(work))
    }

    /// Does something for each row of a table, from when it comes until it goes. It is given the row as it changes.
    public init<Key: Hashable, Row: Equatable, Output>(
        each work: Table<Key, Row>, _ does: @escaping (Key, Observable<Row>) throws -> Observable<Output>
    ) {
        self.init(work: work, work.flatMapEach(does))
    }
}
