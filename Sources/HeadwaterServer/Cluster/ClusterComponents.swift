import Ground
import HTTP
import Platform
import ReplicatedJournal
import StateStore

/// The parts of a service that a cluster needs.
struct ClusterComponents: Sendable {
    let journal: ReplicatedJournal
    /// True if reads show what this node has unless they ask for more.
    let readsNear: Bool

    /// The maximum number of bytes of an answer for another node.
    private static let answerBytesLimit = 1_000_000

    /// Serves the requests and the effects of other nodes, and own ones of lanes that came back meanwhile.
    func serve(by servers: [Server.Peer], _ stores: Stores, _ fronts: [ClusterFront]) {
        let serve: @Sendable ([UInt8], @escaping @Sendable ([UInt8]) -> Void) -> Void = { request, reply in
            let loop = ForwardedRequest.space(of: request).map { stores.index(of: $0) } ?? 0
            servers[loop].serve(.answered(request, limit: Self.answerBytesLimit, reply))
        }
        for front in fronts { front.forwarder.serveHere = serve }
        journal.serveActions(serve)
        journal.serveOwnCalls { stores.perform($0, in: $1, $2) }
    }
}

extension RequestInProcess {
    /// The answer to a request that may have run, and whose answer was lost: it is not whole.
    private static let lost: [UInt8] = [0]
    /// The answer in place of one that is too large. A repeat would be as large.
    private static let tooLarge: [UInt8] = {
        let body = Problem(.outcomeUnknown, "the answer is too large for another node").bytes
        let head = "HTTP/1.1 503 Service Unavailable\r\nContent-Length: \(body.count)\r\n\r\n"
        return Array(head.utf8) + body
    }()

    /// Returns a request whose whole answer goes to `done`, on the loop that serves it.
    static func answered(
        _ bytes: [UInt8], clientAddress: String? = nil, limit: Int, _ done: @escaping @Sendable ([UInt8]) -> Void
    ) -> RequestInProcess {
        let answer = Lock<[UInt8]>([])
        return RequestInProcess(
            bytes, clientAddress: clientAddress,
            received: { piece in
                answer.with { answer in
                    answer += piece
                    return answer.count <= limit
                }
            },
            ended: {
                let answer = answer.with { $0 }
                done(answer.count > limit ? tooLarge : answer.isEmpty ? lost : answer)
            })
    }
}
