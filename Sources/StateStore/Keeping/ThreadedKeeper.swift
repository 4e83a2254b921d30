/// A keeper with two threads: one appends, in batches of whatever has come while the last was being kept, the other reads.
public final class ThreadedKeeper: Keeper {
    /// How many commits are kept at once at the most.
    static let batchLimit = 4_096

    /// The journal, for what may block.
    public let journal: any Journal
    private let submissions: Mailbox<Submission>
    private let readings: Mailbox<@Sendable (any Journal) -> Void>
    private let writer: Worker
    private let reader: Worker

    /// A keeper in front of a journal.
    public init(_ journal: any Journal) {
        self.journal = journal
        let submissions = Mailbox<Submission>()
        let readings = Mailbox<@Sendable (any Journal) -> Void>()
        self.submissions = submissions
        self.readings = readings
        writer = Worker {
            var fences = Fences()
            while let batch = submissions.take(upTo: Self.batchLimit) { Self.keep(batch, in: journal, &fences) }
        }
        reader = Worker {
            while let jobs = readings.take(upTo: Self.batchLimit) {
                for job in jobs { job(journal) }
            }
        }
    }

    private static func keep(_ batch: [Submission], in journal: any Journal, _ fences: inout Fences) {
        let results = fences.append(batch, to: journal)
        var bySubmitter: [ObjectIdentifier: (submitter: Submitter, outcomes: [Outcome])] = [:]
        for (submission, result) in zip(batch, results) {
            bySubmitter[ObjectIdentifier(submission.submitter), default: (submission.submitter, [])].outcomes.append(
                Outcome(submission, result))
        }
        for (submitter, outcomes) in bySubmitter.values {
            submitter.home.post { submitter.hear(outcomes) }
        }
    }

    /// Has a commit kept.
    public func submit(_ submission: Submission) -> Submitted {
        if submissions.post(submission) { return .underWay }
        let outcome = Outcome(
            submission, .failed(JournalFailure(.cannotWrite, "the journal is being closed: try again when the server is back")))
        submission.submitter.home.post { submission.submitter.hear([outcome]) }
        return .underWay
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

    /// Keeps what was submitted, and ends.
    public func close() {
        submissions.close()
        readings.close()
        writer.join()
        reader.join()
        journal.close()
    }
}
