package import Ground
import Platform

/// The caller of work on the thread of the past.
package struct PastAsker: Sendable {
    let subject: String
    let space: String
    /// The mark that the caller has gone.
    let departure: Departure?

    /// A caller that asks for the past of a space; nil for several.
    package init(_ subject: String, _ space: SpaceName?, _ departure: Departure?) {
        self.subject = subject
        self.space = space?.description ?? ""
        self.departure = departure
    }

    /// The server itself, for a hook of a subject.
    package static func hook(of subject: String, _ space: SpaceName) -> PastAsker {
        PastAsker("hooks of \(subject)", space, nil)
    }
}

/// The thread that computes states of the past, so that no loop does. It is shared by all loops.
///
/// Subjects take turns, and the spaces of each subject. The number of waiting requests is bounded, and the time that one
/// waits. A request whose caller has gone is left out.
package final class PastReader: Sendable {
    /// The maximum number of waiting requests of a subject, with the one that is computed.
    package static let waitingLimit = 64
    /// The maximum number of waiting requests.
    static let totalLimit = 1_024
    /// The nanoseconds that a request waits before it is left out because its caller has gone. A client may close its
    /// sending side right after the request.
    static let departureNanoseconds: Int64 = 250_000_000
    /// The nanoseconds after which a waiting request is refused.
    static let patienceNanoseconds: Int64 = 10_000_000_000

    private typealias Job = @Sendable (PastContext) -> Void

    private struct Waiting {
        var jobs = FairQueue<Job>()
        /// The requests of each subject that wait or are computed.
        var counts: [String: Int] = [:]
        var isClosed = false
    }

    private let waiting: Lock<Waiting>
    private let arrival: Condition
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
        let waiting = Lock(Waiting())
        let arrival = Condition()
        (self.waiting, self.arrival) = (waiting, arrival)
        guard isThreaded else {
            inline = Confined(PastContext(library, journal))
            thread = Lock(nil)
            return
        }
        inline = nil
        do throws(SystemThread.Failure) {
            let made = try SystemThread {
                SystemThread.yieldToOthers()
                let context = PastContext(library, journal) { features in
                    let end: Job = { _ in withExtendedLifetime(features) {} }
                    waiting.with { if !$0.isClosed { $0.jobs.append(end, subject: "", space: "") } }
                    arrival.signal()
                }
                while true {
                    let (job, isClosed) = waiting.with { ($0.jobs.popFirst(), $0.isClosed) }
                    if let job {
                        job(context)
                    } else if isClosed {
                        return
                    } else {
                        _ = arrival.wait()
                    }
                }
            }
            thread = Lock(made)
        } catch {
            throw JournalFailure(.unusable, "\(error)")
        }
    }

    /// Runs `work` on the thread of the past, then `then` with its result on `executor`, whose thread calls this. If too
    /// many requests of the caller's subject wait, the result is `.busy`.
    package func run<Value: Sendable>(
        for executor: any Executor, by asker: PastAsker = PastAsker("", nil, nil),
        _ work: @escaping @Sendable (PastContext) throws(PastRefusal) -> Value,
        then: @escaping (Result<Value, PastRefusal>) -> Void
    ) {
        // What waits for the result must not end on the thread of the past.
        let then = Returned(then)
        let began = MonotonicTime.now
        let job: Job = { [self] context in
            let waited = MonotonicTime.now - began
            let isLate = waited > Self.patienceNanoseconds
            let isGone = waited > Self.departureNanoseconds && asker.departure?.isNoted ?? false
            let result = isLate || isGone ? .failure(.busy) : Self.result(of: work, context)
            leave(asker.subject)
            executor.post { then.take()(result) }
        }
        let isTaken = waiting.with { waiting in
            guard !waiting.isClosed, waiting.counts[asker.subject, default: 0] < Self.waitingLimit,
                waiting.jobs.count < Self.totalLimit
            else { return false }
            waiting.counts[asker.subject, default: 0] += 1
            if inline == nil { waiting.jobs.append(job, subject: asker.subject, space: asker.space) }
            return true
        }
        guard isTaken else { return executor.post { then.take()(.failure(.busy)) } }
        if let inline { return executor.post { job(inline.value) } }
        arrival.signal()
    }

    private func leave(_ subject: String) {
        waiting.with { waiting in
            let left = waiting.counts[subject, default: 1] - 1
            waiting.counts[subject] = left == 0 ? nil : left
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
        waiting.with { $0.isClosed = true }
        arrival.stop()
        if let thread = thread.withLock({ thread in thread.take() }) { thread.join() }
    }
}
