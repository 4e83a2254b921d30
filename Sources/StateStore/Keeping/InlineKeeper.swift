/// A keeper for a journal that never blocks: everything happens at once, within the call, on whichever home that is made.
public final class InlineKeeper: Keeper {
    /// The journal.
    public let journal: any Journal

    /// A keeper in front of a journal.
    public init(_ journal: any Journal) {
        self.journal = journal
    }

    /// Keeps a commit.
    public func submit(_ submission: Submission) -> Submitted {
        let result = submission.submitter.fences.append(submission, to: journal)
        if case .kept = result { return .kept }
        return .undone(Outcome(submission, result))
    }

    /// Reads something from the journal.
    public func read<Value: Sendable>(
        for home: any Home, _ work: @escaping @Sendable (any Journal) -> Value, then: @escaping @Sendable (Value) -> Void
    ) {
        then(work(journal))
    }

    /// Writes something else to the journal.
    public func write<Value: Sendable>(
        for home: any Home, _ work: @escaping @Sendable (any Journal) -> Value, then: @escaping @Sendable (Value) -> Void
    ) {
        then(work(journal))
    }

    /// Ends.
    @discardableResult
    public func close() -> JournalFailure? {
        journal.close()
    }
}
