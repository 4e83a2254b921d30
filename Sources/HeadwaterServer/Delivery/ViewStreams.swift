import HTTP
import StateStore

// The streams of a broadcaster.

extension ViewBroadcaster {
    /// Begins a stream with the current values, unless the reader has them according to `lastTag`.
    func stream(_ responder: Responder, _ place: StreamPlace, lastTag: String?, _ wishes: ViewReader.Wishes) {
        startWatching()
        whenFresh(for: responder.isOpen) { [self] refusal in
            if let refusal { return responder.answer(Problem(refusal)) }
            guard responder.isOpen else { return }
            guard let presence = wishes.presence else {
                return begin(responder, place, lastTag: lastTag, wishes, nil)
            }
            delivery.store.join(presence, in: space) { [self] result in
                guard responder.isOpen else { return }
                switch result {
                case .failure(let refusal): responder.answer(Problem(refusal))
                case .success(let stay):
                    // The first event has the client's own row.
                    whenFresh(for: responder.isOpen) { [self] refusal in
                        if let refusal { return responder.answer(Problem(refusal)) }
                        guard responder.isOpen else { return }
                        begin(responder, place, lastTag: lastTag, wishes, stay)
                    }
                }
            }
        }
    }

    private func begin(
        _ responder: Responder, _ place: StreamPlace, lastTag: String?, _ wishes: ViewReader.Wishes,
        _ stay: PresenceStay?
    ) {
        if isDirty { passOn() }
        if isGone { return answer(responder, wait: nil) }
        if wishes.wantsPatches {
            keepPatches()
            patchReaderCount += 1
        }
        let reader = ViewReader(
            responder.exchange.connection, self, place, position(after: lastTag, wishes),
            wantsPatches: wishes.wantsPatches)
        if case .resumed(let step) = reader.position, step < views.values.step { renewMoment() }
        if wishes.wantsProgress {
            reader.told = moment
            setProgress()
        }
        reader.stay = stay
        reader.place = readers.count
        readers.append(reader)
        responder.stream(reader, isNegotiated: true)
    }

    /// Returns the position of a reader whose client has the values of a tag.
    private func position(after lastTag: String?, _ wishes: ViewReader.Wishes) -> ReaderPosition {
        guard let lastTag else { return .new(isReset: false) }
        let relation = views.relation(of: lastTag)
        var step = relation == .current ? views.values.step : nil
        if relation == .unknown, wishes.wantsPatches { step = base(among: EntityTags(tag: lastTag))?.step }
        delivery.metrics.resumes[step != nil ? 0 : 1] += 1
        return step.map { .resumed($0) } ?? .new(isReset: relation == .ofAnotherLife)
    }

    /// Returns the next piece for a reader, or nil if it has taken the newest.
    func next(for reader: ViewReader) -> Piece? {
        let step = views.values.step
        switch reader.position {
        case .at(step): return progress(for: reader)
        case .at(let taken):
            reader.position = .at(step)
            if reader.told != nil { reader.told = views.stepMoment }
            delivery.metrics.frames += 1
            if reader.wantsPatches, let piece = events.patchPiece(after: taken, of: views) { return piece }
            return events.event(after: taken, of: views)
        case .begun:
            reader.position = .at(step)
            delivery.metrics.frames += 1
            return events.wholeEvent(at: moment, of: views)
        case .resumed(let taken):
            reader.position = .at(taken)
            return Piece(StepEvents.beginning(delivery, isReset: false), isNewest: taken == step)
        case .new(let isReset):
            // The connection sends the event that all readers share in the same write.
            reader.position = .begun
            return Piece(StepEvents.beginning(delivery, isReset: isReset))
        }
    }

    /// Removes a reader whose stream has ended, in O(1).
    func remove(_ reader: ViewReader) {
        guard reader.place < readers.count, readers[reader.place] === reader else { return }
        let last = readers.removeLast()
        if last !== reader {
            readers[reader.place] = last
            last.place = reader.place
        }
        delivery.metrics.streams -= 1
        if reader.wantsPatches {
            patchReaderCount -= 1
            keepPatches()
        }
        noteUse()
    }
}
