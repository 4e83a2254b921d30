import StateStore

/// A writer whose loads read at once and answer when they are told to.
final class HeldReader: JournalWriter, @unchecked Sendable {
    // Sendable because only the test's thread uses it.
    let journal: any Journal
    private let inline: InlineJournalWriter
    private var answers: [() -> Void] = []

    init(_ journal: any Journal) {
        self.journal = journal
        inline = InlineJournalWriter(journal)
    }

    /// Answers the loads.
    func answer() {
        let ready = answers
        answers = []
        for answer in ready { answer() }
    }

    func load(_ request: LoadRequest) {
        for content in journal.load(all: [request.space]) { answers.append { request.answer(content) } }
    }

    func submit(_ submission: Submission) -> SubmitResult { inline.submit(submission) }

    func read<Value: Sendable>(
        for executor: any Executor, _ work: @escaping @Sendable (any Journal) -> Value,
        then: @escaping @Sendable (Value) -> Void
    ) {
        inline.read(for: executor, work, then: then)
    }

    func write<Value: Sendable>(
        for executor: any Executor, _ work: @escaping @Sendable (any Journal) -> Value,
        then: @escaping @Sendable (Value) -> Void
    ) {
        inline.write(for: executor, work, then: then)
    }

    func close() -> JournalFailure? { inline.close() }
}
