import HTTP
import Platform
import StateStore

/// The broadcaster of some views of a space that are read together: once, with a long poll, or as streams.
///
/// A value is encoded once for all readers. A slow reader misses values, and gets the newest when it can accept one
/// (conflation).
final class ViewBroadcaster: TurnEndTask {
    let space: SpaceName
    let delivery: Delivery
    private var watch: Watch?
    let views: TaggedValues
    var events = StepEvents()
    /// The newest known moment of the values.
    private var lastMoment = Moment.beginning
    /// The stamp of the space when its values were read without a watch.
    private var stamp: Stamp?
    private var hasValues = false
    /// True once the watch has delivered the first values.
    private var isTold = false
    /// True while requests wait for the space to be here again.
    private var isAwaited = false
    private var isReading = false
    /// The time at which the last computation of the values began: a read, or the begin of a watch.
    private var computed: Int64 = 0
    var isDirty = false
    /// The requests that wait for the first values, or for newer ones.
    private var waiting: [(isOpen: () -> Bool, body: (Refusal?) -> Void)] = []
    var readers: [ViewReader] = []
    private var polls: [ViewPoll] = []
    /// The views of steered streams.
    var observers: [any BroadcastObserver] = []
    /// The refusal that has ended the watch; nil while there is a watch.
    private(set) var failure: Refusal?
    /// The time until which the view stays watched for clients that come back.
    var returnEnd: Int64 = 0
    /// True while changes of what is in memory only are gathered.
    private var isGathering = false
    /// True while the alarm for the progress of the space is set.
    var isProgressDue = false
    private var answers = StepAnswers()
    /// The number of readers that want patches, and the time until which patches are stored without such readers.
    var patchReaderCount = 0
    private var patchesEnd: Int64 = 0
    /// The time at which the last reader left, or at which the views were last read once.
    private(set) var unusedSince: Int64
    /// True if the last computation of the views took long.
    private var isSlow = false
    /// True if the watch serves requests that read once, and no others yet.
    private var isForReads = false
    /// True if one of the views is an instance: then the broadcaster is removed some seconds after its last reader.
    let isOfInstances: Bool
    /// The permit of its readers.
    let permit: ReadPermit
    /// The refusal of the readers while a rule of the views is not true; nil while they may read.
    private(set) var refusal: Refusal?
    /// True while documents ask something else of its readers than the permit: nobody is shown anything.
    private(set) var isOutdated = false

    init(_ permit: ReadPermit, isSingle: Bool, _ delivery: Delivery) {
        space = permit.space
        self.permit = permit
        self.delivery = delivery
        isOfInstances = permit.dependsOnReader || permit.names.contains(where: \.isInstance)
        unusedSince = delivery.now
        views = TaggedValues(space, ViewValues(permit.names, of: space, isSingle: isSingle, delivery.tags))
        // The loop that has issued the permit may have older documents.
        isOutdated = delivery.isOutdated(permit)
    }

    /// True if no request reads or waits.
    var isUnused: Bool { readers.isEmpty && polls.isEmpty && observers.isEmpty && waiting.isEmpty }
    /// True if a client waits for the values. The clients of requests that wait can be gone.
    private var isWanted: Bool {
        !readers.isEmpty || !polls.isEmpty || !observers.isEmpty || waiting.contains { $0.isOpen() }
    }
    /// True if one of the views does not exist any more. Requests are answered 404 then.
    var isGone: Bool { views.values.failure?.failure.isGone ?? false }
    /// True while it watches the space.
    var isWatching: Bool { watch != nil }

    /// The names of the views.
    var names: [ViewKey] { views.values.names }
    /// True for a single view.
    var isSingle: Bool { views.values.isSingle }

    /// Notes that a request will read.
    func noteRequest() {
        unusedSince = delivery.now
    }

    /// Drops the values, unless they are read or watched. Returns true if it did.
    func forget() -> Bool {
        guard isUnused, !isWatching, !isReading else { return false }
        hasValues = false
        stamp = nil
        views.removeAll()
        events = StepEvents()
        answers = StepAnswers()
        return true
    }

    /// Releases the requests that wait, which own this object.
    func release() {
        waiting = []
    }

    // MARK: Values

