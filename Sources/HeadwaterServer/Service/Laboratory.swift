import Sockets
import StateStore

/// A thread for what is computed at length, and must not hold up a loop. It is started with the first that comes.
final class Laboratory: Sendable {
    private let loop: EventLoop
    private let thread = Lock<Worker?>(nil)
    private let hasThread: Bool

    init() throws(SystemFailure) {
        loop = try EventLoop()
        hasThread = true
    }

    /// One without a thread, whose jobs are done on a loop of the server's.
    init(on loop: EventLoop) {
        self.loop = loop
        hasThread = false
    }

    /// Has something done there.
    func post(_ job: @escaping @Sendable () -> Void) {
        thread.with { [loop] thread in
            if hasThread, thread == nil { thread = Worker { loop.run() } }
        }
        loop.post(job)
    }
}
