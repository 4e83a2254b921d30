package import JSON

/// A reader of a replica, which has its rows.
package protocol ReplicaReader: Sendable {
    /// The space of the replica.
    var spaceName: String { get }
    /// Takes the caller as the server knows it; nil while it is not known.
    func identified(_ caller: JSON?) -> [@MainActor @Sendable () -> Void]
    /// Takes the actions of the space with their places in the queue, in order, and the place of the next one.
    func queued(
        _ actions: [ForeseenAction], next: (client: String, number: Int)?
    ) -> [@MainActor @Sendable () -> Void]
    /// Takes what one step changed: the replica, its phase, and the actions that are over. Returns updates for the main actor.
    func take(_ news: [ReplicaNews], phase: Phase?, over: [String]) -> [@MainActor @Sendable () -> Void]
    /// The whole replica, to be kept on the device.
    func content() -> JSON?
}
