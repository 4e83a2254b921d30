import Platform

/// A thread that runs jobs one after another.
final class JobThread: Sendable {
    typealias Job = @Sendable () -> Void

    private struct JobQueue {
        var jobs: [Job] = []
        var isClosed = false
    }

    private let content = Lock(JobQueue())
    private let wakeup = Condition()
    private let thread: Lock<SystemThread?>

    init() {
        thread = Lock(nil)
    }

    func start() throws(NATSFault) {
        do {
            try thread.withLock { thread throws(SystemThread.Failure) in
                thread = try SystemThread { [self] in run() }
            }
        } catch {
            throw .unusable("\(error)")
        }
    }

    /// Queues a job. After `close` it runs at once, on the calling thread.
    func run(_ job: @escaping Job) {
        let count = content.with { content in
            guard !content.isClosed else { return 0 }
            content.jobs.append(job)
            return content.jobs.count
        }
        if count == 1 { wakeup.signal() }
        if count == 0 { job() }
    }

    /// Runs the jobs that are queued, then ends the thread and joins it.
    func close() {
        content.with { $0.isClosed = true }
        wakeup.stop()
        let joined = thread.withLock { $0.take() }
        joined?.join()
    }

    private func run() {
        while true {
            let (jobs, isClosed) = content.with { content in
                defer { content.jobs = [] }
                return (content.jobs, content.isClosed)
            }
            for job in jobs { job() }
            if jobs.isEmpty {
                if isClosed { return }
                _ = wakeup.wait()
            }
        }
    }
}
