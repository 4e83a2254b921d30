package import StateStore

/// The writer of a replicated journal: it appends without blocking. Another writer of the same journal reads.
package final class ReplicatedJournalWriter: JournalWriter {
    package let replicated: ReplicatedJournal
    private let reading: any JournalWriter

    /// A writer of a journal, whose reads and other writes go through `reading`.
    package init(_ journal: ReplicatedJournal, reading: any JournalWriter) {
        replicated = journal
        self.reading = reading
    }

    package var journal: any Journal { reading.journal }
    package var ownership: (any SpaceOwnership)? { replicated }

    /// Gathers the commits of a turn of the submitter.
    package func submit(_ submission: Submission) -> SubmitResult {
        let submitter = submission.submitter
        submitter.gathered.append(submission)
        if submitter.gathered.count == 1 {
            submitter.executor.post { [replicated] in
                let gathered = submitter.gathered
                submitter.gathered = []
                replicated.submit(gathered)
            }
        }
        return .underWay
    }

    package func load(_ request: LoadRequest) {
        reading.load(request)
    }

    package func read<Value: Sendable>(
        for executor: any Executor, _ work: @escaping @Sendable (any Journal) -> Value,
        then: @escaping @Sendable (Value) -> Void
    ) {
        reading.read(for: executor, work, then: then)
    }

    package func write<Value: Sendable>(
        for executor: any Executor, _ work: @escaping @Sendable (any Journal) -> Value,
        then: @escaping @Sendable (Value) -> Void
    ) {
        reading.write(for: executor, work, then: then)
    }

    package func forget(
        _ space: SpaceName, for executor: any Executor,
        then: @escaping @Sendable (Result<Bool, JournalFailure>) -> Void
    ) {
        replicated.forget(space) { result in executor.post { then(result) } }
    }

    package func close() -> JournalFailure? { reading.close() }
}