    /// Calls `body` as soon as the values are current, for a client that waits while `isOpen` returns true.
    @inline(__always)
    func whenFresh(for isOpen: @autoclosure @escaping () -> Bool, _ body: @escaping (Refusal?) -> Void) {
        if isFresh { return body(refusal) }
        if isOutdated { return body(.migrating) }
        waiting.append((isOpen, body))
        guard watch == nil else { return waitForContent() }
        let isAgain = delivery.now - unusedSince < Delivery.lingerNanoseconds
        unusedSince = delivery.now
        if isSlow, isAgain { watchForReads() } else { read() }
    }

    /// Lets the requests in when the space is here again, if it has left during the watch. If it shows nothing new then, the
    /// watch delivers nothing.
    private func waitForContent() {
        guard isTold, watch?.isCurrent == false, !isAwaited else { return }
        isAwaited = true
        delivery.store.whenHere(space) { [weak self] failure in
            guard let self else { return }
            isAwaited = false
            if let failure { return letIn(.journal(failure)) }
            if isDirty { passOn() }
            letIn(refusal)
        }
    }

    /// True if the values are current. Values that arrived in this turn are taken first.
    var isFresh: Bool {
        if isDirty { passOn() }
        if isOutdated { return false }
        if let watch {
            // While the space is being loaded, what it showed before may be old.
            return isTold && watch.isCurrent && (hasValues || refusal != nil)
        }
        return hasValues && refusal == nil && stamp != nil && stamp == delivery.store.stamp(of: space)
    }

    /// Follows a change of documents. The readers of a permit that they have changed are ended or ask for another one.
    func noteFeatures() {
        let wasOutdated = isOutdated
        isOutdated = delivery.isOutdated(permit)
        if isOutdated { endAll(gone: delivery.gone(among: permit)) }
        if wasOutdated, !isOutdated { for observer in observers { observer.broadcasterMoved() } }
    }

    /// Takes the refusal of a rule that is false now: all streams and waits end.
    private func refuse(_ refusal: Refusal) {
        self.refusal = refusal
        endPolls(refusal)
        for reader in readers { reader.end(with: Problem(refusal)) }
        for observer in observers { observer.broadcasterMoved() }
    }

    /// Ends all streams and waits, because the rules of the views are others now. `gone` are the views that are not there
    /// any more, each of which has an event.
    private func endAll(gone: [String]) {
        endPolls(.forbidden(view: names.first?.description ?? ""))
        let last = Problem.goneEvents(gone)
        for reader in readers {
            if let last { reader.end(with: last) } else { reader.end() }
        }
    }

    /// Ends all streams, waits and the watch, because another loop serves the space from now on. Clients come back there.
    func leave() {
        guard watch != nil else { return }
        for poll in polls { poll.waited() }
        for reader in readers { reader.end() }
        endWatch()
        stamp = nil
        if !waiting.isEmpty { read() }
    }

    private func endPolls(_ refusal: Refusal) {
        let ended = polls
        polls = []
        for poll in ended { poll.end { $0.answer(Problem(refusal)) } }
    }

    private func read() {
        guard !isReading else { return }
        isReading = true
        computed = MonotonicTime.now
        // A space that is loaded is read at once.
        defer { if !isReading { isSlow = MonotonicTime.now - computed > delivery.slowNanoseconds } }
        delivery.store.read(permit, isWanted: { [self] in isWanted }) { [self] result in
            isReading = false
            // A watch that has begun meanwhile delivers values with moments of its own. It lets the requests in.
            guard watch == nil else { return }
            switch result {
            case .failure(let refusal): letIn(refusal)
            case .success(let reading):
                refusal = nil
                views.note(reading.views)
                lastMoment = reading.moment
                passOn()
                stamp = reading.stamp
                letIn(nil)
            }
        }
    }

    private func letIn(_ refusal: Refusal?) {
        let bodies = waiting
        waiting = []
        for (_, body) in bodies { body(isOutdated ? .migrating : refusal) }
    }

    /// Watches views that take long to compute, so that the next reads cost what changed. A refused watch reads instead.
    private func watchForReads() {
        startWatching()
        isForReads = true
    }

    func startWatching() {
        isForReads = false
        guard watch == nil else { return }
        isTold = false
        failure = nil
        computed = MonotonicTime.now
        watch = delivery.store.watch(permit, isWanted: { [weak self] in self?.isWanted ?? false }) {
            [unowned self] result in
            switch result {
            case .success(let news):
                isTold = true
                if refusal != nil { for observer in observers { observer.broadcasterMoved() } }
                refusal = nil
                views.note(news)
                noteDirty()
            case .failure(.forbidden(let view)):
                isTold = true
                refuse(.forbidden(view: view))
                noteDirty()
            case .failure(let refusal): fail(refusal)
            }
        }
        delivery.noteWatching(self)
    }

