/// A point in the history of a space, as a request names it.
package enum PastPoint: Hashable, Sendable {
    /// A version of the space, with the version of `common` that was recorded with it.
    case version(Int)
    /// A version of the space and one of `common`.
    case moment(Moment)
    /// The last versions of both that are not after a time.
    case time(Timestamp)
    /// The newest versions of both.
    case newest
}
