/// A call that was run, and whose answer waits for the journal.
final class Pending {
    let call: Call
    let reply: (Result<Answer, Refusal>) -> Void
    /// How often it had been run before, because others were first.
    let attempts: Int
    /// The version that must be durable before it is answered.
    let version: Int
    /// What it changed; nil where it changed nothing.
    let record: CommitRecord?
    let views: Watch.News

    init(
        call: Call, reply: @escaping (Result<Answer, Refusal>) -> Void, attempts: Int, version: Int, record: CommitRecord?,
        views: Watch.News
    ) {
        self.call = call
        self.reply = reply
        self.attempts = attempts
        self.version = version
        self.record = record
        self.views = views
    }

    var answer: Answer {
        Answer(version: version, changed: record?.changed ?? [], views: views, isReplay: false)
    }
}
