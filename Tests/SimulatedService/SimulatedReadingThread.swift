import Ground
import Reactive
import ReplicatedJournal
import SimulatedCluster
import StateStore

/// The thread of a simulated process that reads the copy of the journal: one job after the other, each after a delay.
final class SimulatedReadingThread: JournalWriter, @unchecked Sendable {
    // Sendable because a simulation runs on one thread.
    let journal: any Journal
    private let world: SimulatedWorld
    private let process: SimulatedThread
    private var jobs = Fifo<() -> Void>()
    private var isRunning = false
    /// The longest time that a read takes, in microseconds.
    var delay = 3_000

    init(_ journal: any Journal, _ world: SimulatedWorld, of process: SimulatedThread) {
        (self.journal, self.world, self.process) = (journal, world, process)
    }

    func submit(_ submission: Submission) -> SubmitResult { preconditionFailure("this thread only reads") }

    func load(_ request: LoadRequest) {
        read(for: request.submitter.executor) { journal in
            journal.load(all: [request.space])
        } then: { contents in
            for content in contents { request.answer(content) }
        }
    }

    func read<Value: Sendable>(
        for executor: any StateStore.Executor, _ work: @escaping @Sendable (any Journal) -> Value,
        then: @escaping @Sendable (Value) -> Void
    ) {
        jobs.append { [journal] in
            let value = work(journal)
            executor.post { then(value) }
        }
        next()
    }

    func write<Value: Sendable>(
        for executor: any StateStore.Executor, _ work: @escaping @Sendable (any Journal) -> Value,
        then: @escaping @Sendable (Value) -> Void
    ) {
        read(for: executor, work, then: then)
    }

    /// Runs the jobs that wait.
    func hurry() {
        while let job = jobs.popFirst() { job() }
    }

    private func next() {
        guard !isRunning, !jobs.isEmpty else { return }
        isRunning = true
        world.after(world.delay(upTo: delay)) { [weak self] in
            guard let self, !process.isDead else { return }
            isRunning = false
            if !process.isPaused, let job = jobs.popFirst() { job() }
            next()
        }
    }

    func close() -> JournalFailure? { nil }
}
