internal import StateStore

/// A request to append to a lane.
enum LaneRequest {
    case commit(Submission)
    case forget(SpaceName, (Result<Bool, JournalFailure>) -> Void)
    /// Takes a slot, and calls the closure if the node owned the lane until then.
    case mark(() -> Void)
    /// Gives the lane up.
    case release
}

/// An entry on its way to the log.
struct LaneAttempt {
    enum Purpose {
        case commits([Submission])
        case forget(SpaceName, (Result<Bool, JournalFailure>) -> Void)
        case mark(() -> Void)
        case release
        case claim
    }

    let purpose: Purpose
    let batch: BatchID
    /// The contents of the parts; one for all purposes but commits.
    let parts: [[UInt8]]
    /// The format of its entries.
    let format: UInt8
    /// The part under way.
    var part = 0
    /// The number that the entry gets if it is stored, and its bytes.
    var slot = 0
    var bytes: [UInt8] = []
    /// The entry of the bytes, and the chain up to it.
    var entry: LogEntry?
    var chain = EntryChain.beginning
    /// The time of the first append.
    let began: Int64
    /// True if an append or a look has failed since the slot was chosen.
    var isUnsure = false
    /// The number of the append or look under way. An older answer is ignored.
    var token = 0
    var failures = 0

    var isLastPart: Bool { part == parts.count - 1 }
}
