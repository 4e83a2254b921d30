import StateStore
import Testing

struct RandomActionsTests {
    private static let views = [
        "ledger.sum", "ledger.amounts", "ledger.total", "ledger.worth", "rates.rate", "rates.names",
    ]
    private static let spaces = [SpaceName.main, .other]

    /// Sends a random action.
    private func send(_ dice: inout Randomness, to stand: Stand) -> (space: SpaceName, reply: Reply, action: String) {
        let isCommon = Int.random(in: 0..<6, using: &dice) == 0
        let actions =
            isCommon
            ? ["rates/set", "rates/name", "rates/drop"]
            : [
                "ledger/add", "ledger/add", "ledger/add", "ledger/remove", "ledger/check", "ledger/refill",
                "ledger/clear",
            ]
        let action = actions[Int.random(in: actions.indices, using: &dice)]
        let space = isCommon ? SpaceName.common : Self.spaces[Int.random(in: 0...1, using: &dice)]
        let name = ["a", "b", "c", "first"][Int.random(in: 0...3, using: &dice)]
        return (space, stand.send(action, name, Int.random(in: -3...5, using: &dice), in: space), action)
    }

    private func values(_ stand: Stand, in space: SpaceName) throws -> String {
        let look = stand.ask(Self.views, in: space)
        try stand.executor.run { look.result != nil }
        return look.told
    }

    // Laws D1, D4, D9 and P6
    @Test(arguments: 1...12 as ClosedRange<UInt64>)
    func `after any failure, the shown values are the stored ones`(_ seed: UInt64) throws {
        var dice = Randomness(seed: seed)
        let journal = FaultyJournal()
        let stand = try Stand(journal)
        stand.store.idleLimit = Int.random(in: 0...2, using: &dice)
        var watches = Self.spaces.map {
            (space: $0, told: stand.watch(Self.views[0], Self.views[2], Self.views[3], Self.views[4], in: $0))
        }
        var luck = Randomness(seed: seed + 1_000)
        for _ in 0..<20 {
            journal.fail { Int.random(in: 0..<3, using: &luck) == 0 }
            let sent = (0..<Int.random(in: 1...12, using: &dice)).map { _ in send(&dice, to: stand) }
            for one in sent { _ = try stand.wait(for: one.reply) }
            journal.fail(by: nil)
            let fresh = try Stand(FaultyJournal(journal.kept))
            for space in Self.spaces { #expect(try values(stand, in: space) == values(fresh, in: space)) }
            if Int.random(in: 0..<4, using: &dice) == 0 {
                let place = Int.random(in: 0...1, using: &dice)
                watches[place].told = stand.watch(
                    Self.views[0], Self.views[2], Self.views[3], Self.views[4], in: watches[place].space)
            }
        }
        let common = try stand.commits(of: .common)
        for (space, told) in watches {
            let moments = try Moments(of: try stand.commits(of: space), common)
            try moments.expect(told.news)
        }
    }

    // Laws D7, D8 and D9
    @Test(arguments: 1...12 as ClosedRange<UInt64>)
    func `two servers on one journal reach one state, without lost or repeated commits`(_ seed: UInt64) throws {
        var dice = Randomness(seed: seed)
        let kept = MemoryJournal()
        // One journal, with separate failures for each server.
        let journals = [FaultyJournal(kept), FaultyJournal(kept)]
        let stands = try journals.map { try Stand($0, isShared: true) }
        let watches = stands.flatMap { stand in
            Self.spaces.map { (stand, $0, stand.watch("ledger.sum", "ledger.worth", "rates.rate", in: $0)) }
        }
        // Each journal runs on its own thread.
        let luck = [seed + 1_000, seed + 2_000].map { seed in
            var dice = Randomness(seed: seed)
            return { Int.random(in: 0..<5, using: &dice) == 0 }
        }
        var expected: [SpaceName: [String]] = [:]
        for _ in 0..<15 {
            for place in 0...1 { journals[place].fail(by: luck[place]) }
            let sent = (0..<12).map { _ in
                let stand = stands[Int.random(in: 0...1, using: &dice)]
                return (stand, send(&dice, to: stand))
            }
            try complete(sent.map(\.1.reply), stands)
            for (_, one) in sent {
                guard case .success(let answer) = one.reply.result, !answer.changed.isEmpty else { continue }
                expected[one.space, default: []].append("\(answer.version) \(one.action)")
            }
        }
        for journal in journals { journal.fail(by: nil) }
        for space in Self.spaces + [.common] {
            let commits = try stands[0].commits(of: space)
            #expect(commits.map(\.version) == Array(1..<commits.count + 1))
            #expect(
                commits.map { "\($0.version) \($0.action)" }
                    == expected[space, default: []].sorted { number($0) < number($1) })
        }
        let replays = try Self.spaces.map { space in
            let replay = Replay(of: space, try .ledger())
            for record in try stands[0].commits(of: .common) + stands[0].commits(of: space) { try replay.play(record) }
            return replay
        }
        for (space, replay) in zip(Self.spaces, replays) {
            let views = Self.views.map {
                "\($0.split(separator: ".")[1])=\(replay.value(of: ViewKey($0)).map { Frame.told($0) } ?? "")"
            }
            for stand in stands {
                // Commits of the other server may not have arrived yet.
                try stand.executor.run { (try? values(stand, in: space)) == views.joined(separator: " ") }
            }
        }
        for (stand, space, told) in watches {
            let moments = try Moments(of: stand.commits(of: space), stand.commits(of: .common))
            try moments.expect(told.news)
            #expect(moments.isLast(told.news))
        }
    }

    private func number(_ text: String) -> Int { Int(text.prefix { $0 != " " }) ?? 0 }

    /// Runs both executors until all actions are answered.
    private func complete(_ replies: [Reply], _ stands: [Stand]) throws {
        while replies.contains(where: { $0.result == nil }) {
            try stands[0].executor.waitForJobs(orAt: stands[1].executor)
            for stand in stands { stand.executor.runPosted() }
        }
    }
}
