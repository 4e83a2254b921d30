import Reactive

/// A performed call whose answer waits for the journal.
final class PendingAnswer {
    let call: Call
    /// The number of earlier attempts, which ended because other processes committed first.
    let attempts: Int
    /// The version that must be durable: the one the call committed, or the one it read if it changed nothing.
    let version: Int
    /// The commit; nil if there is none.
    let record: CommitRecord?
    let result: Result<Answer, Refusal>
    let reply: (Result<Answer, Refusal>) -> Void

    init(
        call: Call, attempts: Int, version: Int, record: CommitRecord?, result: Result<Answer, Refusal>,
        reply: @escaping (Result<Answer, Refusal>) -> Void
    ) {
        self.call = call
        self.attempts = attempts
        self.version = version
        self.record = record
        self.result = result
        self.reply = reply
    }
}

/// The answers of a space that wait for the journal, in the order of their calls.
struct PendingAnswers {
    private var answers = Fifo<PendingAnswer>()

    var isEmpty: Bool { answers.isEmpty }

    mutating func append(_ answer: PendingAnswer) {
        answers.append(answer)
    }

    /// Removes the first answer if its version is at most `durable`. An answer with a record is removed only if the
    /// outcome of the record has arrived (`isRecordStored`). A record without facts has the version of the previous
    /// commit.
    mutating func popFirst(upTo durable: Int, isRecordStored: Bool) -> PendingAnswer? {
        answers.popFirst { $0.version <= durable && ($0.record == nil || isRecordStored) }
    }

    /// Removes all answers and returns them in their order.
    mutating func removeAll() -> [PendingAnswer] {
        var all: [PendingAnswer] = []
        while let answer = answers.popFirst() { all.append(answer) }
        return all
    }
}
