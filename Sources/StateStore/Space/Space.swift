import JSON
import Reactive

/// One independent state: its variables, its version, its views. It belongs to one store, and is touched on that store's home only.
final class Space: Place {
    /// How often an action is run again because others were first.
    static let attemptLimit = 16
    /// How many commits of others are remembered that could not be taken at once; beyond that the content comes anew.
    static let missedLimit = 64

    /// Whether it can be used.
    enum Phase {
        /// Its content is yet to come from the journal.
        case away
        /// It is all there.
        case here
        /// A commit was not kept: when the journal has dealt with those after it too, the content comes anew.
        case broken
    }

    typealias Reply = (Result<Answer, Refusal>) -> Void
    let name: SpaceName
    // Whoever keeps a space longer than the store does goes by the store's door before touching it.
    unowned(unsafe) let store: Store
    let graph: Graph
    /// Makes the features of the space, new.
    private let makeFeatures: () -> [FeatureInstance]
    private(set) var features: [FeatureInstance] = []
    private(set) var phase = Phase.away
    /// The version as it is here,
    private(set) var version = 0
    /// and as far as it is kept.
    private(set) var durable = 0
    /// Which generation of commits this is, a number of its own: all of one build on each other.
    private var generation: Int
    /// Commits of whatever generation that the journal has not dealt with.
    private var outstanding = 0
    /// How often the content has come from elsewhere.
    private(set) var arrivals = 0
    private var cells: [String: Cell] = [:]
    private var keptBack = Fifo<Held>()
    private var pending = Fifo<Pending>()
    var keys = KeyMemory()
    /// What waits until the space is here.
    private var waiting = Fifo<(JournalFailure?) -> Void>()
    /// What waits until a version is durable: it is told whether that came to be, or was undone.
    private var readers = Fifo<(version: Int, read: (Bool) -> Void)>()
    private var isLoading = false
    /// Who is to be told something as soon as the space is here.
    private var late: [Onlooker] = []
    /// How often a view has changed by time alone.
    private var beats = 0
    /// How many watch from here.
    private var onlookers = 0
    /// Commits of others that came while they could not be taken, the last of them in a row.
    private var missed: [CommitRecord] = []
    /// The bytes that it takes.
    var estimate = SpaceMemory()
    /// Whether it stands in the queue of those that may be forgotten, and whether it was used since.
    var isQueued = false
    var wasUsed = false
    /// Whether it has work for its effects, as it is here.
    var hasWork = false
    /// What its effects see.
    var shadow: Shadow?
    /// Has what was kept shown elsewhere before it is answered: for `common`, by all replicas.
    var spread: ((CommitRecord, @escaping () -> Void) -> Void)?

    init(_ name: SpaceName, in store: Store, graph: Graph, makeFeatures: @escaping () -> [FeatureInstance]) {
        self.name = name
        self.store = store
        self.graph = graph
        self.makeFeatures = makeFeatures
        generation = store.nextGeneration()
    }

    // MARK: Place

    /// What it is like just now, where that is here and kept; see `Stamp`.
    var stamp: Stamp? {
        guard case .here = phase, isShown else { return nil }
        return Stamp(generation: generation, arrivals: arrivals, beats: beats, moment: moment)
    }

    var moment: Moment { Moment(version: version, common: store.commonVersion) }
    var isShown: Bool { version == durable }

    func keepBack(_ held: Held) {
        if case .here = phase { return keptBack.append(held) }
        carryOver(held)
    }

    /// What is kept back while the content is made anew: views are, too, but what others have to tell is told then.
    private func carryOver(_ held: Held) {
        if case .news = held { held.show() }
    }

    func noteDirty(_ onlooker: Onlooker) {
        if case .here = phase { store.noteDirty(onlooker) } else { late.append(onlooker) }
    }

    func noteOnlooker(_ change: Int) {
        onlookers += change
        if onlookers == 0 { store.noteUse(of: self) }
    }

    func noteBeat() {
        beats += 1
    }

    func noteFailed(_ cell: Cell) {
        store.noteFailed(cell)
    }

