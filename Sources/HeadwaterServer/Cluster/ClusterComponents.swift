import Ground
import HTTP
import ReplicatedJournal
import StateStore

/// The parts of a service that a cluster needs.
struct ClusterComponents: Sendable {
    let journal: ReplicatedJournal
    /// True if reads show what this node has unless they ask for more.
    let readsNear: Bool

    /// Serves the requests and the effects of other nodes, and own ones of lanes that came back meanwhile.
    func serve(by server: Server, on executors: [LoopExecutor], _ stores: Stores, _ fronts: [ClusterFront]) {
        let executor = executors[0]
        let owned = Confined(server)
        let serve: @Sendable ([UInt8], @escaping @Sendable ([UInt8]) -> Void) -> Void = { body, reply in
            executor.post { RequestInProcess.serve(body, on: executor.loop, by: { owned.value.take($0) }, reply) }
        }
        for front in fronts { front.forwarder.serveHere = serve }
        journal.serveActions(serve)
        journal.serveOwnCalls { stores.perform($0, in: $1, $2) }
    }
}
