/// What stands between stores, which never wait, and a journal, which may block.
public protocol Keeper: AnyObject, Sendable {
    /// Has a commit kept, and says what became of it where that is known at once; else its submitter hears of it later, on its home.
    func submit(_ submission: Submission) -> Submitted

    /// Has something read from the journal, and what came of it handed on, on a home.
    func read<Value: Sendable>(
        for home: any Home, _ work: @escaping @Sendable (any Journal) -> Value, then: @escaping @Sendable (Value) -> Void)

    /// Has the journal do something that is neither an append nor a read, such as to forget a space, and hands on what came of it, on a home. It may wait for
    /// the disk as long as an append does, and no read waits for it.
    func write<Value: Sendable>(
        for home: any Home, _ work: @escaping @Sendable (any Journal) -> Value, then: @escaping @Sendable (Value) -> Void)

    /// The journal, for what may block.
    var journal: any Journal { get }

    /// Keeps what was submitted, and ends. Returns the failure if something that was kept may not be durable.
    @discardableResult
    func close() -> JournalFailure?
}

/// A commit on its way to the journal.
public struct Submission: Sendable {
    let record: CommitRecord
    /// The generation of its space: after one commit of a generation was not kept, none of the same generation is, since each builds on those before.
    let generation: Int
    let submitter: Submitter
}

/// What is known of a commit that has just been submitted.
public enum Submitted: Sendable {
    /// It is kept.
    case kept
    /// It is not kept, and why.
    case undone(Outcome)
    /// Its submitter will hear of it.
    case underWay
}

/// What became of a commit that was submitted.
public struct Outcome: Sendable {
    let space: SpaceName
    let version: Int
    let generation: Int
    let result: Result

    init(_ submission: Submission, _ result: Result) {
        space = submission.record.space
        version = submission.record.version
        generation = submission.generation
        self.result = result
    }

    enum Result: Sendable {
        case kept
        case moved
        case failed(JournalFailure)
    }
}
