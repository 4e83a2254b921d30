/// A keeper with three threads: one appends, in batches of whatever has come while the last was being kept, one reads, and one does what else is written,
/// so that reads never wait for a disk, or for another process, that holds up writing.
public final class ThreadedKeeper: Keeper {
    /// How many commits are kept at once at the most.
    static let batchLimit = 4_096
    /// For how many turns of its home a commit waits for others at the most, where each brings some.
    static let turnsLimit = 8

    /// The journal, for what may block.
    public let journal: any Journal
    private let submissions: Mailbox<Submission>
    private let readings: Mailbox<Job>
    private let errands: Mailbox<Job>
    private let writer: Worker
    private let reader: Worker
    private let runner: Worker

    private typealias Job = @Sendable (any Journal) -> Void

    /// A keeper in front of a journal.
    public init(_ journal: any Journal) {
        self.journal = journal
        let submissions = Mailbox<Submission>()
        let readings = Mailbox<Job>()
        let errands = Mailbox<Job>()
        self.submissions = submissions
        self.readings = readings
        self.errands = errands
        writer = Worker {
            var fences = Fences()
            while let batch = submissions.take(upTo: Self.batchLimit) { Self.keep(batch, in: journal, &fences) }
        }
        reader = Worker { Self.run(readings, on: journal) }
        runner = Worker { Self.run(errands, on: journal) }
    }

    private static func run(_ jobs: Mailbox<Job>, on journal: any Journal) {
        while let batch = jobs.take(upTo: batchLimit) {
            for job in batch { job(journal) }
        }
    }

    private static func keep(_ batch: [Submission], in journal: any Journal, _ fences: inout Fences) {
        let results = fences.append(batch, to: journal)
        var start = 0
        while start < batch.count {
            let submitter = batch[start].submitter
            // They come by the turn, and so each submitter's stand together.
            let end = batch[start...].firstIndex { $0.submitter !== submitter } ?? batch.count
            let outcomes = (start..<end).map { Outcome(batch[$0], results[$0]) }
            submitter.home.post { submitter.hear(outcomes) }
            start = end
        }
    }

    /// Has a commit kept, together with what its submitter has kept in the same turn and those right after it: the fewer batches there are, the less
    /// each commit costs.
    public func submit(_ submission: Submission) -> Submitted {
        let submitter = submission.submitter
        submitter.gathered.append(submission)
        if submitter.gathered.count == 1 { gather(for: submitter, seen: 0, turn: 1) }
        return .underWay
    }

    /// Hands over what was gathered after the first turn that has brought nothing more, or after some.
    private func gather(for submitter: Submitter, seen: Int, turn: Int) {
        submitter.home.post { [self] in
            let count = submitter.gathered.count
            if count > seen, turn < Self.turnsLimit { return gather(for: submitter, seen: count, turn: turn + 1) }
            let gathered = submitter.gathered
            submitter.gathered = []
            if submissions.post(contentsOf: gathered) { return }
            let failure = JournalFailure(.cannotWrite, "The journal is being closed: try again when the server is back.")
            submitter.hear(gathered.map { Outcome($0, .failed(failure)) })
        }
    }

    /// Has something read from the journal.
    public func read<Value: Sendable>(
        for home: any Home, _ work: @escaping @Sendable (any Journal) -> Value, then: @escaping @Sendable (Value) -> Void
    ) {
        readings.post { journal in
            let value = work(journal)
            home.post { then(value) }
        }
    }

    /// Has something else written to the journal.
    public func write<Value: Sendable>(
        for home: any Home, _ work: @escaping @Sendable (any Journal) -> Value, then: @escaping @Sendable (Value) -> Void
    ) {
        errands.post { journal in
            let value = work(journal)
            home.post { then(value) }
        }
    }

    /// Keeps what was submitted, and ends.
    @discardableResult
    public func close() -> JournalFailure? {
        submissions.close()
        readings.close()
        errands.close()
        writer.join()
        reader.join()
        runner.join()
        return journal.close()
    }
}
