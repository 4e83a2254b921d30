import HTTP
import StateStore

/// The events of a broadcaster's current step, each encoded once for all readers that need it.
struct StepEvents {
    /// The event for readers of the step before, for readers that have missed steps, and for those of an earlier life.
    private var newest: Piece?
    private var catchUp: (from: Int, piece: Piece)?
    private var anew: Piece?
    /// The event with all values, at a moment.
    private var whole: (moment: Moment, piece: Piece)?
    /// The patches for readers of the step before, and for readers that have missed steps.
    private var newestPatch: StepPatchEvent?
    private var catchUpPatch: StepPatchEvent?
    /// The event with the newest moment of this step.
    private(set) var progress: (moment: Moment, piece: Piece)?

    /// Returns the event for readers of an earlier step.
    mutating func event(after taken: Int, of views: TaggedValues) -> Piece {
        if taken < views.values.lifeStep {
            let piece = anew ?? Self.piece(after: -1, at: views.stepMoment, of: views, isReset: true)
            anew = piece
            return piece
        }
        if taken == views.values.step - 1 {
            let piece = newest ?? Self.piece(after: taken, at: views.stepMoment, of: views)
            newest = piece
            return piece
        }
        if let catchUp, catchUp.from == taken { return catchUp.piece }
        let piece = Self.piece(after: taken, at: views.stepMoment, of: views)
        catchUp = (taken, piece)
        return piece
    }

    /// The patches from one step to the current one, for all readers of that step.
    private struct StepPatchEvent {
        let from: Int
        /// The data; nil if the values are sent instead.
        let data: [UInt8]?
        var piece: Piece?
    }

    /// Returns the encoded patches for a reader of an earlier step, or nil if it gets the values instead.
    mutating func patch(after taken: Int, of views: TaggedValues) -> [UInt8]? {
        patchEvent(after: taken, of: views).data
    }

    /// Returns the event with the patches for readers of an earlier step, or nil if they get the values instead.
    mutating func patchPiece(after taken: Int, of views: TaggedValues) -> Piece? {
        var event = patchEvent(after: taken, of: views)
        guard let data = event.data else { return nil }
        if let piece = event.piece { return piece }
        var text: [UInt8] = []
        EventText.event(id: views.tag(at: views.stepMoment), name: "patch", data: data, appendingTo: &text)
        let piece = Piece(text, isNewest: true)
        event.piece = piece
        keep(event, of: views)
        return piece
    }

    private mutating func patchEvent(after taken: Int, of views: TaggedValues) -> StepPatchEvent {
        if let newestPatch, newestPatch.from == taken { return newestPatch }
        if let catchUpPatch, catchUpPatch.from == taken { return catchUpPatch }
        let event = StepPatchEvent(from: taken, data: views.values.patch(after: taken))
        keep(event, of: views)
        return event
    }

    private mutating func keep(_ event: StepPatchEvent, of views: TaggedValues) {
        if event.from == views.values.step - 1 { newestPatch = event } else { catchUpPatch = event }
    }

    /// Returns the event with all values.
    mutating func wholeEvent(at moment: Moment, of views: TaggedValues) -> Piece {
        if let whole, whole.moment == moment { return whole.piece }
        let piece = Self.piece(after: -1, at: moment, of: views)
        whole = (moment, piece)
        return piece
    }

    /// Writes the event `version` for a moment newer than those of all events of this step. Returns false if there is
    /// none.
    mutating func takeProgress(to moment: Moment, of views: TaggedValues) -> Bool {
        guard moment != (progress?.moment ?? views.stepMoment) else { return false }
        let versions = ShownVersions(moment, of: views.space)
        let data = Array("{\"version\":\(versions.version),\"common\":\(moment.common)}".utf8)
        var text: [UInt8] = []
        EventText.event(id: views.tag(at: moment), name: "version", data: data, appendingTo: &text)
        progress = (moment, Piece(text, isNewest: true))
        return true
    }

    private static func piece(
        after step: Int, at moment: Moment, of views: TaggedValues, isReset: Bool = false
    ) -> Piece {
        var text = RopeWriter()
        if isReset { reset(appendingTo: &text.text) }
        append(after: step, at: moment, of: views, to: &text)
        return Piece(text.rope, isNewest: true)
    }

    /// Appends the event with the values that have changed after a step.
    static func append(after step: Int, at moment: Moment, of views: TaggedValues, to text: inout RopeWriter) {
        let id = views.tag(at: moment)
        if let failure = views.values.failure, !failure.failure.isGone {
            let problem = Problem(failure.failure, of: failure.view)
            return EventText.event(id: id, name: "error", data: problem.bytes, appendingTo: &text.text)
        }
        for gone in views.values.gone(after: step) {
            EventText.event(
                id: id, name: "gone", data: Problem.gone(gone.view, gone.failure), appendingTo: &text.text)
        }
        guard views.values.hasContent(after: step) else { return }
        EventText.event(id: id, line: views.values.content(after: step), appendingTo: &text)
    }

    /// Returns the beginning of a stream: the time until a client comes back and, if it has to drop its values, `reset`.
    static func beginning(_ delivery: Delivery, isReset: Bool) -> [UInt8] {
        var text: [UInt8] = []
        EventText.retry(milliseconds: delivery.retryMilliseconds(), appendingTo: &text)
        if isReset { reset(appendingTo: &text) }
        return text
    }

    /// The event `reset` alone.
    static var resetPiece: Piece {
        var text: [UInt8] = []
        reset(appendingTo: &text)
        return Piece(text)
    }

    /// Appends the event `reset`, which makes a client drop its values.
    static func reset(appendingTo text: inout [UInt8]) {
        EventText.event(name: "reset", data: Array("{}".utf8), appendingTo: &text)
    }
}
