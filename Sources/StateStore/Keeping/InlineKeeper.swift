/// A keeper for a journal that never blocks, and that belongs to one home: everything happens at once, within the call.
public final class InlineKeeper: Keeper, @unchecked Sendable {
    // Sendable because it is used by the stores of one home only, and so on one thread.
    /// The journal.
    public let journal: any Journal
    private var fences = Fences()

    /// A keeper in front of a journal.
    public init(_ journal: any Journal) {
        self.journal = journal
    }

    /// Keeps a commit.
    public func submit(_ submission: Submission) -> Outcome? {
        Outcome(submission, fences.append(submission, to: journal))
    }

    /// Reads something from the journal.
    public func read<Value: Sendable>(
        for home: any Home, _ work: @escaping @Sendable (any Journal) -> Value, then: @escaping @Sendable (Value) -> Void
    ) {
        then(work(journal))
    }

    /// Ends.
    public func close() {
        journal.close()
    }
}
