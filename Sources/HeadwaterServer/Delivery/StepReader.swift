import HTTP
import StateStore

/// One stream of the steps of a broadcaster's values: the step that its client has, and how it ends.
class StepReader: Subscriber {
    /// What few readers have.
    final class RareState {
        var ending = StreamEnding()
        /// The newest moment that the reader has received; nil if it does not want the progress of its space.
        var told: Moment?
        /// The stay of its client in a table; nil for none.
        var stay: PresenceStay?
    }

    /// True if it gets patches instead of values.
    let wantsPatches: Bool
    /// Its index among the readers of the broadcaster.
    private var index: Int32 = 0
    /// The position, in 8 bytes.
    private var packed: Int
    private var rare: RareState?

    init(_ connection: Connection, _ place: StreamPlace, _ position: ReaderPosition, wantsPatches: Bool) {
        packed = position.packed
        self.wantsPatches = wantsPatches
        super.init(connection, place)
    }

    final var position: ReaderPosition {
        @inline(__always) get { ReaderPosition(packed: packed) }
        @inline(__always) set { packed = newValue.packed }
    }

    /// Its index among the readers of the broadcaster.
    final var place: Int {
        get { Int(index) }
        set { index = Int32(newValue) }
    }

    /// The newest moment that the reader has received; nil if it does not want the progress of its space.
    final var told: Moment? {
        get { rare?.told }
        set { if newValue != nil || rare != nil { withRare { $0.told = newValue } } }
    }

    /// The stay of its client in a table; nil for none.
    final var stay: PresenceStay? {
        get { rare?.stay }
        set { if newValue != nil || rare != nil { withRare { $0.stay = newValue } } }
    }

    private func withRare(_ body: (RareState) -> Void) {
        let rare = rare ?? RareState()
        self.rare = rare
        body(rare)
    }

    /// Sends the newest values, unless the connection has not sent earlier ones yet.
    final func wake() { connection.wake() }

    /// Ends the stream.
    final func end() { connection.endStream() }

    /// Ends the stream with an event `error`, and sends nothing before it.
    final func end(with problem: Problem) {
        end(with: problem.piece)
    }

    /// Ends the stream with a last event, and sends nothing before it.
    final func end(with piece: Piece) {
        withRare { $0.ending.begin(with: piece) }
        wake()
    }

    /// True if the end of the stream is under way, so that it gets no more values.
    @inline(__always)
    final var isEnding: Bool { rare?.ending.isUnderWay ?? false }

    /// Returns the next piece of the end.
    final func nextOfEnd(_ delivery: Delivery) -> Piece? { rare?.ending.next(connection, delivery) }
}

extension ReaderPosition {
    /// The position as one number: its kind in the two lowest bits.
    @inline(__always)
    fileprivate var packed: Int {
        switch self {
        case .at(let step): step << 2
        case .resumed(let step): step << 2 | 1
        case .begun: 2
        case .new(let isReset): isReset ? 7 : 3
        }
    }

    @inline(__always)
    fileprivate init(packed: Int) {
        switch packed & 3 {
        case 0: self = .at(packed >> 2)
        case 1: self = .resumed(packed >> 2)
        case 2: self = .begun
        default: self = .new(isReset: packed == 7)
        }
    }
}
