/// A call that was run, and whose answer waits for the journal.
final class Pending {
    let call: Call
    /// How often it had been run before, because others were first.
    let attempts: Int
    /// The version that must be durable before it is answered: the one it made or, where it made none, the one it has seen.
    let version: Int
    /// What is to be kept; nil where there is nothing.
    let record: CommitRecord?
    /// The answer, or why it was refused.
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
