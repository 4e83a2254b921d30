public import Reactive

/// The thread that runs a store.
public protocol Executor: AnyObject, Sendable {
    /// The clock and the alarms of this thread. An alarm fires after the current job. Only for use on this thread.
    var scheduler: any Scheduler { get }
    /// Runs a job on this thread after the current one. Jobs of one posting thread run in their order.
    func post(_ job: @escaping @Sendable () -> Void)
}
