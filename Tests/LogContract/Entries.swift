import Platform
import ReplicatedJournal
import Testing

extension LogContract {
    static let entries = [
        LogContract("an empty lane ends at 0, and its first entry gets the number 1") { log, other in
            let empty = try await log.extent(of: Lane(0))
            #expect(empty.first == 1 && empty.last == 0)
            holds(try await log.append(bytes("a"), to: Lane(0), after: 0) == 1)
            let extent = try await other.extent(of: Lane(0))
            #expect(extent.first == 1 && extent.last == 1 && extent.identity == empty.identity)
            holds(try await other.entry(1, of: Lane(0)) == bytes("a"))
        },
        LogContract("an entry after another number than the last is refused and not stored") { log, _ in
            holds(try await log.append(bytes("a"), to: Lane(0), after: 0) == 1)
            for last in [0, 2, 7] {
                let failure = await refused {
                    try await log.append(bytes("b"), to: Lane(0), after: last)
                }
                #expect(failure?.kind == .refused)
            }
            holds(try await log.extent(of: Lane(0)).last == 1)
            holds(try await log.entry(2, of: Lane(0)) == nil)
        },
        LogContract("of several appends for one number exactly one is stored") { log, other in
            for round in 0..<20 {
                let winners = await withTaskGroup(of: String?.self) { group in
                    for writer in 0..<6 {
                        group.addTask {
                            let text = "\(round).\(writer)"
                            let number = try? await (writer % 2 == 0 ? log : other).append(
                                bytes(text), to: Lane(0), after: round)
                            return number == round + 1 ? text : nil
                        }
                    }
                    return await group.reduce(into: [String]()) { if let text = $1 { $0.append(text) } }
                }
                #expect(winners.count == 1)
                holds(try await log.entry(round + 1, of: Lane(0)) == winners.first.map { bytes($0) })
            }
            holds(try await other.extent(of: Lane(0)).last == 20)
        },
        LogContract("lanes are numbered apart") { log, _ in
            holds(try await log.append(bytes("a"), to: Lane(0), after: 0) == 1)
            holds(try await log.append(bytes("b"), to: Lane(1), after: 0) == 1)
            holds(try await log.append(bytes("c"), to: Lane(2), after: 0) == 1)
            holds(try await log.append(bytes("d"), to: Lane(1), after: 1) == 2)
            holds(try await log.entry(1, of: Lane(1)) == bytes("b"))
            holds(try await log.entry(1, of: Lane(2)) == bytes("c"))
        },
        LogContract("an entry of the largest size comes back byte by byte") { log, other in
            let large = (0..<LogEntry.sizeLimit).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
            holds(try await log.append(large, to: Lane(0), after: 0) == 1)
            holds(try await other.entry(1, of: Lane(0)) == large)
            let received = Received<StoredEntry>()
            let following = other.follow(Lane(0), after: 0, received)
            holds(await received.wait(for: 1) == [StoredEntry(number: 1, bytes: large)])
            withExtendedLifetime(following) {}
        },
        LogContract("a trimmed entry is gone, and numbers go on") { log, other in
            for number in 0..<5 { _ = try await log.append(bytes("\(number)"), to: Lane(0), after: number) }
            try await other.trim(Lane(0), upTo: 3)
            var extent = try await log.extent(of: Lane(0))
            #expect(extent.first == 4 && extent.last == 5)
            let failure = await refused { try await log.entry(3, of: Lane(0)) }
            #expect(failure?.kind == .gone)
            holds(try await log.entry(4, of: Lane(0)) == bytes("3"))
            // All of them, and again.
            try await log.trim(Lane(0), upTo: 5)
            try await log.trim(Lane(0), upTo: 2)
            extent = try await other.extent(of: Lane(0))
            #expect(extent.first == 6 && extent.last == 5)
            holds(try await other.append(bytes("5"), to: Lane(0), after: 5) == 6)
        },
        LogContract("no call is answered within the call") { log, _ in
            let order = Received<String>()
            let gate = Lock(())
            gate.with { _ in
                // A callback within the call would wait for itself.
                log.append(bytes("a"), to: Lane(0), after: 0) { _ in gate.with { _ in order.add(["append"]) } }
                log.entry(1, of: Lane(1)) { _ in gate.with { _ in order.add(["entry"]) } }
                log.ask("nobody", [], timeout: .seconds(5)) { _ in gate.with { _ in order.add(["ask"]) } }
            }
            holds(await order.wait(for: 3).sorted() == ["append", "ask", "entry"])
        },
        LogContract("a closed log answers every call with a failure") { log, other in
            log.close()
            for _ in 0..<2 {
                await refused { try await log.append(bytes("a"), to: Lane(0), after: 0) }
                await refused { try await log.extent(of: Lane(0)) }
                await refused { try await log.lease(of: "A") }
                log.close()
            }
            holds(try await other.extent(of: Lane(0)).last == 0)
        },
    ]
}
