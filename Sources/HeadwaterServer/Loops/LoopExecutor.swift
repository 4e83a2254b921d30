import Reactive
import Sockets
import StateStore

/// A loop as a executor of stores.
final class LoopExecutor: Executor, @unchecked Sendable {
    // Sendable because the scheduler is used on the loop's own thread only.
    let loop: EventLoop
    let alarms: LoopScheduler

    init(_ loop: EventLoop) {
        self.loop = loop
        alarms = LoopScheduler(loop)
    }

    var scheduler: any Scheduler { alarms }

    func post(_ job: @escaping @Sendable () -> Void) { loop.post(job) }
}
