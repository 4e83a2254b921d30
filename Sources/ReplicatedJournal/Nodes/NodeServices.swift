internal import Ground
internal import Platform
internal import Reactive
internal import StateStore

/// The service of requests that other nodes forward.
struct ForwardedService: Sendable {
    /// Performs a request, and calls its argument with the answer.
    let act: @Sendable ([UInt8], @escaping @Sendable ([UInt8]) -> Void) -> Void
}

/// The requests that a node serves to others.
extension ClusterNode {
    /// Serves `headwater cluster drain` and `repair`, and bases for new nodes.
    func serveCommands() {
        let owned = Confined(self)
        commands = [
            log.serve("base.\(node)") { body, reply in
                owned.value.executor.post {
                    let node = owned.value
                    guard node.isOpen else { return }
                    reply(node.bases.answer(body, node.randomness.next()).bytes)
                }
            },
            log.serve("told.\(node)") { body, reply in
                owned.value.executor.post {
                    owned.value.hear(body)
                    reply([])
                }
            },
            log.serve("node.\(node)") { [act] body, reply in
                if let service = act.with({ $0 }) { service.act(body, reply) } else { reply([]) }
            },
            log.serve("drain.\(node)") { _, reply in
                owned.value.executor.post {
                    owned.value.drain()
                    reply(Array("ok".utf8))
                }
            },
            log.serve("faults.\(node)") { _, reply in
                owned.value.executor.post {
                    reply(Array(owned.value.status.faults.map(\.description).joined(separator: "\n").utf8))
                }
            },
            log.serve("position.\(node)") { body, reply in
                owned.value.executor.post {
                    let lane = Lane(String(decoding: body, as: UTF8.self)).flatMap { owned.value.lanes[$0] }
                    reply(Array((lane.map { "\($0.applied.number)" } ?? "this node has no such lane").utf8))
                }
            },
        ]
    }

    func serve(_ lane: Lane) {
        let owned = Confined(self)
        servedSince[lane] = executor.scheduler.now
        services[lane] = [
            log.serve("act.\(lane)") { [act] body, reply in
                if let service = act.with({ $0 }) { service.act(body, reply) } else { reply([]) }
            },
            log.serve("own.\(lane)") { body, reply in
                owned.value.executor.post { owned.value.perform(body, reply) }
            },
            log.serve("rows.\(lane)") { body, reply in
                owned.value.executor.post { owned.value.answerRows(body, of: lane, reply) }
            },
            log.serve("at.\(lane)") { body, reply in
                owned.value.executor.post { owned.value.answer(body, of: lane, reply) }
            },
        ]
    }

    /// Answers the question for the last number of a lane that a node may have shown, with nothing if this node must not say.
    private func answer(_ body: [UInt8], of lane: Lane, _ reply: @escaping @Sendable ([UInt8]) -> Void) {
        guard isOpen, let replica = lanes[lane], let question = FreshQuestion(body) else { return reply([]) }
        if lane == .common {
            promises.hear(of: question.common, by: question.node)
            answerSeen()
        }
        // A node that has more than its owner asks again when the owner has heard of it.
        guard replica.head.number >= question.applied, status.isFresh([lane]) else { return reply([]) }
        let number = replica.possibleEnd
        if lane == .common {
            promises.promise(to: question.node, after: status.common.version, at: executor.scheduler.now)
        }
        reply(FreshQuestion.answer(number))
    }
}