    private func noteDirty() {
        guard !isDirty else { return }
        isDirty = true
        delivery.noteDirty(self)
    }

    /// Sends the values again with a new tag, because the space was deleted.
    func noteForgotten() {
        if isTold, watch != nil { noteDirty() }
    }

    /// Ends the watch.
    func stopWatching() {
        if isDirty { passOn() }
        lastMoment = moment
        endWatch()
        stamp = delivery.store.stamp(of: space)
        // From here on they count among the bytes of broadcasters without readers.
        if views.values.patchBytes > 0 { delivery.noteTaken(views.values.patchBytes) }
    }

    /// Releases the watch. The store may then unload the space, and asks this broadcaster to forget its values.
    private func endWatch() {
        let ended = watch
        watch = nil
        withExtendedLifetime(ended) {}
    }

    private func fail(_ refusal: Refusal) {
        endWatch()
        stamp = nil
        if isForReads, isWanted {
            isSlow = false
            return read()
        }
        letIn(refusal)
        endPolls(refusal)
        for reader in readers { reader.end() }
        self.failure = refusal
        for observer in observers { observer.broadcasterMoved() }
    }

    /// Sends the changes of a turn, and answers the requests that waited for the first values.
    func endTurn() {
        if isDirty { passOn() }
        letIn(refusal)
    }

    func passOn() {
        isDirty = false
        // While a rule is false there are no values.
        if refusal != nil { return }
        hasValues = true
        lastMoment = moment
        // While the space is being loaded or deleted, the values belong to the life in the tag.
        let kept = watch?.isCurrent == false ? views.lives : nil
        let lives = kept ?? delivery.tags.lives(of: space)
        if views.values.keepsPatches, patchReaderCount == 0, delivery.now > patchesEnd { views.dropPatches() }
        let last = (step: views.values.step, moment: views.stepMoment, lives: views.lives)
        let isStep = views.takeStep(delivery.tags, at: lastMoment, in: lives)
        if !views.values.keepsPatches, patchReaderCount > 0 || delivery.now <= patchesEnd { views.keepPatches() }
        guard isStep else { return }
        if watch == nil { delivery.noteTaken(views.values.newBytes) }
        events = StepEvents()
        answers = StepAnswers()
        for reader in readers {
            // This event replaces the one that the reader has not taken.
            if case .at(let step) = reader.position, step < views.values.step - 1 { delivery.metrics.conflated += 1 }
        }
        if isOutdated { return }
        if isGone, names.count == 1 {
            let last = events.event(after: views.values.step - 1, of: views)
            for reader in readers { reader.end(with: last) }
        }
        // A step without a new version comes from what is in memory only.
        if last.step > 0, last.moment == lastMoment, last.lives == lives { gather() } else { tell() }
    }

    /// Gives the newest step the present moment, which its values are of too: a client may have seen later versions than
    /// those of the step.
    func renewMoment() {
        views.renew(at: moment)
        events = StepEvents()
    }

    /// Tells the readers and the polls of the newest values.
    private func tell() {
        for reader in readers { reader.wake() }
        for observer in observers { observer.broadcasterMoved() }
        guard !polls.isEmpty else { return }
        let told = polls
        polls = []
        for poll in told { poll.end { answer($0, base: poll.base, wait: poll.seconds) } }
    }

    /// Tells them in a moment, so that many changes become one frame.
    private func gather() {
        guard !isGathering, !readers.isEmpty || !polls.isEmpty || !observers.isEmpty else { return }
        isGathering = true
        delivery.after(nanoseconds: Delivery.gatherNanoseconds) { [weak self] in
            guard let self else { return }
            isGathering = false
            if refusal == nil { tell() }
        }
    }

    /// The moment of the values. It advances with each durable commit of the space, also if no value changes.
    var moment: Moment {
        // Values that arrived in this turn are shown at its end.
        isDirty ? lastMoment : watch?.moment ?? lastMoment
    }

    /// Returns the tag of `If-None-Match` if it equals that of the values, in the server's own form.
    @inline(__always)
    func knownTag(of request: borrowing Request) -> RepeatedTag? { views.knownTag(of: request) }

    /// Returns the tag of a request that equals the tag of the values, in any form.
    func knownTag(among tags: EntityTags) -> RepeatedTag? { views.knownTag(among: tags, at: moment) }

    // MARK: Reading once

