import Ground

/// Calls with an idempotency key, which the space performs only once.
extension Space {
    /// Performs a call with a key unless a call with the same key was performed in the last `Idempotency.memory`.
    func perform(_ call: Call, key: String, _ reply: @escaping Reply) {
        switch keys[key] {
        case .answered(let answer, let time) where time >= context.now - Idempotency.memory:
            return repeatAnswer(answer, to: call, reply)
        case .underWay:
            return keys.wait(for: key) { self.run(call, reply) }
        case .answered, nil: break
        }
        keys.begin(key)
        let finish: Reply = { result in
            let answer = try? result.get()  // A refusal is not stored: its key stays free.
            let stored = answer.map {
                StoredAnswer(
                    fingerprint: call.fingerprint, version: $0.version, changed: $0.changed, result: $0.result)
            }
            // Whoever has not made the key learns it when the outcome is unknown, and then the journal has the answer.
            let isJournaled = answer.map { $0.isReplay || call.isKeyNew && !$0.isUnkept } ?? false
            let waiters = self.keys.end(key, isJournaled ? nil : stored, at: self.context.now)
            reply(result)
            for waiter in waiters { waiter() }
            self.noteUse()
        }
        if call.isKeyNew || !(context.ownership?.mayHaveAnswer(to: key, of: name) ?? true) {
            perform(call, attempts: 0, finish)
        } else {
            performOnce(call, key: key, attempts: 0, finish)
        }
    }

    /// Performs a call unless the journal has an answer for its key.
    ///
    /// A commit that another process makes during the look-up may have this key, and deleting the space deletes its
    /// keys. In both cases the look-up is repeated.
    private func performOnce(_ call: Call, key: String, attempts: Int, _ reply: @escaping Reply) {
        guard attempts <= Self.attemptLimit else { return reply(.failure(.contended)) }
        let name = name
        let earliest = context.now - Idempotency.memory
        let owned = Confined(
            (context: context, space: self, arrivals: state.arrivals, deletions: keys.deletions, reply: reply))
        context.writer.read(
            for: context.executor,
            { journal in
                do throws(JournalFailure) {
                    return Result<StoredAnswer?, JournalFailure>.success(
                        try journal.answer(name, key: key, since: earliest))
                } catch {
                    return .failure(error)
                }
            },
            then: { found in
                let (context, space, arrivals, deletions, reply) = owned.value
                guard context.isOpen else { return }
                space.whenHere { failure in
                    if let failure { return reply(.failure(.journal(failure))) }
                    switch found {
                    case .success(let answer?) where space.keys.deletions == deletions:
                        space.repeatAnswer(answer, to: call, reply)
                    case .success(nil) where space.state.arrivals == arrivals:
                        space.perform(call, attempts: attempts, reply)
                    case .success: space.performOnce(call, key: key, attempts: attempts + 1, reply)
                    case .failure(let failure): reply(.failure(.journal(failure)))
                    }
                }
            })
    }

    /// Performs a call again after other processes committed first.
    func performAgain(_ answer: PendingAnswer) {
        guard context.owns(name) else { return answer.reply(.failure(.elsewhere)) }
        guard answer.attempts < Self.attemptLimit else { return answer.reply(.failure(.contended)) }
        whenHere { failure in
            if let failure { return answer.reply(.failure(.journal(failure))) }
            if let position = answer.call.position {
                let attempts = answer.attempts + 1
                return self.perform(answer.call, in: position, attempts: attempts, answer.reply)
            }
            guard let key = answer.call.key else {
                return self.perform(answer.call, attempts: answer.attempts + 1, answer.reply)
            }
            self.performOnce(answer.call, key: key, attempts: answer.attempts + 1, answer.reply)
        }
    }

    private func repeatAnswer(_ answer: StoredAnswer, to call: Call, _ reply: @escaping Reply) {
        guard answer.fingerprint == call.fingerprint else { return reply(.failure(.keyReused)) }
        whenHere { failure in
            if let failure { return reply(.failure(.journal(failure))) }
            let (views, moment) = (self.frames(of: call), self.answerMoment)
            self.whenDurable { isDurable in
                guard isDurable else { return self.repeatAnswer(answer, to: call, reply) }
                reply(
                    .success(
                        Answer(
                            version: answer.version, changed: answer.changed, result: answer.result, views: views,
                            moment: moment, isReplay: true)))
            }
        }
    }
}
