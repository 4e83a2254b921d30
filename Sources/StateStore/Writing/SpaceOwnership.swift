/// The division of the spaces among the nodes of a cluster, as one node sees it.
///
/// Every node reads all spaces. Only the owner of a space performs its actions, its effects and its alarms.
package protocol SpaceOwnership: AnyObject, Sendable {
    /// Returns true if this node owns a space now.
    func owns(_ space: SpaceName) -> Bool

    /// Calls `receive` on any thread whenever this node begins or ceases to own spaces: those of which the first
    /// argument is true. The second is true if it owns them now.
    func watchOwned(_ receive: @escaping @Sendable (_ isMeant: @escaping @Sendable (SpaceName) -> Bool, Bool) -> Void)

    /// Performs a call of this server, such as that of an effect, where the space is owned. The answer arrives on any
    /// thread.
    func perform(
        _ call: Call, in space: SpaceName, _ reply: @escaping @Sendable (Result<Answer, Refusal>) -> Void)
}
