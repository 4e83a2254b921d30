import Platform

/// The thread that reads the files of the site, one after the other. It runs only while there is something to read.
final class SiteReader: Sendable {
    private struct State {
        var waiting: [@Sendable () -> Void] = []
        var isRunning = false
    }

    private let isThreaded: Bool
    private let state = Lock(State())

    init(isThreaded: Bool) {
        self.isThreaded = isThreaded
    }

    /// Runs a job after those that wait. Without threads, or if the system starts none, it runs here.
    func run(_ job: @escaping @Sendable () -> Void) {
        guard isThreaded else { return job() }
        let starts = state.with { state in
            state.waiting.append(job)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        guard starts else { return }
        do throws(SystemThread.Failure) {
            try SystemThread { [self] in runAll() }.detach()
        } catch {
            runAll()
        }
    }

    private func runAll() {
        while let jobs = take() {
            for job in jobs { job() }
        }
    }

    /// Takes the jobs that wait; nil ends the thread.
    private func take() -> [@Sendable () -> Void]? {
        state.with { state in
            guard !state.waiting.isEmpty else {
                state.isRunning = false
                return nil
            }
            defer { state.waiting = [] }
            return state.waiting
        }
    }
}
