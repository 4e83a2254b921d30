package import Reactive

/// The thread that runs a store.
package protocol Executor: AnyObject, Sendable {
    /// The clock and the alarms of this thread. An alarm fires after the current job. Only for use on this thread.
    var scheduler: any Scheduler { get }
    /// Runs `job` on this thread after the current job. Jobs from one posting thread run in FIFO order.
    func post(_ job: @escaping @Sendable () -> Void)
}