    /// Whether nothing would be lost by forgetting it here.
    var isIdle: Bool {
        if case .broken = phase { return false }
        return shadow == nil && !isLoading && pending.isEmpty && readers.isEmpty && outstanding == 0 && waiting.isEmpty && !keys.isBusy
            && onlookers == 0
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
        let owned = Owned((door: store.door, space: self))
        store.keeper.read(
            for: store.home,
            { journal in
                do throws(JournalFailure) {
                    return Result<KeptSpace?, JournalFailure>.success(try journal.load(name))
                } catch {
                    return .failure(error)
                }
            },
            then: { loaded in
                let (door, space) = owned.value
                if door.store != nil { space.arrive(loaded) }
            })
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
        takeMissed()
    }

    /// Lets those in who wait. One of them may break the space, so that the others wait again.
    private func letIn(_ failure: JournalFailure?) {
        if let failure {
            var bodies = waiting
            waiting = Fifo()
            while let body = bodies.popFirst() { body(failure) }
        } else {
            while case .here = phase, let body = waiting.popFirst() { body(nil) }
        }
        store.noteUse(of: self)
    }

    /// Makes the content anew, from what is kept.
    private func fill(_ kept: KeptSpace?) throws(JournalFailure) {
        features = makeFeatures()
        try take(kept?.facts ?? [])
        version = kept?.version ?? 0
        durable = version
        measure(kept)
        phase = .here
        arrivals += 1
        let told = late
        late = []
        store.tellOnce {
            for cell in cells.values {
                if let view = features.view(cell.name) { cell.rebind(to: view) }
            }
            for onlooker in told { store.noteDirty(onlooker) }
        }
        attend()
    }

    private func take(_ facts: some Collection<Fact>) throws(JournalFailure) {
        guard !facts.isEmpty else { return }
        do {
            try graph.commit { transaction throws(JSONError) in
                for fact in facts { try features.take(fact, in: &transaction) }
            }
        } catch {
            throw JournalFailure(.damaged, "what is kept of the space \(name) cannot be read: \(error)")
        }
    }

    /// Takes a commit that somebody else has made, if it can be taken just now. Whoever watches hears of it, so it is not forgotten otherwise.
    func follow(_ record: CommitRecord) {
        guard record.version > version || outstanding > 0 || isLoading else { return }
        guard case .here = phase, outstanding == 0 else {
            if missed.count == Self.missedLimit { missed = [] }
            missed.append(record)
            if case .away = phase, onlookers > 0 { load() }
            return
        }
        guard record.version == version + 1 else { return comeAnew() }
        version = record.version
        durable = version
        arrivals += 1
        do throws(JournalFailure) {
            try take(record.facts)
        } catch {
            return comeAnew()
        }
        noteCommitted(record.facts)
        attend()
    }

    private func takeMissed() {
        guard case .here = phase, outstanding == 0, !missed.isEmpty else { return }
        let records = missed
        missed = []
        for record in records { follow(record) }
    }

    /// Has the content come anew from the journal.
    private func comeAnew() {
        phase = .away
        load()
    }

    /// Has all who come wait, and ends what its effects have under way, until it begins again.
    func shut() {
        phase = .away
        isLoading = true
        shadow = nil
    }

    /// Loads the content again after an attempt to forget the space. Outcomes of older commits no longer count; the keys of a forgotten space are free.
    func beginAgain(isForgotten: Bool) {
        if isForgotten { keys.dropAnswers() }
        generation = store.nextGeneration()
        isLoading = false
        comeAnew()
    }

    // MARK: Acting

