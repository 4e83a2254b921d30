package import JSON

/// A reader of a replica, which has its rows.
package protocol ReplicaReader: Sendable {
    /// Takes the actions that wait from an earlier life of the app.
    func opened(_ actions: [QueuedAction])
    /// Takes what one step changed: the replica, its phase, and the actions that are over. Returns updates for the main actor.
    func take(_ news: [ReplicaNews], phase: Phase?, over: [String]) -> [@MainActor @Sendable () -> Void]
    /// The whole replica, to be kept on the device.
    func content() -> JSON?
}
