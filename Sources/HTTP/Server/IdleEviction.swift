import Ground
import Platform
internal import Sockets

/// The eviction of an idle connection to make room for a new one. The connection of any loop that has waited longest
/// for its next request is closed.
enum IdleEviction {
    /// Closes one idle connection, and calls `then` on `loop` with true if there was one.
    static func makeRoom(among peers: [Server.Peer], for loop: EventLoop, _ then: @escaping (Bool) -> Void) {
        let owned = Confined(then)
        let search = Lock(OldestIdleSearch(missing: peers.count))
        for peer in peers {
            peer.loop.post {
                let deadline = peer.server.oldestIdleDeadline
                let search = search.with { search in
                    search.missing -= 1
                    if let deadline, deadline < search.deadline { (search.deadline, search.found) = (deadline, peer) }
                    return search
                }
                guard search.missing == 0 else { return }
                guard let found = search.found else { return loop.post { owned.value(false) } }
                found.loop.post {
                    // It may have received a request meanwhile. Then the next oldest is closed.
                    let isClosed = found.server.closeOldestIdle()
                    loop.post { owned.value(isClosed) }
                }
            }
        }
    }

    private struct OldestIdleSearch {
        var missing: Int
        var deadline = Int64.max
        var found: Server.Peer?
    }
}
