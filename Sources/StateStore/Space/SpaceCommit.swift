import Ground
import JSON
import Reactive

/// What a commit is to write: the changes in the open draft of the graph, and what the journal gets beside them.
struct CommitDraft {
    /// The features that the draft changes.
    var features: [FeatureInstance] = []
    /// The facts of the draft, and of places that no feature has.
    var facts = Facts()
    /// True if the draft has changes.
    var isWritten = true
    /// The tables in memory only that the draft changes. It changes them or what is kept, never both.
    var unkept: [String] = []
    /// The result of the action, as JSON.
    var result: [UInt8] = []
    /// The state whose memory the space takes; nil if its definitions remember the commit as an action.
    var past: FeatureSet?
    /// What the commit withholds beside what the present definitions say, as `CommitRecord.withheld` has it.
    var withheld: [String] = []
    /// True for a return to a past state: it is one commit, of any size.
    var isOfAnySize = false
    /// True if the answers that the space has kept go with what the commit erases.
    var erasesAnswers = false
    /// True if the commit is tried and not made.
    var isRehearsal = false
}

/// An action of a space that writes a draft. What is checked before, and all that follows, is the same for all of them.
protocol DraftingAction: SpaceAction {
    /// Writes what a call changes.
    func draft(_ call: Call, at: Timestamp, in space: Space) throws(Refusal) -> CommitDraft
    /// Returns a refusal if the views of a call cannot be read before the call is performed.
    func refusal(ofViewsOf call: Call, in space: Space) -> Refusal?
    /// Returns what is made in slices before a large space writes the draft.
    func comparisons(in space: Space) -> [any SlicedIndex]
    /// Ends what was made, before the answer.
    func end()
}

extension DraftingAction {
    func refusal(ofViewsOf call: Call, in space: Space) -> Refusal? { space.refusal(ofViewsOf: call) }
    func comparisons(in space: Space) -> [any SlicedIndex] { [] }
    func end() {}
}

extension Call {
    /// The action of the space itself that the call is of; nil for an action of a feature.
    var ownAction: (any DraftingAction)? { tree?.action as? any DraftingAction }
}

/// The way of a commit: every commit of a space passes `advance`, `keep` and `submit`, in this order.
extension Space {
    /// Performs a call of an action of the space itself.
    func performOwn(_ call: Call, attempts: Int, _ reply: @escaping Reply) {
        func finish(_ result: Result<Answer, Refusal>, _ record: CommitRecord? = nil) {
            self.finish(call, attempts: attempts, result, record, reply)
        }
        guard let action = call.ownAction else { return finish(.failure(.noSuchAction)) }
        if let refusal = action.refusal(ofViewsOf: call, in: self) ?? refusal(byConditionOf: call) {
            return finish(.failure(refusal))
        }
        let at = nextTime()
        var draft: CommitDraft
        do throws(Refusal) {
            draft = try action.draft(call, at: at, in: self)
            if let refusal = refusal(ofSizeOf: draft.facts, by: draft.features, isOfAnySize: draft.isOfAnySize) {
                throw refusal
            }
        } catch {
            graph.discard()
            return finish(.failure(error))
        }
        if draft.facts.isEmpty, !draft.unkept.isEmpty {
            guard let result = performUnkept(draft.unkept, of: draft.features, call, draft.result) else {
                return performOwn(call, attempts: attempts, reply)
            }
            return finish(result)
        }
        let changed = draft.facts.variables
        if draft.isRehearsal {
            graph.discard()
            let answer = answer(call, changed)
            return finish(.success(draft.facts.isEmpty ? answer : answer.rehearsed(at: state.version + 1)))
        }
        if draft.facts.isEmpty || !draft.isWritten { graph.discard() }
        let hasMemory = draft.past.map { features.hasMemory(of: $0) } ?? true
        let isChanged = !draft.facts.isEmpty || !hasMemory
        if !isChanged, call.key == nil || call.isKeyNew || state.version == 0 {
            return finish(.success(answer(call, [], draft.result)))
        }
        if isChanged {
            advance(writes: draft.isWritten && !draft.facts.isEmpty, lateAt: at)
            keep(&draft.facts, of: draft.features)
            if let past = draft.past {
                restoreMemory(of: past, into: &draft.facts)
            } else if isRemembering {
                remember(call, call.input, at: at, mayDefine: false, into: &draft.facts)
            }
            if draft.erasesAnswers {
                keys.dropAnswers()
                queues.eraseContent(into: &draft.facts)
            }
        }
        let answer = answer(call, changed, draft.result)
        noteInQueue(call, answer, at: at, into: &draft.facts)
        let record = record(
            of: call, call.input, at: at, draft.facts, result: draft.result, withholding: draft.withheld)
        submit(record, isShown: isChanged) { finish(.success(answer), $0) }
    }

