/// A call that was run, and whose answer waits for the journal.
struct Pending {
    let call: Call
    let reply: (Result<Answer, Refusal>) -> Void
    /// How often it had been run before, because others were first.
    let attempts: Int
    /// The version that must be durable before it is answered.
    let version: Int
    /// What it changed; nil where it changed nothing.
    let record: CommitRecord?
    let views: Watch.News

    var answer: Answer {
        Answer(version: version, changed: record?.changed ?? [], views: views, isReplay: false)
    }
}
