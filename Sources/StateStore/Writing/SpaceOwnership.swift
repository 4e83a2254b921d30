/// The division of the spaces among the nodes of a cluster, as one node sees it.
///
/// Every node reads all spaces. Only the owner of a space performs its actions, its effects and its alarms, and has its
/// rows in memory only.
package protocol SpaceOwnership: AnyObject, Sendable {
    /// Returns true if this node owns a space now.
    func owns(_ space: SpaceName) -> Bool

    /// Returns false if the journal surely has no answer to an idempotency key of a space that this node owns.
    func mayHaveAnswer(to key: String, of space: SpaceName) -> Bool

    /// Calls `receive` on any thread whenever spaces get an owner: those of which the first argument is true. The second is
    /// true if it is this node.
    func watchOwned(_ receive: @escaping @Sendable (_ isMeant: @escaping @Sendable (SpaceName) -> Bool, Bool) -> Void)

    /// Sets the closure that calls back on any thread once every store has taken the news that it was told before.
    func hear(_ whenHeard: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void)

    /// Performs a call of this server, such as that of an effect, where the space is owned. The answer arrives on any
    /// thread.
    func perform(
        _ call: Call, in space: SpaceName, _ reply: @escaping @Sendable (Result<Answer, Refusal>) -> Void)

    /// Calls `done` on any thread once a version of `common` can be answered: other nodes may rely on it that they have
    /// what is answered.
    func whenSeen(_ version: Int, _ done: @escaping @Sendable () -> Void)

    // MARK: Rows in memory only

    /// This process, by a name that no other process of any node has.
    var process: String { get }

    /// Returns the claim of this node to a space; nil if it does not own the space.
    func claim(of space: SpaceName) -> SpaceClaim?

    /// Asks the owner of a space for its rows. The answer arrives on any thread; nil if there is none for now.
    func ask(_ request: RowsRequest, _ done: @escaping @Sendable (RowsAnswer?) -> Void)

    /// Sends news of presence to the owner of a space. The answer arrives on any thread; nil if there is none for now, and
    /// the message may have been performed.
    func send(
        _ message: PresenceMessage, in space: SpaceName, _ done: @escaping @Sendable (PresenceAnswer?) -> Void)

    /// Tells a process of a space, again and again until it has heard or is gone.
    func tell(_ process: String, _ news: NodeNews, of space: SpaceName)

    /// Sets the services of this process for other nodes.
    func serveRows(_ service: RowService)
}