    /// Performs a call that has no key, or one that is new. The answer is returned where it is there at once; else the closure that `later` makes is
    /// told. Whoever asks hands the store, because each look at the one that the space knows counts references.
    func perform(_ call: Call, attempts: Int, for store: Store, orLater later: () -> Reply) -> Result<Answer, Refusal>? {
        func settle(_ result: Result<Answer, Refusal>, _ record: CommitRecord? = nil) -> Result<Answer, Refusal>? {
            if record == nil, version <= durable, pending.isEmpty { return result }
            pending.append(Pending(call: call, attempts: attempts, version: version, record: record, result: result, reply: later()))
            if record == nil { self.settle() }
            return nil
        }
        if !call.views.isEmpty, let refusal = store.refusal(of: call.views, in: self) { return settle(.failure(refusal)) }
        if let demanded = call.ifVersion, demanded != version { return settle(.failure(.changed(version: version))) }
        if let condition = call.condition, !condition(version, news(call.views)) { return settle(.failure(.changed(version: version))) }
        let feature = features[call.place.featureIndex]
        let at = store.now
        let input = call.input
        let facts: Facts
        do throws(Rejection) {
            var commit = Commit(graph.draft(), now: at, version: version + 1, random: store.randomness())
            try feature.act(call.place.actionIndex, input, call.tree, &commit)
            graph.dropUnchanged()
            facts = try feature.facts()
        } catch {
            graph.discard()
            return settle(.failure(.rejected(error)))
        }
        if facts.isEmpty { graph.discard() }
        if facts.isEmpty, call.key == nil || version == 0 { return settle(.success(answer(call, []))) }
        // What changes nothing makes no version; but where it was sent with a key, that it was done is kept.
        if !facts.isEmpty {
            version += 1
            graph.publish()
            feature.noteKept(facts)
            noteCommitted(facts)
            noteChange(of: feature)
        }
        let answer = answer(call, feature.changed(by: facts))
        let record = CommitRecord(
            space: name, version: version, at: at, action: call.place.name, input: consume input, facts: consume facts,
            key: call.key ?? "", fingerprint: call.key == nil ? 0 : call.fingerprint, hasKey: call.key != nil, leavesWork: hasWork)
        let isNext = outstanding == 0 && pending.isEmpty && readers.isEmpty && keptBack.isEmpty
        let submission = Submission(record: consume record, generation: generation, submitter: store.submitter)
        let submitted = store.keeper.submit(submission)
        // Where nothing else is to be told or answered, nothing has to be put in a queue.
        if isNext, spread == nil, shadow == nil, case .kept = submitted {
            durable = version
            if !answer.changed.isEmpty { store.commitsCount += 1 }
            return .success(answer)
        }
        outstanding += 1
        let result = settle(.success(answer), submission.record)
        switch submitted {
        case .kept: hear(Outcome(submission, .kept))
        case .undone(let outcome): hear(outcome)
        case .underWay: break
        }
        return result
    }

    /// The answer to a call that has just been performed.
    private func answer(_ call: Call, _ changed: [String]) -> Answer {
        Answer(version: version, changed: changed, views: news(call.views), isReplay: false)
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
        guard outstanding == 0 else { return }
        if case .broken = phase { comeAnew() } else { takeMissed() }
    }

    /// Answers what is durable. `one` is a version whose record has just been kept.
    private func settle(one version: Int? = nil) {
        var isRecordKept = version != nil
        while let first = pending.popFirst(where: { $0.version <= durable && ($0.record == nil || isRecordKept) }) {
            if let record = first.record {
                isRecordKept = false
                if !record.facts.isEmpty { store.commitsCount += 1 }
                noteKept(record)
            }
            answer(first)
        }
        while let first = readers.popFirst(where: { $0.version <= durable }) { first.read(true) }
        store.noteUse(of: self)
    }

    private func answer(_ pending: Pending) {
        guard let record = pending.record, !record.facts.isEmpty, let spread else { return pending.reply(pending.result) }
        spread(record) { pending.reply(pending.result) }
    }

    private func showKeptBack() {
        while let first = keptBack.popFirst(where: { $0.version <= durable }) {
            first.show()
            let version = first.version
            while let next = keptBack.popFirst(where: { $0.version == version }) { next.show() }
            store.tellDirty()
        }
    }

    /// Ends this generation: what was not kept is undone, and those who asked for it are told, or it is run again where others were first.
    private func breakOff(_ failure: JournalFailure?) {
        generation = store.nextGeneration()
        phase = .broken
        if shadow?.isAtWork == false { shadow = nil }  // One at work knows only durable state, and goes on.
        var held = keptBack
        keptBack = Fifo()
        while let one = held.popFirst() { carryOver(one) }
        var undone = pending
        pending = Fifo()
        var undoneReaders = readers
        readers = Fifo()
        while let one = undone.popFirst() {
            if let failure { one.reply(.failure(.journal(failure))) } else { performAgain(one) }
        }
        while let reader = undoneReaders.popFirst() { reader.read(false) }
    }

    // MARK: Reading

    /// Does something when all that is here just now is durable, or undone.
    func whenDurable(_ read: @escaping (_ isKept: Bool) -> Void) {
        if version == durable { read(true) } else { readers.append((version, read)) }
    }

    func cell(_ name: String) -> Cell? {
        if let cell = cells[name] { return cell }
        guard let view = features.view(name) else { return nil }
        let cell = Cell(name: name, view: view, in: self)
        cells[name] = cell
        return cell
    }
}
