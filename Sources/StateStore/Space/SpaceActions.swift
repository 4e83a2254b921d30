import Reactive

/// The execution of actions: performed, submitted to the journal, and answered when durable.
extension Space {
    /// The maximum number of retries of an action after other processes committed first.
    static let attemptLimit = 16

    /// Performs a call once the content is loaded.
    func run(_ call: Call, _ reply: @escaping Reply) {
        if let result = run(call, in: context, orLater: { reply }) { reply(result) }
    }

    /// Performs a call once the content is loaded. Returns the result if it is known at once; otherwise the closure
    /// that `later` makes receives it.
    func run(_ call: Call, in context: StoreContext, orLater later: () -> Reply) -> Result<Answer, Refusal>? {
        // The cheap test first: reading the key copies it.
        if state.isHere, call.key == nil, call.position == nil, !mayBuild,
            call.permit == nil || !context.replica.mayBuild
        {
            return perform(call, attempts: 0, in: context, orLater: later)
        }
        let reply = Self.ending(call.ownAction, later())
        prepare(for: call) { refusal in
            if let refusal { return reply(.failure(refusal)) }
            if let position = call.position { return self.perform(call, in: position, reply) }
            guard let key = call.key else { return self.perform(call, attempts: 0, reply) }
            self.perform(call, key: key, reply)
        }
        return nil
    }

    /// Runs `body` once a call can be performed: the content is here and has the form of the present documents, and what
    /// the call reads is made. What takes too long is a refusal.
    private func prepare(for call: Call, _ body: @escaping (Refusal?) -> Void) {
        whenHere(using: call.id.isFound ? call.id.featureIndex : nil) { failure in
            if let failure { return body(.journal(failure)) }
            self.whenRenewed { isRenewed in
                guard isRenewed else { return body(.migrating) }
                self.whenReady(for: call) { refusal in
                    if let refusal { return body(refusal) }
                    // The content can be lost while indexes are made.
                    self.whenHere { failure in body(failure.map { .journal($0) }) }
                }
            }
        }
    }

    /// Returns a reply that ends what was made for an action of the space itself.
    private static func ending(_ action: (any DraftingAction)?, _ reply: @escaping Reply) -> Reply {
        guard let action else { return reply }
        return { result in
            action.end()
            reply(result)
        }
    }

    /// Performs a call without a key, or with a new one.
    func perform(_ call: Call, attempts: Int, _ reply: @escaping Reply) {
        if let result = perform(call, attempts: attempts, in: context, orLater: { reply }) { reply(result) }
    }

    /// Performs a call without a key, or with a new one. Returns the result if it is known at once; otherwise the
    /// closure that `later` makes receives it. The caller passes the context, because loading it from the space counts
    /// references.
    func perform(
        _ call: Call, attempts: Int, in context: StoreContext, orLater later: () -> Reply
    ) -> Result<Answer, Refusal>? {
        func finish(_ result: Result<Answer, Refusal>, _ record: CommitRecord? = nil) -> Result<Answer, Refusal>? {
            if record == nil, call.position != nil { noteQueued(call, result, isCommitted: false, at: context.now) }
            if record == nil, state.isDurable, answers.isEmpty { return result }
            answers.append(
                PendingAnswer(
                    call: call, attempts: attempts, version: state.version, record: record, result: result,
                    reply: later()))
            if record == nil { settle() }
            return nil
        }
        if isRemembering {
            elapse()
            // Another process may have committed first; then the content is loaded again.
            guard state.isHere else {
                let reply = later()
                whenHere { failure in
                    if let failure { return reply(.failure(.journal(failure))) }
                    self.perform(call, attempts: attempts, reply)
                }
                return nil
            }
        }
        guard call.id.isFound else {
            performOwn(call, attempts: attempts, later())
            return nil
        }
        if let refusal = refusal(ofViewsOf: call) ?? refusal(byConditionOf: call) {
            return finish(.failure(refusal))
        }
        let feature = features[call.id.featureIndex]
        guard feature.blueprint.edition == call.id.edition else {
            return performRenewed(call, attempts: attempts, in: context, orLater: later)
        }
        if !features.unmigrated.isEmpty, let reason = features.unmigrated[call.id.featureIndex] {
            return finish(.failure(.unmigrated(reason)))
        }
        let at = nextTime()
        let input = call.isOfEarlierDocument ? feature.blueprint.renamedInput(of: call) : call.input
        var facts: Facts
        let output: [UInt8]
        let used: (steps: Int, rows: Int)
        do throws(Rejection) {
            var commit = Commit(
                graph.draft(), now: at, version: state.version + 1, caller: call.caller,
                random: context.randomness(), unkeptChange: unkeptChanges + 1)
            commit.knownIDs = call.knownIDs(in: name)
            try feature.act(call.id.actionIndex, input, call.tree, &commit)
            output = commit.result
            used = (commit.work.steps, commit.work.rows)
            graph.dropUnchanged()
            facts = try feature.facts()
        } catch {
            graph.discard()
            return finish(.failure(.rejected(error)))
        }
        if let refusal = refusal(ofSizeOf: facts, by: CollectionOfOne(feature)) {
            graph.discard()
            return finish(.failure(refusal))
        }
        if facts.isEmpty, feature.blueprint.hasUnkept, case let names = feature.unkeptChanges, !names.isEmpty {
            guard let result = performUnkept(names, of: [feature], call, output) else {
                return perform(call, attempts: attempts, in: context, orLater: later)
            }
            return finish(result)
        }
        if facts.isEmpty { graph.discard() }
        if facts.isEmpty, call.key == nil || call.isKeyNew || state.version == 0 {
            return finish(.success(answer(call, [], output, used)))
        }
        // An action without changes makes no version. With a key, the journal stores that it was performed.
        let changed = feature.changed(by: facts)
        if !facts.isEmpty {
            advance(writes: true, lateAt: at)
            keep(&facts, of: CollectionOfOne(feature))
            if isRemembering || feature.blueprint.canRemember {
                remember(call, input, at: at, mayDefine: feature.blueprint.canRemember, into: &facts)
            }
        }
        let answer = answer(call, changed, output, used)
        noteInQueue(call, answer, at: at, into: &facts)
        let record = record(of: call, consume input, at: at, consume facts, result: output)
        let isNext = state.outstanding == 0 && answers.isEmpty && reads.isEmpty && deliveries.isEmpty
        let submission = Submission(record: consume record, generation: state.generation, submitter: context.submitter)
        let submitted = context.writer.submit(submission)
        // Without other deliveries and answers, no queue is needed.
        if isNext, replicate == nil, durableState == nil, case .stored = submitted {
            state.storeAtOnce()
            if !answer.changed.isEmpty { context.commitsCount += 1 }
            return .success(answer)
        }
        take(submitted, of: submission, isShown: !answer.changed.isEmpty) { record in
            _ = finish(.success(answer), record)
        }
        return nil
    }

