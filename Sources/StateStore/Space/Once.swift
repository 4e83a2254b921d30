/// What was sent with a key is performed once, however often it is sent.
extension Space {
    /// Performs a call as soon as the space is here.
    func run(_ call: Call, _ reply: @escaping (Result<Answer, Refusal>) -> Void) {
        if let result = run(call, for: store, orLater: { reply }) { reply(result) }
    }

    /// Performs a call as soon as the space is here, and returns the answer where it is there at once.
    func run(_ call: Call, for store: Store, orLater later: () -> Reply) -> Result<Answer, Refusal>? {
        // Asked first whether there is a key, which takes no copy.
        if case .here = phase, call.key == nil { return perform(call, attempts: 0, for: store, orLater: later) }
        let reply = later()
        whenHere { failure in
            if let failure { return reply(.failure(.journal(failure))) }
            guard let key = call.key else { return self.perform(call, attempts: 0, reply) }
            self.perform(call, key: key, reply)
        }
        return nil
    }

    /// Performs a call, whose answer comes when it is there.
    private func perform(_ call: Call, attempts: Int, _ reply: @escaping Reply) {
        if let result = perform(call, attempts: attempts, for: store, orLater: { reply }) { reply(result) }
    }

    /// Performs a call that has a key, unless that was done before.
    func perform(_ call: Call, key: String, _ reply: @escaping (Result<Answer, Refusal>) -> Void) {
        switch keys[key] {
        case .answered(let answer, let time) where time >= store.now - Idempotency.memory:
            return repeatAnswer(answer, to: call, reply)
        case .underWay:
            return keys.wait(for: key) { self.run(call, reply) }
        case .answered, nil: break
        }
        keys.begin(key)
        performOnce(call, key: key, attempts: 0) { result in
            let answer = try? result.get()  // A refusal is no answer to be kept: the key stays free.
            let kept = answer.map { KeptAnswer(fingerprint: call.fingerprint, version: $0.version, changed: $0.changed) }
            let waiters = self.keys.end(key, answer?.isReplay == true ? nil : kept, at: self.store.now)
            reply(result)
            for waiter in waiters { waiter() }
            self.store.noteUse(of: self)
        }
    }

    /// Performs a call unless the journal knows its key. What others commit while the journal is asked may be of that key, and a space that is forgotten
    /// meanwhile takes its keys with it: in both cases the journal is asked again.
    func performOnce(_ call: Call, key: String, attempts: Int, _ reply: @escaping (Result<Answer, Refusal>) -> Void) {
        guard attempts <= Self.attemptLimit else { return reply(.failure(.contended)) }
        let name = name
        let earliest = store.now - Idempotency.memory
        let owned = Owned((door: store.door, space: self, seen: arrivals, forgettings: keys.forgettings, reply: reply))
        store.keeper.read(
            for: store.home,
            { journal in
                do throws(JournalFailure) {
                    return Result<KeptAnswer?, JournalFailure>.success(try journal.answer(name, key: key, since: earliest))
                } catch {
                    return .failure(error)
                }
            },
            then: { found in
                let (door, space, seen, forgettings, reply) = owned.value
                guard door.store != nil else { return }
                space.whenHere { failure in
                    if let failure { return reply(.failure(.journal(failure))) }
                    switch found {
                    case .success(let answer?) where space.keys.forgettings == forgettings: space.repeatAnswer(answer, to: call, reply)
                    case .success(nil) where space.arrivals == seen: space.perform(call, attempts: attempts, reply)
                    case .success: space.performOnce(call, key: key, attempts: attempts + 1, reply)
                    case .failure(let failure): reply(.failure(.journal(failure)))
                    }
                }
            })
    }

    /// Performs a call once more, because others were first.
    func performAgain(_ one: Pending) {
        guard one.attempts < Self.attemptLimit else { return one.reply(.failure(.contended)) }
        whenHere { failure in
            if let failure { return one.reply(.failure(.journal(failure))) }
            guard let key = one.call.key else { return self.perform(one.call, attempts: one.attempts + 1, one.reply) }
            self.performOnce(one.call, key: key, attempts: one.attempts + 1, one.reply)
        }
    }

    private func repeatAnswer(_ answer: KeptAnswer, to call: Call, _ reply: @escaping (Result<Answer, Refusal>) -> Void) {
        guard answer.fingerprint == call.fingerprint else { return reply(.failure(.keyReused)) }
        whenHere { failure in
            if let failure { return reply(.failure(.journal(failure))) }
            let views = self.news(call.views)
            self.whenDurable { isKept in
                guard isKept else { return self.repeatAnswer(answer, to: call, reply) }
                reply(.success(Answer(version: answer.version, changed: answer.changed, views: views, isReplay: true)))
            }
        }
    }
}
