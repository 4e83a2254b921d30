import StateStore

/// A view that a steered stream wants, on its way to the loop of its space.
struct SteeredWish: Sendable {
    /// The view as the client has written it: `SPACE/feature.view`, with its parameters.
    let name: String
    let permit: ReadPermit
    /// The tag of the value that the client has; nil for none.
    let tag: String?
    /// True for the replica of a feature.
    let isReplica: Bool

    var space: SpaceName { permit.space }
}

/// The changes of one space for a steered stream, all of one moment.
struct SteeredUpdate: Sendable {
    /// The change of one view.
    struct ViewChange: Sendable {
        /// The view as the client has written it.
        let name: String
        /// The value, or the problem that stands in its place.
        let content: ShownContent
        /// The patch from the value that the stream was told last, as JSON; nil for none.
        var patch: [UInt8]?
        /// The compared part of the tag of the value.
        var opaque = ""
        /// True for the replica of a feature, and its changes since the stream was told last; nil if the whole replaces all.
        var isReplica = false
        var rows: ReplicaContent?

        enum ShownContent: Sendable {
            case value(ViewValue)
            case gone([UInt8])
        }
    }

    let space: SpaceName
    let moment: Moment
    let changes: [ViewChange]
    /// The number of the client's last action that is part of the values.
    let queue: Int
    /// True if the values are those of a new life.
    let isReset: Bool
}

/// What one loop tells a steered stream at the end of a turn.
struct SteeredNews: Sendable {
    var updates: [SteeredUpdate] = []
    /// The version of `common` up to which the loop has told everything.
    var common = 0
    /// The numbers of the wishes whose views the loop has told.
    var granted: [Int] = []
    /// True if a space has not reached a version that the client has seen.
    var isBehind = false
    /// A space that moves to another loop, and is told no longer by this one.
    var moved: SpaceName?
}
