import JSON
import Reactive

/// One independent state: its variables, its version, its views. It belongs to one store, and is touched on that store's home only.
final class Space: Place {
    /// How often an action is run again because others were first.
    static let attemptLimit = 16

    /// Whether it can be used.
    enum Phase {
        /// Its content is yet to come from the journal.
        case away
        /// It is all there.
        case here
        /// A commit was not kept: when the journal has dealt with those after it too, the content comes anew.
        case broken
    }

    let name: SpaceName
    unowned let store: Store
    let graph: Graph
    /// Makes the features of the space, new.
    private let makeFeatures: () -> [FeatureInstance]
    private(set) var features: [FeatureInstance] = []

    private(set) var phase = Phase.away
    /// The version as it is here,
    private(set) var version = 0
    /// and as far as it is kept.
    private(set) var durable = 0
    private var generation = 0
    /// Commits of this generation that the journal has not dealt with.
    private var outstanding = 0

    private var cells: [String: Cell] = [:]
    private var keptBack = Fifo<(cell: Cell, frame: Frame)>()
    private var pending = Fifo<Pending>()
    private var keys = KeyMemory()
    /// What waits until the space is here.
    private var waiting: [(JournalFailure?) -> Void] = []
    /// What waits until a version is durable.
    private var readers = Fifo<(version: Int, read: (JournalFailure?) -> Void)>()
    private var isLoading = false
    /// How often it stands among the spaces that were used.
    var uses = 0
    /// Has what was kept shown elsewhere before it is answered: for `common`, by all replicas.
    var spread: ((CommitRecord, @escaping () -> Void) -> Void)?

    init(_ name: SpaceName, in store: Store, graph: Graph, makeFeatures: @escaping () -> [FeatureInstance]) {
        self.name = name
        self.store = store
        self.graph = graph
        self.makeFeatures = makeFeatures
    }

    // MARK: Place

    var moment: Moment { Moment(version: version, common: store.commonVersion) }
    var isShown: Bool { version == durable }

    func keepBack(_ frame: Frame, of cell: Cell) {
        keptBack.append((cell, frame))
    }

    func noteDirty(_ watch: Watch) {
        store.noteDirty(watch)
    }

    /// Whether nothing would be lost by forgetting it here.
    var isIdle: Bool {
        phase == .here && pending.isEmpty && readers.isEmpty && outstanding == 0 && waiting.isEmpty
            && !cells.values.contains(where: \.isWatched)
    }

    // MARK: Coming and going

    /// Does something when the space is here, at once if it is.
    func whenHere(_ body: @escaping (JournalFailure?) -> Void) {
        if case .here = phase { return body(nil) }
        waiting.append(body)
        if case .away = phase { load() }
    }

    private func load() {
        guard !isLoading else { return }
        isLoading = true
        let name = name
        let owned = Owned(self)
        store.keeper.read(
            for: store.home,
            { journal in
                do throws(JournalFailure) {
                    return Result<KeptSpace?, JournalFailure>.success(try journal.load(name))
                } catch {
                    return .failure(error)
                }
            },
            then: { owned.value.arrive($0) })
    }

    private func arrive(_ loaded: Result<KeptSpace?, JournalFailure>) {
        isLoading = false
        do throws(JournalFailure) {
            try fill(try loaded.get())
        } catch {
            phase = .away
            return letIn(error)
        }
        letIn(nil)
    }

    private func letIn(_ failure: JournalFailure?) {
        let bodies = waiting
        waiting = []
        for body in bodies { body(failure) }
    }

    /// Makes the content anew, from what is kept.
    private func fill(_ kept: KeptSpace?) throws(JournalFailure) {
        features = makeFeatures()
        try take(kept?.facts ?? [])
        version = kept?.version ?? 0
        durable = version
        phase = .here
        keptBack.removeAll()
        for cell in cells.values {
            if let view = view(cell.name) { cell.rebind(to: view) }
        }
    }

    private func take(_ facts: [Fact]) throws(JournalFailure) {
        guard !facts.isEmpty else { return }
        do {
            try graph.commit { transaction throws(JSONError) in
                for fact in facts { try self.stored(fact.variable)?.take(fact, in: &transaction) }
            }
        } catch {
            throw JournalFailure(.damaged, "what is kept of the space \(name) cannot be read: \(error)")
        }
    }

