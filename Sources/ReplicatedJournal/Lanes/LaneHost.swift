internal import Reactive
internal import StateStore
internal import SQLiteJournal

/// The surroundings of the lanes of a node, on whose executor they run.
protocol LaneHost: AnyObject {
    var executor: any Executor { get }
    var log: any SharedLog { get }
    var node: String { get }

    /// Returns the identity of a new entry.
    func nextBatch() -> BatchID
    /// Returns true if every living node reads entries of a format.
    func isRead(_ format: UInt8) -> Bool
    /// Returns which commits are next in their spaces.
    func fits(_ commits: [CommitRecord]) throws(JournalFailure) -> [AppendResult]
    /// Stores the steps of entries, and the position after them.
    func apply(_ steps: [LaneStep], of lane: Lane, _ position: LanePosition) throws(JournalFailure)
    /// Tells that the owner of a lane has changed, or whether this node owns it.
    func noteOwner(of lane: Lane)
    /// Tells that a lane has applied entries, or that it is at its end for the first time.
    func noteProgress(of lane: Lane)
    /// Tells that a lane has stopped for a reason that only an operator can remove.
    func noteHalt(of lane: Lane, _ reason: String)
    /// Tells that the leader of a lane has no room for an entry.
    func noteFull(_ lane: Lane)
    /// Counts an append.
    func note(_ outcome: AppendOutcome, seconds: Double)
}

/// The outcome of an append, for the metrics.
package enum AppendOutcome: String, Hashable, Sendable, CaseIterable {
    /// The entry is stored.
    case kept
    /// Another entry took its place.
    case moved
    /// The log did not say.
    case unsure
}

/// The change that an entry makes in the copy.
struct LaneStep {
    let number: Int
    let change: LogChange
    /// True if this process has submitted it.
    let isOwn: Bool

    enum LogChange {
        case commits([CommitRecord])
        case forget(SpaceName)
        case settings(ClusterSettings)
    }
}
