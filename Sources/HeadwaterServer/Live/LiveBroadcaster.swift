import HTTP
import StateStore

/// The live streams of one loop that watch the same views, in spaces of whichever loops.
///
/// An event is written once for all of them. A reader that is too slow misses values, and gets the newest when it can
/// take one.
final class LiveBroadcaster: TurnEndTask {
    /// The time that an update waits for other loops to show the same version of `common`. A loop that cannot take a
    /// commit of a newer program must not hold back the others.
    static let patienceNanoseconds: Int64 = 1_000_000_000

    let selection: LiveSelection
    let name: LiveNumber
    private let live: LiveLoop
    private var values: LiveValues
    private var events = LiveEvents()
    /// The patches of recent steps, while a reader wants them.
    private var patches: [ViewPatches]?
    private var id: LiveID?
    private var readers: [LiveReader] = []
    /// The number of readers that want patches.
    private var patchReaders = 0
    /// The requests that wait for the first values, each with the number of its request for news.
    private var waiting: [(refresh: Int, begin: (Problem?) -> Void)] = []
    private var lastRefresh = 0
    private var isDirty = false
    private var isPatient = true
    private var isAlarmSet = false
    /// True while changes of what is in memory only are gathered.
    private var isGathering = false

    init(_ selection: LiveSelection, _ branchOfPart: [Int], _ name: LiveNumber, _ live: LiveLoop) {
        self.selection = selection
        self.name = name
        self.live = live
        values = LiveValues(selection, branchOfPart)
    }

    var delivery: Delivery { live.delivery }

    // MARK: News

    /// Takes the news of a loop.
    func hear(_ news: LiveNews, from branch: Int) {
        if let refusal = news.refusal { return fail(refusal) }
        if let late = news.late { return refuse(late) }
        values.note(news, from: branch)
        noteDirty()
    }

    private func noteDirty() {
        guard !isDirty else { return }
        isDirty = true
        live.delivery.noteDirty(self)
    }

    func endTurn() {
        if isDirty { passOn() }
    }

    private func passOn() {
        isDirty = false
        let tags = live.delivery.tags
        let last = (step: values.step, moments: values.moments, lives: values.lives)
        let changes = values.takeStep(isPatient: isPatient) { tags.digest(of: $0) }
        isPatient = true
        if values.isWaiting { setAlarm() }
        // The versions may have moved without a step.
        events = LiveEvents()
        if let changes {
            // A step without a new version comes from what is in memory only.
            let isGathered = last.step > 0 && last.moments == values.moments && last.lives == values.lives
            takeStep(changes, isGathered: isGathered)
        }
        letIn()
    }

    private func takeStep(_ changes: [LiveValues.ViewChange], isGathered: Bool) {
        for change in changes { patches?[change.view].take(values.step, from: change.old, to: change.new) }
        id = values.id(live.journal.digestKey, era: live.journal.lives.era)
        if let failure = values.failure, selection.names.count == 1 {
            let last = Problem.goneEvent(failure.view, failure.failure)
            for reader in readers { reader.end(with: last) }
            return
        }
        for reader in readers {
            // The event that the reader has yet to take is replaced by this one.
            if case .at(let step) = reader.position, step < values.step - 1 { live.delivery.metrics.conflated += 1 }
            if !isGathered { reader.wake() }
        }
        guard isGathered, !isGathering else { return }
        isGathering = true
        live.delivery.after(nanoseconds: Delivery.gatherNanoseconds) { [weak self] in
            self?.isGathering = false
            for reader in self?.readers ?? [] { reader.wake() }
        }
    }

    /// Begins the streams whose request for news was answered.
    private func letIn() {
        guard values.isWhole, !waiting.isEmpty else { return }
        let ready = waiting.filter { $0.refresh <= values.refresh }
        guard !ready.isEmpty else { return }
        waiting.removeAll { $0.refresh <= values.refresh }
        for one in ready { one.begin(nil) }
        closeIfUnused()
    }

    /// Goes on without the loops that are behind, after a while.
    private func setAlarm() {
        guard !isAlarmSet else { return }
        isAlarmSet = true
        live.executor.alarms.after(nanoseconds: Self.patienceNanoseconds) { [weak self] in
            guard let self else { return }
            isAlarmSet = false
            guard values.isWaiting else { return }
            isPatient = false
            noteDirty()
        }
    }

