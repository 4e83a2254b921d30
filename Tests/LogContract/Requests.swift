import Platform
import ReplicatedJournal
import Testing

extension LogContract {
    static let requests = [
        LogContract("a request reaches the node that serves it, and the answer comes back") { log, other in
            let service = log.serve("act.0") { body, reply in reply(body.reversed()) }
            try await Self.untilServed(other, "act.0")
            holds(try await other.ask("act.0", [1, 2, 3]) == [3, 2, 1])
            holds(try await log.ask("act.0", []) == [])
            withExtendedLifetime(service) {}
        },
        LogContract("a request that nobody serves fails as unserved") { log, other in
            let service = log.serve("act.0") { _, reply in reply([]) }
            let failure = await refused { try await other.ask("act.1", [1]) }
            #expect(failure?.kind == .unserved)
            withExtendedLifetime(service) {}
        },
        LogContract("a request without an answer fails, and not as unserved") { log, other in
            let (asked, kept) = (Received<[UInt8]>(), Lock<[@Sendable ([UInt8]) -> Void]>([]))
            let service = log.serve("act.0") { body, reply in
                // The first questions are answered, so that the service becomes known.
                if body.isEmpty { return reply([]) }
                kept.with { $0.append(reply) }
                asked.add([body])
            }
            try await Self.untilServed(other, "act.0")
            let failure = await refused {
                try await other.ask("act.0", [1], timeout: .milliseconds(200))
            }
            #expect(failure?.kind == .unreachable)
            // The request may arrive after the end of its time.
            holds(await asked.wait(for: 1) == [[1]])
            // A late answer is passed over.
            for reply in kept.with({ $0 }) { reply([]) }
            withExtendedLifetime(service) {}
        },
        LogContract("of two nodes that serve a subject one receives each request") { log, other in
            let received = Received<Int>()
            let services = [log, other].map { node in
                node.serve("act.0") { body, reply in
                    received.add([Int(body.first ?? 0)])
                    reply([])
                }
            }
            try await Self.untilServed(other, "act.0")
            for number in 1...20 { _ = try await other.ask("act.0", [UInt8(number)]) }
            #expect(received.values.filter { $0 > 0 } == Array(1...20))
            withExtendedLifetime(services) {}
        },
        LogContract("a service ends with its subscription") { log, other in
            var service: LogSubscription? = log.serve("act.0") { _, reply in reply([]) }
            try await Self.untilServed(other, "act.0")
            withExtendedLifetime(service) {}
            service = nil
            // Until the end of the service has become known, a request may still reach it, and then has no answer.
            let hasEnded = try await eventually {
                do {
                    _ = try await other.ask("act.0", [], timeout: .milliseconds(200))
                    return false
                } catch let failure as LogFailure {
                    return failure.kind == .unserved
                }
            }
            #expect(hasEnded)
        },
        LogContract("a watch of the connection gets the present state at once") { log, _ in
            let states = Received<Bool>()
            let watch = log.watchConnection { states.add([$0]) }
            holds(await states.wait(for: 1).first == true)
            withExtendedLifetime(watch) {}
        },
    ]

    /// Asks with an empty body until a new service has become known to the other machine.
    private static func untilServed(_ log: any SharedLog, _ subject: String) async throws {
        let isServed = try await eventually {
            do {
                _ = try await log.ask(subject, [])
                return true
            } catch let failure as LogFailure {
                if failure.kind != .unserved { throw failure }
                return false
            }
        }
        #expect(isServed, "nobody serves \(subject)")
    }
}
