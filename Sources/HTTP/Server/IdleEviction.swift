import Ground
internal import Sockets

/// Room for one more connection, made by closing the one of all loops that has waited longest for a next request.
enum IdleEviction {
    /// Makes room, and says on `loop` whether there was any to be made.
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
                    // It may have been asked something meanwhile; then another one goes.
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
