/// The reason why a state of the past cannot be read.
package enum PastRefusal: Error, Sendable {
    /// The journal no longer keeps the state. It keeps those of `space` from version `oldest` on.
    case gone(SpaceName, oldest: Int)
    /// The space has not reached the version.
    case future(SpaceName, newest: Int)
    /// The rule of a view does not allow the caller to read it.
    case forbidden(view: String)
    /// The view derives from what is in memory only, so it has no past.
    case notKept(view: String)
    /// The state defines no such view.
    case noView(String, why: MissingView?)
    /// The facts cannot be read by this program.
    case unreadable(JournalFailure)
    /// The journal failed.
    case journal(JournalFailure)
    /// Too many requests for the past wait.
    case busy
}
