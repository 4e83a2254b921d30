import ReplicatedJournal
import Testing

extension LogContract {
    static let leases = [
        LogContract("a lease is written, read and renewed by revision") { log, other in
            var lease = Lease(node: "A", instance: 7, address: "http://a", applied: [Lane(0): 3], owned: [Lane(1)])
            holds(try await log.lease(of: "A") == nil)
            let first = try await log.renew(lease, after: nil)
            holds(try await other.lease(of: "A") == StoredLease(lease, revision: first))
            lease.state = .draining
            let second = try await log.renew(lease, after: first)
            #expect(second != first)
            holds(try await other.lease(of: "A") == StoredLease(lease, revision: second))
            holds(try await other.lease(of: "B") == nil)
        },
        LogContract("a lease of another revision refuses") { log, other in
            let lease = Lease(node: "A", instance: 7)
            let first = try await log.renew(lease, after: nil)
            let second = try await other.renew(lease, after: first)
            for revision in [nil, first, second &+ 5] {
                let failure = await refused { try await log.renew(lease, after: revision) }
                #expect(failure?.kind == .refused)
            }
            holds(try await log.lease(of: "A")?.revision == second)
        },
        LogContract("the leases of nodes do not touch each other") { log, _ in
            let first = try await log.renew(Lease(node: "A", instance: 1), after: nil)
            _ = try await log.renew(Lease(node: "B", instance: 2), after: nil)
            _ = try await log.renew(Lease(node: "A", instance: 3), after: first)
            holds(try await log.lease(of: "A")?.lease.instance == 3)
            holds(try await log.lease(of: "B")?.lease.instance == 2)
        },
        LogContract("a watch gets the present leases, then each change") { log, other in
            let first = try await log.renew(Lease(node: "A", instance: 1), after: nil)
            let seen = Received<StoredLease>()
            let watch = other.watchLeases { seen.add([$0]) }
            holds(await seen.wait(for: 1) == [StoredLease(Lease(node: "A", instance: 1), revision: first)])
            let second = try await log.renew(Lease(node: "B", instance: 2), after: nil)
            holds(await seen.wait(for: 2).last == StoredLease(Lease(node: "B", instance: 2), revision: second))
            let third = try await log.renew(Lease(node: "A", instance: 1, state: .draining), after: first)
            holds(
                await seen.wait(for: 3).last
                    == StoredLease(Lease(node: "A", instance: 1, state: .draining), revision: third))
            withExtendedLifetime(watch) {}
        },
    ]
}
