/// The reason that a store refused a request. The request has changed nothing.
package enum Refusal: Error, Sendable {
    /// No feature or action has this name.
    case noSuchAction
    /// No view has this name.
    case noSuchView(String)
    /// The watched instances of views have as many bytes as they may have.
    case tooManyViews(bytes: Int)
    /// The state of the space defines no view of this name.
    case noView(String, why: MissingView)
    /// The present definition of the feature cannot take its state in the space.
    case unmigrated(String)
    /// The space `common` cannot be deleted.
    case commonStays
    /// The action belongs to `common` and was sent to another space, or the reverse. The scope is that of the action.
    case wrongSpace(Scope)
    /// The caller has no right to read the space.
    case noRight(SpaceName)
    /// The rule of a view does not allow the caller to read it.
    case forbidden(view: String)
    /// The action rejected the call.
    case rejected(Rejection)
    /// The space does not have the version that the call requires.
    case changed(version: Int)
    /// The changes of the action are larger than a commit may be.
    case commitTooLarge(bytes: Int)
    /// The space has as many bytes in memory as it may have, and the action would make it grow.
    case spaceTooLarge(bytes: Int, limit: Int)
    /// The space would exceed a quota.
    case overQuota(SpaceQuota.Excess)
    /// The idempotency key belongs to a call with another action or input.
    case keyReused
    /// The number in the client's queue belongs to a call with another action or input.
    case numberReused
    /// Later actions of the client's queue were answered.
    case answeredBefore(last: Int)
    /// Earlier actions of the client's queue are missing.
    case outOfOrder
    /// The client's time is too far from the server's.
    case clock
    /// The action was performed before, and had this refusal.
    case repeated(RepeatedRefusal)
    /// Neither the state nor the history of the space has the row.
    case noSuchRow(ErasedRow)
    /// The past state to return to cannot be read.
    case past(PastRefusal)
    /// The journal failed to append the commit or to load the space.
    case journal(JournalFailure)
    /// Another node of the cluster owns the space.
    case elsewhere
    /// The indexes that the action needs are being made.
    case preparing
    /// The space is still getting the form of the present documents.
    case migrating
    /// Other processes committed first, more often than the store tries.
    case contended
}

/// The refusal that an action in a queue had when it was performed.
package final class RepeatedRefusal: Sendable {
    /// The refusal.
    package let refusal: Refusal

    package init(_ refusal: Refusal) { self.refusal = refusal }
}