    private func stored(_ variable: String) -> (any Stored)? {
        for feature in features {
            for (name, stored) in feature.variables where name == variable { return stored }
        }
        return nil
    }

    /// Takes a commit that somebody else has made. Where this space has commits of its own under way, the journal will tell.
    func follow(_ record: CommitRecord) {
        guard case .here = phase, outstanding == 0, record.version > version else { return }
        guard record.version == version + 1 else {
            phase = .away
            return whenHere { _ in }
        }
        version = record.version
        durable = version
        do throws(JournalFailure) {
            try take(record.facts)
        } catch {
            phase = .away
        }
    }

    // MARK: Acting

    func run(_ call: Call, attempts: Int = 0, _ reply: @escaping (Result<Answer, Refusal>) -> Void) {
        if case .here = phase { return runHere(call, attempts: attempts, reply) }
        whenHere { failure in
            if let failure { return reply(.failure(.journal(failure))) }
            self.runHere(call, attempts: attempts, reply)
        }
    }

    private func runHere(_ call: Call, attempts: Int, _ reply: @escaping (Result<Answer, Refusal>) -> Void) {
        if let key = call.key { perform(call, key: key, reply) } else { perform(call, attempts: attempts, reply) }
    }

    /// Performs a call that has a key, unless that was done before.
    private func perform(_ call: Call, key: String, _ reply: @escaping (Result<Answer, Refusal>) -> Void) {
        switch keys[key] {
        case .answered(let answer, let time) where time > store.now - Idempotency.memory:
            return repeatAnswer(answer, to: call, reply)
        case .underWay:
            return keys.wait(for: key) { self.run(call, reply) }
        case .answered, nil: break
        }
        keys.begin(key)
        let reply = { (result: Result<Answer, Refusal>) in
            let answer = try? result.get()  // A refusal is no answer to be kept: the key stays free.
            let kept = answer.map { KeptAnswer(fingerprint: call.fingerprint, version: $0.version, changed: $0.changed) }
            let waiters = self.keys.end(key, answer?.isReplay == true ? nil : kept, at: self.store.now)
            reply(result)
            for waiter in waiters { waiter() }
        }
        let name = name
        let earliest = store.now - Idempotency.memory
        let owned = Owned((space: self, reply: reply))
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
                let (space, reply) = owned.value
                switch found {
                case .success(let answer?): space.repeatAnswer(answer, to: call, reply)
                case .success(nil):
                    space.whenHere { failure in
                        if let failure { reply(.failure(.journal(failure))) } else { space.perform(call, attempts: 0, reply) }
                    }
                case .failure(let failure): reply(.failure(.journal(failure)))
                }
            })
    }

    private func repeatAnswer(_ answer: KeptAnswer, to call: Call, _ reply: @escaping (Result<Answer, Refusal>) -> Void) {
        guard answer.fingerprint == call.fingerprint else { return reply(.failure(.keyReused)) }
        let views = news(call.views)
        whenDurable { failure in
            if let failure { return reply(.failure(.journal(failure))) }
            reply(.success(Answer(version: answer.version, changed: answer.changed, views: views, isReplay: true)))
        }
    }

    private func perform(_ call: Call, attempts: Int, _ reply: @escaping (Result<Answer, Refusal>) -> Void) {
        if let demanded = call.ifVersion, demanded != version { return reply(.failure(.changed(version: version))) }
        guard let feature = features.first(where: { $0.name == call.feature }), let action = feature.actions[call.action] else {
            return reply(.failure(.noSuchAction))
        }
        let at = store.now
        var facts: [Fact] = []
        do throws(Rejection) {
            var commit = Commit(graph.draft(), now: at, version: version + 1, random: store.randomness())
            try action.perform(call.input, &commit)
            facts = try feature.facts()
        } catch {
            graph.discard()
            return reply(.failure(.rejected(error)))
        }
        let idempotency = call.key.map { Idempotency(key: $0, fingerprint: call.fingerprint) }
        if facts.isEmpty { graph.discard() }
        if facts.isEmpty, idempotency == nil || version == 0 {
            pending.append(
                Pending(call: call, reply: reply, attempts: attempts, version: version, record: nil, views: news(call.views)))
            return settle()
        }
        // What changes nothing makes no version; but where it was sent with a key, that it was done is kept.
        if !facts.isEmpty { version += 1 }
        let record = CommitRecord(
            space: name, version: version, at: at, action: call.name, input: call.input, facts: facts, idempotency: idempotency)
        if !facts.isEmpty { graph.publish() }
        pending.append(Pending(call: call, reply: reply, attempts: attempts, version: version, record: record, views: news(call.views)))
        outstanding += 1
        store.keeper.submit(Submission(record: record, generation: generation, submitter: store.submitter))
    }

    // MARK: What became of it

    func hear(_ outcome: Outcome) {
        outstanding -= 1
        if outcome.generation == generation {
            switch outcome.result {
            case .kept:
                durable = max(durable, outcome.version)
                showKeptBack()
                settle(one: outcome.version)
            case .moved: breakOff(nil)
            case .failed(let failure): breakOff(failure)
            }
        }
        if case .broken = phase, outstanding == 0 {
            phase = .away
            whenHere { _ in }
        }
    }

    /// Answers what is durable. `one` is a version whose record has just been kept.
    private func settle(one version: Int? = nil) {
        var isRecordKept = version != nil
        while let first = pending.first, first.version <= durable {
            if first.record != nil {
                guard isRecordKept else { break }
                isRecordKept = false
            }
            _ = pending.popFirst()
            answer(first)
        }
        while let first = readers.first, first.version <= durable {
            _ = readers.popFirst()
            first.read(nil)
        }
        store.noteUse(of: self)
    }

    private func answer(_ pending: Pending) {
        guard let record = pending.record, !record.facts.isEmpty, let spread else { return pending.reply(.success(pending.answer)) }
        spread(record) { pending.reply(.success(pending.answer)) }
    }

    private func showKeptBack() {
        while let first = keptBack.first, first.frame.since.version <= durable {
            let version = first.frame.since.version
            while let next = keptBack.first, next.frame.since.version == version {
                _ = keptBack.popFirst()
                next.cell.show(next.frame)
            }
            store.tellDirty()
        }
    }

    /// Ends this generation: what was not kept is undone, and those who asked for it are told, or it is run again where others were first.
    private func breakOff(_ failure: JournalFailure?) {
        generation += 1
        phase = .broken
        keptBack.removeAll()
        let undone = pending
        pending = Fifo()
        let waitingReaders = readers
        readers = Fifo()
        var remaining = undone
        while let one = remaining.popFirst() {
            if let failure {
                one.reply(.failure(.journal(failure)))
            } else if one.attempts >= Self.attemptLimit {
                one.reply(.failure(.contended))
            } else {
                waiting.append { failed in
                    if let failed { return one.reply(.failure(.journal(failed))) }
                    self.perform(one.call, attempts: one.attempts + 1, one.reply)
                }
            }
        }
        var left = waitingReaders
        while let reader = left.popFirst() {
            waiting.append { reader.read($0) }
        }
    }

    // MARK: Reading

    /// Does something when all that is here just now is durable.
    func whenDurable(_ read: @escaping (JournalFailure?) -> Void) {
        if version == durable { read(nil) } else { readers.append((version, read)) }
    }

    private func view(_ name: String) -> (any View)? {
        guard let dot = name.firstIndex(of: "."), let feature = features.first(where: { $0.name == name[..<dot] }) else { return nil }
        return feature.views[String(name[name.index(after: dot)...])]
    }

    func cell(_ name: String) -> Cell? {
        if let cell = cells[name] { return cell }
        guard let view = view(name) else { return nil }
        let cell = Cell(name: name, view: view, in: self)
        cells[name] = cell
        return cell
    }

    private func news(_ views: [String]) -> Watch.News {
        views.compactMap { name in store.cell(name, in: self).map { (name, $0.current()) } }
    }
}

extension FeatureInstance {
    /// What the open transaction changes of this feature.
    func facts() throws(Rejection) -> [Fact] {
        var facts: [Fact] = []
        do throws(JSONError) {
            for (name, stored) in variables { try stored.appendFacts(named: name, to: &facts) }
        } catch {
            throw Rejection(.invalid, "the result cannot be kept: \(error.reason)")
        }
        return facts
    }
}

extension Timestamp {
    static func - (time: Timestamp, duration: Duration) -> Timestamp {
        let (seconds, attoseconds) = duration.components
        return Timestamp(microseconds: time.microseconds - seconds * 1_000_000 - attoseconds / 1_000_000_000_000)
    }
}