    /// Performs a call whose feature got another definition after the action was found.
    private func performRenewed(
        _ call: Call, attempts: Int, in context: StoreContext, orLater later: () -> Reply
    ) -> Result<Answer, Refusal>? {
        let id = context.registry.id(
            feature: call.feature, name: call.action, isByEffect: call.isByEffect)
        guard let id, id.scope == call.id.scope, id.edition != call.id.edition else {
            later()(.failure(.noSuchAction))
            return nil
        }
        return perform(call.found(at: id), attempts: attempts, in: context, orLater: later)
    }

    /// Returns a refusal if the space is not as a call requires.
    @inline(__always)
    func refusal(byConditionOf call: Call) -> Refusal? {
        if let required = call.ifVersion, required != state.version { return .changed(version: state.version) }
        guard let condition = call.condition, !condition(state.version, frames(of: call)) else { return nil }
        return .changed(version: state.version)
    }

    func answer(
        _ call: Call, _ changed: [String], _ result: [UInt8] = [], _ used: (steps: Int, rows: Int) = (0, 0)
    ) -> Answer {
        var answer = Answer(
            version: state.version, changed: changed, result: result, views: frames(of: call), moment: answerMoment,
            isReplay: false)
        answer.used = used
        return answer
    }

    /// The moment of the views in an answer.
    var answerMoment: Moment {
        // `common` has its own newest version before its replicas have it.
        replicate == nil ? moment : Moment(version: state.version, common: state.version)
    }

    /// Sends the durable answers. `isRecordStored` is true if the outcome of one record has just arrived.
    func settle(isRecordStored: Bool = false) {
        var isRecordStored = isRecordStored
        while let first = answers.popFirst(upTo: state.durable, isRecordStored: isRecordStored) {
            if let record = first.record {
                isRecordStored = false
                if !record.facts.isEmpty { context.commitsCount += 1 }
                noteStored(record)
            }
            reply(first)
        }
        while let read = reads.popFirst(upTo: state.durable) { read(true) }
        noteUse()
    }

    private func reply(_ answer: PendingAnswer) {
        guard let record = answer.record, !record.facts.isEmpty, let replicate else {
            return answer.reply(answer.result)
        }
        replicate(record) { answer.reply(answer.result) }
    }

    /// Delivers the values of durable versions, and notifies after each version.
    func deliverDurable() {
        while let first = deliveries.popFirst(upTo: state.durable) {
            first.deliver()
            let version = first.version
            while let next = deliveries.popFirst(of: version) { next.deliver() }
            updates.notify()
        }
    }

    /// Ends a generation. Commits that were not stored fail with `failure`; without one, other processes committed
    /// first and the calls are performed again.
    func undo(_ failure: JournalFailure?) {
        queues.undo(after: state.durable)
        // Running effects see durable state only, so they continue.
        if durableState?.isRunning == false { durableState = nil }
        var carried = deliveries.removeAll()
        let undone = answers.removeAll()
        let reads = reads.removeAll()
        while let delivery = carried.popFirst() { carryOver(delivery) }
        for answer in undone {
            if let failure { answer.reply(.failure(.journal(failure))) } else { performAgain(answer) }
        }
        for read in reads { read(false) }
    }
}