    /// Answers with the current values, or with the patch from those of `base`; `wait` is the number of seconds that the
    /// request could have waited.
    func answer(_ responder: Responder, base: DeltaBase? = nil, wait: Int?) {
        if isForReads { unusedSince = delivery.now }
        if let failure = views.values.failure { return responder.answer(Problem(failure.failure, of: failure.view)) }
        let moment = moment
        if let base, let patch = events.patch(after: base.step, of: views) {
            return responder.answer(patch, from: base.tag, wait: wait) { writer in
                ShownVersions(moment, of: space).writeTag(views.fieldEnd, to: &writer)
            }
        }
        var taken = 0
        if responder.exchange.compresses(SlicedCompression.bytesAtLeast),
            let compression = answers.compression(views, noteTaken: { taken += $0 })
        {
            compress(compression, for: responder, at: moment, wait: wait)
        } else {
            let answer = answers.answer(views, responder.exchange) { taken += $0 }
            responder.answer(prepared: answer.fields, answer.content, wait: wait, computed: computed) { writer in
                ShownVersions(moment, of: space).writeTag(views.fieldEnd, to: &writer)
            }
        }
        noteTaken(taken)
    }

    /// Answers with large values in gzip once they are compressed: with those of this step, also if others come before.
    private func compress(
        _ compression: SlicedCompression, for responder: Responder, at moment: Moment, wait: Int?
    ) {
        let (step, end, computed) = (views.values.step, views.fieldEnd, computed)
        responder.exchange.gzip(compression) { [self] gzip in
            let answer = StepAnswers.gzip(Rope(gzip))
            if step == views.values.step, answers.keep(answer) { noteTaken(gzip.count) }
            responder.answer(prepared: answer.fields, answer.content, wait: wait, computed: computed) { writer in
                ShownVersions(moment, of: space).writeTag(end, to: &writer)
            }
        }
    }

    private func noteTaken(_ bytes: Int) {
        // That can drop the values of all broadcasters, also of this one, which may answer other requests in this turn.
        if bytes > 0 { delivery.afterwards { [weak delivery = delivery] in delivery?.noteTaken(bytes) } }
    }

    /// Answers 304 to a client that has the current values, with the tag that it sent.
    func answerUnchanged(_ responder: Responder, _ known: RepeatedTag, wait: Int?) {
        if isForReads { unusedSince = delivery.now }
        responder.answerUnchanged(wait: wait) { writer in
            switch known {
            case .versions(let versions): versions.writeTag(views.fieldEnd, to: &writer)
            case .written(let element): writer.field("ETag", element)
            }
        }
    }

    /// Makes a request wait because its client has the current values.
    func wait(_ responder: Responder, _ known: RepeatedTag, wantsPatch: Bool, seconds: Int) {
        startWatching()
        var base: DeltaBase?
        if wantsPatch {
            keepPatches(seconds: seconds)
            base = DeltaBase(step: views.values.step, tag: views.element(of: known))
        }
        let poll = ViewPoll(responder, self, known, base: base, seconds: seconds)
        poll.place = polls.count
        polls.append(poll)
        poll.begin()
    }

    /// Removes a poll that has ended, in O(1).
    func remove(_ poll: ViewPoll) {
        guard poll.place < polls.count, polls[poll.place] === poll else { return }
        let last = polls.removeLast()
        if last !== poll {
            polls[poll.place] = last
            last.place = poll.place
        }
        noteUse()
    }

    var pollersCount: Int { polls.count }

    // MARK: Patches

    /// Stores patches for a time, for a request that wants one or may want one later.
    func keepPatches(seconds: Int = 0) {
        patchesEnd = max(
            patchesEnd, delivery.now + Delivery.patchesNanoseconds + Int64(seconds) * 1_000_000_000)
        if hasValues { views.keepPatches() }
    }

    /// Returns the values of the recent step that one of `tags` identifies.
    func base(among tags: EntityTags) -> DeltaBase? { views.base(among: tags) }

    func noteUse() {
        guard isUnused else { return }
        unusedSince = delivery.now
        if isWatching { delivery.noteUnused() }
    }
}

/// The events that tell readers the version of commits that did not change their values.
extension ViewBroadcaster {
    /// Sets the alarm for the progress of the space, once a second while a reader wants it.
    func setProgress() {
        guard !isProgressDue else { return }
        isProgressDue = true
        delivery.after(nanoseconds: Delivery.progressNanoseconds) { [weak self] in
            guard let self else { return }
            isProgressDue = false
            guard readers.contains(where: { $0.told != nil }) else { return }
            setProgress()
            tellProgress()
        }
    }

