internal import Ground
import Synchronization

/// The thread that computes states of the past, so that no loop does. It is shared by all loops.
///
/// The number of waiting requests is bounded, and the time that one waits.
package final class PastReader: Sendable {
    /// The maximum number of waiting requests.
    package static let waitingLimit = 64
    /// The nanoseconds after which a waiting request is refused.
    static let patienceNanoseconds: Int64 = 10_000_000_000

    private typealias Job = @Sendable (PastContext) -> Void

    private let jobs = Mailbox<Job>()
    private let count = Atomic(0)
    private let thread: Lock<SystemThread?>
    /// The context, if requests are computed on the executor that posts them.
    private let inline: Confined<PastContext>?
    private let library: DocumentLibrary
    /// The features of the present.
    package var registry: Registry { library.latest }

    /// A reader of a journal, on a thread of its own or, for a server that is turned by hand, on its executor.
    package convenience init(
        _ registry: Registry, _ journal: any Journal, isThreaded: Bool = true
    ) throws(JournalFailure) {
        try self.init(DocumentLibrary(registry, nil), journal, isThreaded: isThreaded)
    }

    /// A reader of a journal whose documents describe features.
    package init(
        _ library: DocumentLibrary, _ journal: any Journal, isThreaded: Bool = true
    ) throws(JournalFailure) {
        self.library = library
        guard isThreaded else {
            inline = Confined(PastContext(library, journal))
            thread = Lock(nil)
            return
        }
        inline = nil
        let jobs = jobs
        do throws(SystemThread.Failure) {
            let made = try SystemThread {
                let context = PastContext(library, journal)
                while let batch = jobs.take(upTo: 1) {
                    for job in batch { job(context) }
                }
            }
            thread = Lock(made)
        } catch {
            throw JournalFailure(.unusable, "\(error)")
        }
    }

    /// Runs `work` on the thread of the past, then `then` with its result on `executor`, whose thread calls this. If too
    /// many requests wait, the result is `.busy`.
    package func run<Value: Sendable>(
        for executor: any Executor, _ work: @escaping @Sendable (PastContext) throws(PastRefusal) -> Value,
        then: @escaping (Result<Value, PastRefusal>) -> Void
    ) {
        // What waits for the result must not end on the thread of the past.
        let then = Returned(then)
        guard count.add(1, ordering: .relaxed).newValue <= Self.waitingLimit else {
            count.subtract(1, ordering: .relaxed)
            return executor.post { then.take()(.failure(.busy)) }
        }
        let latest = MonotonicTime.now + Self.patienceNanoseconds
        let job: Job = { [self] context in
            let result = MonotonicTime.now > latest ? .failure(.busy) : Self.result(of: work, context)
            count.subtract(1, ordering: .relaxed)
            executor.post { then.take()(result) }
        }
        if let inline { return executor.post { job(inline.value) } }
        guard jobs.post(job) else {
            count.subtract(1, ordering: .relaxed)
            return executor.post { then.take()(.failure(.busy)) }
        }
    }

    private static func result<Value>(
        of work: (PastContext) throws(PastRefusal) -> Value, _ context: PastContext
    ) -> Result<Value, PastRefusal> {
        do throws(PastRefusal) {
            return .success(try work(context))
        } catch {
            return .failure(error)
        }
    }

    /// Computes the waiting requests, and ends the thread.
    package func close() {
        jobs.close()
        if let thread = thread.withLock({ thread in thread.take() }) { thread.join() }
    }
}
