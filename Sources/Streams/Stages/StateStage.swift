import JSON
import Reactive
import StateStore

/// A stage whose state is one value, which is kept in one entry.
final class StateStage: PipelineStage {
    typealias Take = (inout JSON, JSON, inout Emission) throws -> Void
    typealias Finish = (JSON, End, inout Emission) throws -> Void

    private let slot: MemorySlot
    private var state: JSON
    private let take: Take
    private let finish: Finish
    /// True if each value that the stage delivers is its state.
    private let deliversState: Bool
    private var hasDelivered = false

    init(
        _ slot: MemorySlot, _ initial: JSON, deliversState: Bool = false, _ take: @escaping Take,
        end finish: @escaping Finish = { $2.finish($1) }
    ) {
        self.slot = slot
        state = initial
        self.deliversState = deliversState
        self.take = take
        self.finish = finish
        super.init()
    }

    override func resume() {
        guard let kept = slot.value?.element else { return }
        state = kept
        hasDelivered = true
    }

    override func receive(_ value: JSON, at now: Timestamp, _ output: inout Emission) throws {
        let before = state
        try take(&state, value, &output)
        hasDelivered = true
        if deliversState || state != before { slot.value = .optional(state) }
    }

    override func end(_ end: End, at now: Timestamp, _ output: inout Emission) throws {
        try finish(state, end, &output)
    }

    // Written out, because a `nil` beside a JSON value is the JSON null.
    override var latest: JSON? {
        guard deliversState, hasDelivered else { return Optional.none }
        return state
    }
}
