internal import Ground
internal import Platform

/// A writer with three threads: one appends commits in batches (group commit), one reads, and one performs other
/// writes.
///
/// A batch contains the commits that arrived while the previous batch was being appended. Reads never wait for a disk,
/// or another process, that delays writing.
///
/// A journal that syncs no commit (`appendsAtOnce`) appends the commits of a turn at the end of the turn, on the thread
/// of the store. When the journal would wait, the appending thread takes over until its queue is empty.
package final class ThreadedJournalWriter: JournalWriter {
    /// The maximum number of commits in a batch.
    static let batchLimit = 4_096
    /// The maximum number of turns of its executor that a commit waits while each turn adds more commits.
    static let turnsLimit = 8

    /// The journal.
    package let journal: any Journal
    private let submissions: Mailbox<Submission>
    private let reads: Mailbox<Job>
    private let writes: Mailbox<Job>
    /// The threads, until the writer is closed.
    private let threads: Lock<Threads?>

    private typealias Job = @Sendable (any Journal) -> Void

    private struct Threads: ~Copyable {
        let appending: SystemThread
        let reading: SystemThread
        let writing: SystemThread

        consuming func join() {
            appending.join()
            reading.join()
            writing.join()
        }
    }

    /// Starts a writer of a journal.
    package init(_ journal: any Journal) throws(JournalFailure) {
        self.journal = journal
        let submissions = Mailbox<Submission>()
        let reads = Mailbox<Job>()
        let writes = Mailbox<Job>()
        self.submissions = submissions
        self.reads = reads
        self.writes = writes
        do throws(SystemThread.Failure) {
            let threads = Threads(
                appending: try SystemThread {
                    var fences = GenerationFences()
                    while let batch = submissions.take(upTo: Self.batchLimit) {
                        Self.append(batch, to: journal, &fences)
                    }
                },
                reading: try SystemThread { Self.run(reads, on: journal) },
                writing: try SystemThread { Self.run(writes, on: journal) })
            self.threads = Lock(threads)
        } catch {
            submissions.close()
            reads.close()
            writes.close()
            throw JournalFailure(.unusable, "\(error)")
        }
    }

    private static func run(_ jobs: Mailbox<Job>, on journal: any Journal) {
        while let batch = jobs.take(upTo: batchLimit) {
            for job in batch { job(journal) }
        }
    }

    private static func append(_ batch: [Submission], to journal: any Journal, _ fences: inout GenerationFences) {
        let statuses = fences.append(batch, to: journal)
        var start = 0
        while start < batch.count {
            let submitter = batch[start].submitter
            // Commits are handed over by the turn, so those of one submitter are next to each other.
            let end = batch[start...].firstIndex { $0.submitter !== submitter } ?? batch.count
            let outcomes = (start..<end).map { SubmissionOutcome(batch[$0], statuses[$0]) }
            submitter.executor.post { take(outcomes, for: submitter) }
            start = end
        }
    }

    /// Reports the outcomes of commits that were handed to the appending thread.
    private static func take(_ outcomes: [SubmissionOutcome], for submitter: Submitter) {
        submitter.underWay -= outcomes.count
        for outcome in outcomes {
            // The thread of the store must not append a later commit of the generation.
            if case .stored = outcome.status { continue }
            submitter.fences.end(submitter, outcome)
        }
        submitter.report(outcomes)
    }

    /// Gathers a commit with the others of its submitter in this turn and the turns right after it: fewer batches cost
    /// less per commit.
    package func submit(_ submission: Submission) -> SubmitResult {
        let submitter = submission.submitter
        submitter.gathered.append(submission)
        if submitter.gathered.count == 1 { gather(for: submitter, seen: 0, turn: 1) }
        return .underWay
    }

    /// Posts the gathered commits after the first turn that added none, or after `turnsLimit` turns.
    private func gather(for submitter: Submitter, seen: Int, turn: Int) {
        submitter.executor.post { [self] in
            if journal.appendsAtOnce, submitter.underWay == 0, appendAtOnce(for: submitter) { return }
            let count = submitter.gathered.count
            if count > seen, turn < Self.turnsLimit { return gather(for: submitter, seen: count, turn: turn + 1) }
            let gathered = submitter.gathered
            submitter.gathered = []
            submitter.underWay += gathered.count
            if submissions.post(contentsOf: gathered) { return }
            submitter.underWay -= gathered.count
            let failure = JournalFailure(
                .cannotWrite, "The journal is being closed: try again when the server is back.")
            submitter.report(gathered.map { SubmissionOutcome($0, .failed(failure)) })
        }
    }

    /// Appends the gathered commits on this thread. Returns false, and has stored nothing, if that would wait.
    private func appendAtOnce(for submitter: Submitter) -> Bool {
        let gathered = submitter.gathered
        guard let statuses = submitter.fences.appendAtOnce(gathered, to: journal) else { return false }
        // A reply may submit the next commit.
        submitter.gathered = []
        submitter.report(zip(gathered, statuses).map { SubmissionOutcome($0, $1) })
        return true
    }

    /// Gathers the loads of a turn, which the reading thread serves together.
    package func load(_ request: LoadRequest) {
        let submitter = request.submitter
        submitter.loads.append(request)
        guard submitter.loads.count == 1 else { return }
        submitter.executor.post { [self] in
            let loads = submitter.loads
            submitter.loads = []
            let spaces = loads.map(\.space)
            read(for: submitter.executor) { journal in
                journal.load(all: spaces)
            } then: { contents in
                for (load, content) in zip(loads, contents) {
                    if case .failure(let failure) = content, failure.kind == .notYet {
                        self.load(load)
                    } else {
                        load.answer(content)
                    }
                }
            }
        }
    }

    /// Runs `work` on the reading thread, then `then` on the executor.
    package func read<Value: Sendable>(
        for executor: any Executor, _ work: @escaping @Sendable (any Journal) -> Value,
        then: @escaping @Sendable (Value) -> Void
    ) {
        Self.post(work, to: reads, for: executor, then: then)
    }

    /// Runs `work` on the thread of other writes, then `then` on the executor.
    package func write<Value: Sendable>(
        for executor: any Executor, _ work: @escaping @Sendable (any Journal) -> Value,
        then: @escaping @Sendable (Value) -> Void
    ) {
        Self.post(work, to: writes, for: executor, then: then)
    }

    private static func post<Value: Sendable>(
        _ work: @escaping @Sendable (any Journal) -> Value, to jobs: Mailbox<Job>, for executor: any Executor,
        then: @escaping @Sendable (Value) -> Void
    ) {
        // What waits for the value must not end on the thread that computes it.
        let then = Returned(then)
        jobs.post { journal in
            let value = work(journal)
            executor.post { then.take()(value) }
        }
    }

    /// Appends all submitted commits, ends the threads and closes the journal.
    @discardableResult
    package func close() -> JournalFailure? {
        submissions.close()
        reads.close()
        writes.close()
        if let threads = threads.withLock({ threads in threads.take() }) { threads.join() }
        return journal.close()
    }
}