    /// Ends all streams, because the rules of the views are others now. `gone` are the views that are not there any more,
    /// each of which has an event.
    func endAll(gone: [String]) {
        let last = Problem.goneEvents(gone)
        for reader in readers {
            if let last { reader.end(with: last) } else { reader.end() }
        }
    }

    private func fail(_ refusal: Refusal) {
        live.close(self)
        let refused = waiting
        waiting = []
        let problem = Problem(refusal)
        for one in refused { one.begin(problem) }
        for reader in readers { if case .forbidden = refusal { reader.end(with: problem) } else { reader.end() } }
    }

    /// Refuses the stream whose request for news waited for too long.
    private func refuse(_ late: Int) {
        guard let index = waiting.firstIndex(where: { $0.refresh == late }) else { return }
        waiting.remove(at: index).begin(.behind)
        closeIfUnused()
    }

    // MARK: Streams

    /// Begins a stream: with all values, unless `lastID` says that the client has them.
    func stream(_ responder: Responder, _ place: StreamPlace, lastID: String?, wantsPatches: Bool) {
        let begin: (Problem?) -> Void = { [self] problem in
            guard responder.isOpen else { return }
            if let problem { return responder.answer(problem) }
            if let failure = values.failure { return responder.answer(Problem(failure.failure, of: failure.view)) }
            let position = position(after: lastID)
            let reader = LiveReader(
                responder.exchange.connection, self, place, position, wantsPatches: wantsPatches)
            if wantsPatches {
                if patches == nil { patches = selection.names.map { _ in ViewPatches(from: values.step) } }
                patchReaders += 1
            }
            reader.place = readers.count
            readers.append(reader)
            responder.stream(reader, isNegotiated: true)
        }
        // A client whose action was answered sees it in the first event, on whichever loop the space is.
        lastRefresh += 1
        waiting.append((lastRefresh, begin))
        live.refresh(self, lastRefresh)
    }

    private func position(after lastID: String?) -> ReaderPosition {
        guard let lastID, let id else { return .new(isReset: false) }
        let relation = LiveID(lastID).map { id.relation(of: $0) } ?? .changed
        live.delivery.metrics.resumes[relation == .current ? 0 : 1] += 1
        return relation == .current ? .resumed(values.step) : .new(isReset: relation == .ended)
    }

    /// Returns the next piece for a reader, or nil if it has taken the newest.
    func next(for reader: LiveReader) -> Piece? {
        guard let id else { return nil }
        switch reader.position {
        case .at(values.step): return nil
        case .at(let taken):
            reader.position = .at(values.step)
            live.delivery.metrics.frames += 1
            return events.event(after: taken, values, id, reader.wantsPatches ? patches : nil)
        case .begun:
            reader.position = .at(values.step)
            live.delivery.metrics.frames += 1
            return events.whole(values, id)
        case .new(let isReset):
            // The connection sends the event that all readers share in the same write.
            reader.position = .begun
            return Piece(StepEvents.beginning(delivery, isReset: isReset))
        case .resumed(let taken):
            reader.position = .at(taken)
            return Piece(StepEvents.beginning(delivery, isReset: false), isNewest: taken == values.step)
        }
    }

    /// Removes a reader whose stream has ended, in O(1).
    func remove(_ reader: LiveReader) {
        guard reader.place < readers.count, readers[reader.place] === reader else { return }
        let last = readers.removeLast()
        if last !== reader {
            readers[reader.place] = last
            last.place = reader.place
        }
        live.delivery.metrics.streams -= 1
        if reader.wantsPatches {
            patchReaders -= 1
            if patchReaders == 0 { patches = nil }
        }
        closeIfUnused()
    }

    /// Releases the requests that wait, which own this object.
    func release() {
        waiting = []
    }

    private func closeIfUnused() {
        if readers.isEmpty, waiting.isEmpty { live.close(self) }
    }
}

/// One live stream.
final class LiveReader: StepReader, StreamSource {
    private let broadcaster: LiveBroadcaster

    init(
        _ connection: Connection, _ broadcaster: LiveBroadcaster, _ place: StreamPlace, _ position: ReaderPosition,
        wantsPatches: Bool
    ) {
        self.broadcaster = broadcaster
        super.init(connection, place, position, wantsPatches: wantsPatches)
    }

    func next() -> Piece? {
        isEnding ? nextOfEnd(broadcaster.delivery) : broadcaster.next(for: self)
    }

    func left() {
        release()
        broadcaster.remove(self)
    }
}
