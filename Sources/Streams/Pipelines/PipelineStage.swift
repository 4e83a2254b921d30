import JSON
import Reactive

/// One operator of a remembering pipeline: a state machine whose state is kept in a slot of the memory. It computes only
/// when its pipeline passes an event to it.
class PipelineStage {
    /// True if the events of the side source are processed before those of the source.
    final let sideIsFirst: Bool

    init(sideIsFirst: Bool = true) {
        self.sideIsFirst = sideIsFirst
    }

    /// Begins, before the first event.
    func begin(_ output: inout Emission<JSON>) throws {}

    /// Takes its state from the memory.
    func resume() {}

    /// Takes a value of the source.
    func receive(_ value: JSON, _ output: inout Emission<JSON>) throws {
        output.emit(value)
    }

    /// Takes the end of the source.
    func end(_ end: End, _ output: inout Emission<JSON>) throws {
        output.finish(end)
    }

    /// Takes a value of the side source.
    func receiveSide(_ value: JSON, _ output: inout Emission<JSON>) throws {}

    /// False if it takes nothing more from the side source.
    var takesSide: Bool { true }

    /// Takes the completion of the side source.
    func endSide(_ output: inout Emission<JSON>) throws {}

    /// The time of its alarm; nil if it has none.
    var due: Instant? { nil }

    /// The time from the setting of its alarm to its going off.
    var wait: Duration { .zero }

    /// True if nothing has come since its beginning in this process.
    var isFresh: Bool { false }

    /// Lets the alarm go off. Precondition: it is due now.
    func elapse(_ output: inout Emission<JSON>) throws {}

    /// The value delivered last, if the state holds it; nil if the pipeline must keep it.
    var latest: JSON? { nil }
}
