internal import Ground
internal import SQLiteJournal
package import StateStore

/// The division of the spaces among the nodes, by the owners of their lanes.
extension ReplicatedJournal: SpaceOwnership {
    package func owns(_ space: SpaceName) -> Bool { status.owns(space) }

    /// Returns a new key for an action of a space whose client has sent none.
    package func newKey(in space: SpaceName) -> String { NodeKey.text(after: status.applied(of: space)) }

    package func watchOwned(
        _ receive: @escaping @Sendable (_ isMeant: @escaping @Sendable (SpaceName) -> Bool, Bool) -> Void
    ) {
        watchOwnership { [count = status.laneCount] lane, isOwned in
            receive({ Lane.of($0, among: count) == lane }, isOwned)
        }
    }

    package func hear(_ whenHeard: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) {
        let owned = node
        executor.post { owned.value.whenHeard = whenHeard }
    }

    package func perform(
        _ call: Call, in space: SpaceName, _ reply: @escaping @Sendable (Result<Answer, Refusal>) -> Void
    ) {
        let owned = node
        executor.post { owned.value.performElsewhere(call, in: space, reply) }
    }

    package func whenSeen(_ version: Int, _ done: @escaping @Sendable () -> Void) {
        let owned = node
        executor.post { owned.value.whenSeen(version, done) }
    }

    // MARK: Rows in memory only

    package func claim(of space: SpaceName) -> SpaceClaim? { status.claim(of: status.lane(of: space)) }

    package func ask(_ request: RowsRequest, _ done: @escaping @Sendable (RowsAnswer?) -> Void) {
        let owned = node
        executor.post { owned.value.ask(request, done) }
    }

    package func send(
        _ message: PresenceMessage, in space: SpaceName, _ done: @escaping @Sendable (PresenceAnswer?) -> Void
    ) {
        let owned = node
        executor.post { owned.value.send(message, in: space, done) }
    }

    package func tell(_ process: String, _ news: NodeNews, of space: SpaceName) {
        let owned = node
        executor.post { owned.value.tell(process, news, of: space) }
    }

    package func serveRows(_ service: RowService) {
        let owned = node
        executor.post {
            owned.value.rowService = service
            owned.value.noteProcesses()
        }
    }
}