    // MARK: Steps

    /// Makes the next version, and publishes the open draft if there `writes` one. Alarms that are due before `lateAt` go
    /// off first.
    @inline(__always)
    func advance(writes: Bool, lateAt: Timestamp? = nil) {
        state.commit()
        guard writes else { return }
        if let lateAt { elapseLate(to: lateAt) }
        graph.publish()
    }

    /// Takes the facts of the new version, and appends the levels of the features that it changes.
    @inline(__always)
    func keep(_ facts: inout Facts, of changed: some Collection<FeatureInstance>) {
        for feature in changed {
            feature.noteKept(facts)
            noteChange(of: feature)
        }
        noteCommitted(facts)
        for feature in changed where feature.blueprint.addsFacts {
            if let level = features.noteLevel(of: feature.blueprint) { facts.append(level) }
        }
    }

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

    /// Sends a commit that the space makes of its own accord to the journal. If other processes committed first, the
    /// space makes it again after the reload, if there is still a reason for it.
    func submitOwn(
        _ call: Call, _ facts: Facts, at: Timestamp? = nil, _ reply: @escaping Reply = { _ in }
    ) {
        let answer = Answer(
            version: state.version, changed: [], result: [], views: [], moment: answerMoment, isReplay: false)
        submit(record(of: call, call.input, at: at ?? nextTime(), facts), isShown: true) { record in
            answers.append(
                PendingAnswer(
                    call: call, attempts: Self.attemptLimit, version: state.version, record: record,
                    result: .success(answer), reply: reply))
        }
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

    // MARK: Rows in memory only

    /// Publishes a draft that changes only rows in memory. Returns nil if the call is to be performed again, because the
    /// space took over the rows of another node first.
    func performUnkept(
        _ names: [String], of changed: [FeatureInstance], _ call: Call, _ result: [UInt8]
    ) -> Result<Answer, Refusal>? {
        if let refusal = refusal(ofUnkept: changed) {
            graph.discard()
            return .failure(refusal)
        }
        if context.ownership != nil, sureClaim == nil || sureClaim != unkeptClaim {
            graph.discard()
            guard let claim = sureClaim else { return .failure(.elsewhere) }
            takeOver(claim)
            return nil
        }
        return .success(publishUnkept(names, of: changed, call, result))
    }

    /// Publishes a draft that changes only what is in memory. It makes no version, and nothing goes to the journal.
    func publishUnkept(
        _ names: [String], of changed: [FeatureInstance], _ call: Call, _ result: [UInt8]
    ) -> Answer {
        let unkeptChanged = context.unkeptChanged
        let parts = unkeptChanged == nil ? [] : changed.map(\.unkeptFacts)
        // One part that cannot be written makes the whole unknown.
        let facts = parts.isEmpty || parts.contains { $0 == nil } ? nil : parts.flatMap { $0 ?? [] }
        unkeptChanges += 1
        graph.publish()
        noteUnkept(names.count)
        hasUnkeptRows = features.hasUnkeptRows
        if !hasUnkeptRows { noteUse() }
        unkeptChanged?(name, facts)
        var answer = answer(call, names, result)
        answer.isUnkept = true
        return answer
    }
}