    private func tellProgress() {
        guard !isDirty, events.takeProgress(to: moment, of: views) else { return }
        for reader in readers where reader.told != nil { reader.wake() }
    }

    /// Returns the event with the newest moment for a reader that has received an earlier one.
    func progress(for reader: ViewReader) -> Piece? {
        guard let told = reader.told, let progress = events.progress, told < progress.moment else { return nil }
        reader.told = progress.moment
        delivery.metrics.frames += 1
        return progress.piece
    }
}

/// The answers of a broadcaster's current step, encoded once for all requests.
struct StepAnswers {
    /// The fields of an answer up to its tag, and its content.
    struct PreparedAnswer {
        let fields: [UInt8]
        let content: Rope
    }

    private var plain: PreparedAnswer?
    /// The answer in gzip; nil before the first request for it.
    private var gzip: PreparedAnswer?
    /// The compression of large content; nil if none is under way.
    private var compression: SlicedCompression?

    /// Returns the answer for a client. `noteTaken` receives the number of newly cached bytes.
    mutating func answer(_ views: TaggedValues, _ exchange: Exchange, noteTaken: (Int) -> Void) -> PreparedAnswer {
        let plain = plain ?? Self.plain(views, noteTaken)
        self.plain = plain
        guard exchange.compresses(plain.content.count) else { return plain }
        if let gzip { return gzip }
        let made = Self.gzip(Rope(exchange.gzip(plain.content)))
        gzip = made
        noteTaken(made.content.count)
        return made
    }

    /// Returns what compresses the content, for a client that takes gzip; nil if that does not take long.
    mutating func compression(_ views: TaggedValues, noteTaken: (Int) -> Void) -> SlicedCompression? {
        guard gzip == nil, views.values.size >= SlicedCompression.bytesAtLeast else { return nil }
        let plain = plain ?? Self.plain(views, noteTaken)
        self.plain = plain
        guard plain.content.count >= SlicedCompression.bytesAtLeast else { return nil }
        let compression = compression ?? SlicedCompression(plain.content)
        self.compression = compression
        return compression
    }

    /// Keeps an answer in gzip. Returns false if there was one.
    mutating func keep(_ answer: PreparedAnswer) -> Bool {
        guard gzip == nil else { return false }
        (gzip, compression) = (answer, nil)
        return true
    }

    /// The answer with content in gzip.
    static func gzip(_ content: Rope) -> PreparedAnswer {
        PreparedAnswer(fields: fields(content) + Array("Content-Encoding: gzip\r\n".utf8), content: content)
    }

    private static func plain(_ views: TaggedValues, _ noteTaken: (Int) -> Void) -> PreparedAnswer {
        let content = views.values.content(after: -1)
        if !views.values.isSingle { noteTaken(content.count) }
        return PreparedAnswer(fields: fields(content), content: content)
    }

    private static func fields(_ content: Rope) -> [UInt8] {
        Array(
            "Content-Type: application/json\r\nCache-Control: no-cache\r\nVary: Accept, Accept-Encoding, A-IM\r\nContent-Length: \(content.count)\r\n"
                .utf8)
    }
}

/// One request that waits until the values of a broadcaster change.
final class ViewPoll: Subscriber, Waiter {
    private let responder: Responder
    private let broadcaster: ViewBroadcaster
    /// The tag that the client has sent.
    private let known: RepeatedTag
    /// The values that the client wants a patch for; nil if it wants the new values.
    let base: DeltaBase?
    /// The seconds that the request may wait, which its answer repeats.
    let seconds: Int
    /// Its index among the polls of the broadcaster.
    var place = 0

    init(
        _ responder: Responder, _ broadcaster: ViewBroadcaster, _ known: RepeatedTag, base: DeltaBase?, seconds: Int
    ) {
        self.responder = responder
        self.broadcaster = broadcaster
        self.known = known
        self.base = base
        self.seconds = seconds
        super.init(responder)
    }

    func begin() {
        responder.wait(self, seconds: seconds)
    }

    /// Ends the wait with the answer that `body` gives.
    func end(_ body: (Responder) -> Void) {
        release()
        body(responder)
    }

    func waited() {
        broadcaster.remove(self)
        end { broadcaster.answerUnchanged($0, known, wait: seconds) }
    }

    func left() {
        broadcaster.remove(self)
        release()
    }

    override func withdraw() { waited() }
}