/// Messages from any threads to one thread, which waits for them.
final class Mailbox<Message: Sendable>: Sendable {
    private struct Contents {
        var messages: [Message] = []
        var isClosed = false
    }

    private let contents = Lock(Contents())
    private let arrival = Condition()

    /// Adds a message. Returns false if the mailbox is closed.
    @discardableResult
    func post(_ message: Message) -> Bool {
        post(contentsOf: [message])
    }

    /// Adds messages in their order. Returns false if the mailbox is closed.
    func post(contentsOf added: [Message]) -> Bool {
        let (isOpen, isFirst) = contents.withLock { contents in
            guard !contents.isClosed else { return (false, false) }
            let wasEmpty = contents.messages.isEmpty
            contents.messages += added
            return (true, wasEmpty)
        }
        if isFirst { arrival.signal() }
        return isOpen
    }

    /// Waits for messages, and removes up to `limit` of them in their order. Returns nil when the mailbox is closed and
    /// empty. Only one thread may wait.
    func take(upTo limit: Int) -> [Message]? {
        while true {
            let (batch, isClosed) = contents.withLock { contents in
                var batch: [Message] = []
                if contents.messages.count <= limit {
                    swap(&batch, &contents.messages)
                } else {
                    batch += contents.messages.prefix(limit)
                    contents.messages.removeFirst(limit)
                }
                return (batch, contents.isClosed)
            }
            if !batch.isEmpty { return batch }
            if isClosed { return nil }
            _ = arrival.wait()
        }
    }

    /// Refuses messages from now on. Those that it contains are still delivered.
    func close() {
        contents.withLock { $0.isClosed = true }
        arrival.stop()
    }
}
