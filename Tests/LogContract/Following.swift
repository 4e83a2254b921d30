import Platform
import ReplicatedJournal
import Testing

extension LogContract {
    static let following = [
        LogContract("a follower gets all entries after a number, then each new one, in order") { log, other in
            for number in 0..<10 { _ = try await log.append(bytes("\(number)"), to: Lane(0), after: number) }
            let received = Received<StoredEntry>()
            let following = other.follow(Lane(0), after: 3, received)
            _ = await received.wait(for: 7)
            for number in 10..<200 { _ = try await log.append(bytes("\(number)"), to: Lane(0), after: number) }
            let entries = await received.wait(for: 197)
            #expect(entries == (3..<200).map { StoredEntry(number: $0 + 1, bytes: bytes("\($0)")) })
            withExtendedLifetime(following) {}
        },
        LogContract("a follower at the end gets new entries only, also its own log's") { log, _ in
            _ = try await log.append(bytes("a"), to: Lane(0), after: 0)
            let received = Received<StoredEntry>()
            let following = log.follow(Lane(0), after: 1, received)
            _ = try await log.append(bytes("b"), to: Lane(0), after: 1)
            holds(await received.wait(for: 1) == [StoredEntry(number: 2, bytes: bytes("b"))])
            withExtendedLifetime(following) {}
        },
        LogContract("many followers of many lanes get each its own entries") { log, other in
            let lanes = [Lane(0), Lane(1), Lane(2)]
            let received = lanes.map { _ in Received<StoredEntry>() }
            let followings = zip(lanes, received).map { other.follow($0, after: 0, $1) }
            for (index, lane) in lanes.enumerated() {
                for number in 0...index { _ = try await log.append(bytes("\(lane)"), to: lane, after: number) }
            }
            for (index, lane) in lanes.enumerated() {
                holds(
                    await received[index].wait(for: index + 1)
                        == (0...index).map { StoredEntry(number: $0 + 1, bytes: bytes("\(lane)")) })
            }
            withExtendedLifetime(followings) {}
        },
        LogContract("a follower behind the trimmed entries is told that they are gone") { log, other in
            for number in 0..<5 { _ = try await log.append(bytes("\(number)"), to: Lane(0), after: number) }
            try await log.trim(Lane(0), upTo: 3)
            let late = Received<StoredEntry>()
            let lateFollowing = other.follow(Lane(0), after: 2, late)
            holds(await late.wait(for: 1) == [StoredEntry(number: 0, bytes: bytes("gone"))])
            let present = Received<StoredEntry>()
            let presentFollowing = other.follow(Lane(0), after: 3, present)
            holds(await present.wait(for: 2).map(\.number) == [4, 5])
            // The same of a lane that has become empty.
            try await log.trim(Lane(0), upTo: 5)
            let empty = Received<StoredEntry>()
            let emptyFollowing = other.follow(Lane(0), after: 4, empty)
            holds(await empty.wait(for: 1) == [StoredEntry(number: 0, bytes: bytes("gone"))])
            withExtendedLifetime([lateFollowing, presentFollowing, emptyFollowing]) {}
        },
        LogContract("the calls of one follower never overlap") { log, other in
            let (inside, overlaps) = (Lock(0), Lock(0))
            let received = Received<Int>()
            let following = other.follow(Lane(0), after: 0) { result in
                if inside.with({ inside in
                    inside += 1
                    return inside
                }) > 1 {
                    overlaps.with { $0 += 1 }
                }
                received.add((try? result.get().map(\.number)) ?? [])
                inside.with { $0 -= 1 }
            }
            for number in 0..<100 { _ = try await log.append(bytes("x"), to: Lane(0), after: number) }
            holds(await received.wait(for: 100) == Array(1...100))
            #expect(overlaps.with { $0 } == 0)
            withExtendedLifetime(following) {}
        },
    ]
}
