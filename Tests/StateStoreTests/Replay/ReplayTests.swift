import StateStore
import Testing

struct ReplayTests {
    // Law K8
    @Test func `a replay of a recorded space gives the same state and views, byte for byte`() throws {
        let stand = try Stand()
        var dice = Randomness(seed: 5)
        let replay = Replay(of: .main, try .ledger())
        let views = [
            "ledger.sum", "ledger.amounts", "ledger.total", "ledger.worth", "ledger.mark", "ledger.brittle",
            "rates.rate", "rates.names",
        ]
        for _ in 0..<200 {
            let isCommon = Int.random(in: 0..<5, using: &dice) == 0
            let action =
                isCommon
                ? ["rates/set", "rates/name", "rates/drop"]
                : ["ledger/add", "ledger/add", "ledger/remove", "ledger/stamp", "ledger/clear"]
            let space = isCommon ? SpaceName.common : .main
            let before = try stand.commits(of: space).count
            try stand.post(
                try #require(action.randomElement(using: &dice)),
                ["a", "b", "first", "\u{E9}", "e\u{301}"].randomElement(using: &dice),
                Int.random(in: 1...3, using: &dice),
                in: space)
            for record in try stand.commits(of: space).dropFirst(before) { try replay.play(record) }
            let look = stand.ask(views)
            try stand.executor.run { look.result != nil }
            let reading = try #require(try look.result?.get())
            #expect(reading.moment == replay.moment)
            for (view, frame) in reading.views { #expect(replay.value(of: view) == frame.value) }
        }
        let again = Replay(of: .main, try .ledger())
        for record in try stand.commits(of: .common) + stand.commits() { try again.play(record) }
        #expect(try again.state() == replay.state())
        #expect(again.value(of: "ledger.nothing") == nil)
    }

    @Test func `a commit with a gap or of another space cannot be replayed`() throws {
        let replay = Replay(of: .main, try .ledger())
        #expect(throws: JournalFailure.self) { try replay.play(.amount("a", 1, sum: 1, version: 2)) }
        #expect(throws: JournalFailure.self) { try replay.play(.amount("a", 1, sum: 1, version: 1, space: .other)) }
        try replay.play(.amount("a", 1, sum: 1, version: 1))
        #expect(replay.value(of: "ledger.total") == .success(ViewValue(Array("1".utf8))))
    }
}
