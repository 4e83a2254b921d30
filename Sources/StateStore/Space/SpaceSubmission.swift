/// The way of a commit to the journal: for actions, for returns to the past and for commits by time.
extension Space {
    /// The record of the commit that the space has just made for a call. It withholds more than its definitions say if it
    /// brings values back from a time when more was private or had rules.
    @inline(__always)
    func record(
        of call: Call, _ input: consuming [UInt8]?, at: Timestamp, _ facts: consuming Facts, result: [UInt8] = [],
        withholding earlier: [String] = []
    ) -> CommitRecord {
        let catalog = features.catalog
        var withheld = catalog.hasPrivate ? catalog.withheld(call.id.name, input, facts) : []
        if !earlier.isEmpty { withheld += earlier }
        if catalog.hasRules, let mark = catalog.mark(call.id.name, input, facts) { withheld.append(mark) }
        return CommitRecord(
            space: name, version: state.version, at: at, action: call.id.name, input: input, facts: facts,
            key: call.key ?? "", fingerprint: call.key == nil ? 0 : call.fingerprint, hasKey: call.key != nil,
            leavesWork: hasWork, common: replicate == nil ? context.commonVersion : state.version, by: call.by,
            alarm: isRemembering ? time.due : nil, result: call.key == nil ? [] : result,
            withheld: withheld)
    }

    /// Replies with the result of a call, after the answers and the commits that precede it.
    func finish(
        _ call: Call, attempts: Int, _ result: Result<Answer, Refusal>, _ record: CommitRecord?,
        _ reply: @escaping Reply
    ) {
        if record == nil, call.position != nil { noteQueued(call, result, isCommitted: false, at: context.now) }
        if record == nil, state.isDurable, answers.isEmpty { return reply(result) }
        answers.append(
            PendingAnswer(
                call: call, attempts: attempts, version: state.version, record: record, result: result, reply: reply))
        if record == nil { settle() }
    }

    /// Sends a commit to the journal, and calls `enqueue`, which appends its answer. `isShown` is true if the commit
    /// makes a version.
    func submit(_ record: CommitRecord, isShown: Bool, _ enqueue: (CommitRecord) -> Void) {
        let submission = Submission(record: record, generation: state.generation, submitter: context.submitter)
        take(context.writer.submit(submission), of: submission, isShown: isShown, enqueue)
    }

    /// Takes the result of a submission whose outcome may be outstanding.
    @inline(__always)
    func take(
        _ submitted: SubmitResult, of submission: Submission, isShown: Bool, _ enqueue: (CommitRecord) -> Void
    ) {
        state.submit()
        if isShown { shownMoments.append(state.version, common: context.commonVersion) }
        enqueue(submission.record)
        switch submitted {
        case .stored: receive(SubmissionOutcome(submission, .stored))
        case .undone(let outcome): receive(outcome)
        case .underWay: break
        }
    }
}
