import JSON
import StateStore
import Testing

struct CommitTests {
    // Law K1
    @Test func `an action reads its own writes, and views see only its result`() throws {
        let stand = try Stand()
        let told = stand.watch("ledger.sum", "ledger.amounts")
        try stand.settle(.main)
        try stand.post("ledger/add", "a", 2)
        try stand.post("ledger/add", "a", 3)
        #expect(told.events == [#"sum=0 amounts=[]"#, #"sum=2 amounts=["a=2"]"#, #"sum=5 amounts=["a=5"]"#])
    }

    // Laws K2 and K4
    @Test func `a rejected action undoes its writes`() throws {
        let stand = try Stand()
        try stand.post("ledger/add", "a", 2)
        let told = stand.watch("ledger.sum", "ledger.amounts")
        #expect(try stand.post("ledger/add", "a", -3) == "conflict /amount: there is not so much of a; allowed: 0")
        #expect(try stand.read("ledger.sum", "ledger.amounts") == #"sum=2 amounts=["a=2"]"#)
        #expect(told.events == [#"sum=2 amounts=["a=2"]"#])
        #expect(try stand.commits().count == 1)
        #expect(try stand.post("ledger/add", "a", 1) == "2 ledger.sum,ledger.amounts")
    }

    // Law K4
    @Test(arguments: [
        ("ledger/add", "x\ny", 1, "invalid /name: the value must be 1 to 20 characters"),
        ("ledger/add", "x", 1_001, "invalid /amount: the value must be from -1000 to 1000"),
        ("ledger/remove", "x", 1, "conflict /name: there is no x"),
    ])
    func `a rejection has a detail and a pointer`(
        _ action: String, _ name: String, _ amount: Int, _ words: String
    ) throws {
        let stand = try Stand()
        let told = try stand.post(action, name, amount)
        #expect(told.hasPrefix(words), "\(told)")
        #expect(try stand.commits().isEmpty)
    }

    // Law K3
    @Test(arguments: ["ledger/check", "ledger/refill"])
    func `an action whose writes restore the state makes no version`(_ action: String) throws {
        let stand = try Stand()
        try stand.post("ledger/add", "a", 1)
        try stand.post("ledger/add", "b", 1)
        let told = stand.watch("ledger.amounts")
        #expect(try stand.post(action) == "2")
        #expect(try stand.commits().count == 2)
        try stand.settle(.main)
        #expect(told.events.count == 1)
    }

    // Laws K8 and D9
    @Test(arguments: [("\u{E9}", "e\u{301}"), ("e\u{301}", "\u{E9}")])
    func `equal keys share one row, which keeps its first spelling in memory and in the journal`(
        _ first: String, _ second: String
    ) throws {
        let stand = try Stand()
        func look(_ stand: Stand, _ amounts: String) throws {
            #expect(Array(try stand.read("ledger.amounts").utf8) == Array("amounts=[\(amounts)]".utf8))
        }
        func lookAnew(_ amounts: String) throws {
            try look(stand, amounts)
            let other = try Stand(stand.journal)
            try look(other, amounts)
            other.close()
        }
        try stand.post("ledger/add", first, 2)
        try stand.post("ledger/add", second, 3)
        let added = try #require(stand.commits().last?.facts.first { $0.entry != nil }?.entry)
        #expect(Array(added.utf8) == Array(first.utf8))
        try lookAnew("\"\(first)=5\"")
        try stand.post("ledger/refill")
        try stand.post("ledger/remove", second)
        try lookAnew("")
        try stand.post("ledger/add", second, 1)
        try lookAnew("\"\(second)=1\"")
    }

    // Law K3
    @Test func `clearing an empty table makes no version`() throws {
        let stand = try Stand()
        #expect(try stand.post("ledger/clear") == "0")
        #expect(try stand.journal.load(.main) == nil)
    }

    // Law K5
    @Test func `time and random numbers of a commit are determined by clock and seed`() throws {
        let marks = try [UInt64(1), 1, 2].map { seed in
            let stand = try Stand(seed: seed)
            try stand.post("ledger/add", "a", 1)
            try stand.post("ledger/stamp")
            return try stand.read("ledger.mark")
        }
        #expect(marks[0].hasPrefix("mark=\"1700000000000000 2 "))
        #expect(marks[0] == marks[1])
        #expect(marks[0] != marks[2])
    }

    // Law K6
    @Test func `an action on one row of a thousand costs one fact and one computation`() throws {
        let stand = try Stand()
        let told = stand.watch("ledger.total")
        let replies = (0..<1_000).map { stand.send("ledger/add", "n\($0)", 1) }
        for reply in replies { _ = try stand.wait(for: reply) }
        _ = stand.tally.taken("total")
        try stand.post("ledger/add", "n500", 5)
        let last = try #require(try stand.commits().last)
        #expect(last.facts.map(\.variable) == ["ledger.sum", "ledger.amounts"])
        #expect(last.facts[1] == Fact(variable: "ledger.amounts", entry: "n500", value: Array("6".utf8)))
        // The old row is subtracted and the new one added.
        #expect(stand.tally.taken("total") == 2)
        #expect(told.events.last == "total=1005")
    }

    // Law K6
    @Test func `clearing a table is one fact, independent of its number of rows`() throws {
        let stand = try Stand()
        for name in ["a", "b", "c"] { try stand.post("ledger/add", name, 1) }
        try stand.post("ledger/clear")
        #expect(try stand.commits().last?.facts.last == Fact(variable: "ledger.amounts", value: Array("{}".utf8)))
    }

    // Law K9
    @Test func `a conditional action is performed only at its version`() throws {
        let stand = try Stand()
        try stand.post("ledger/add", "a", 1)
        #expect(try stand.post("ledger/add", "a", 1, ifVersion: 0) == "changed(version: 1)")
        #expect(try stand.post("ledger/add", "a", 1, ifVersion: 2) == "changed(version: 1)")
        #expect(try stand.post("ledger/add", "a", 1, ifVersion: 1) == "2 ledger.sum,ledger.amounts")
    }

    @Test func `the views of an answer show its commit`() throws {
        let stand = try Stand()
        let replies = (1...3).map { _ in stand.send("ledger/add", "a", 1, views: ["ledger.sum", "rates.rate"]) }
        let told = try replies.map { try stand.wait(for: $0) }
        #expect(told == (1...3).map { "\($0) ledger.sum,ledger.amounts sum=\($0) rate=1" })
        #expect(try stand.post("ledger/add", "a", 1, views: ["ledger.nothing"]) == #"noSuchView("ledger.nothing")"#)
    }

    @Test func `a commit can read the readable variables of another feature`() throws {
        let stand = try Stand()
        try stand.post("rates/set", nil, 7, in: .common)
        try stand.post("ledger/price")
        #expect(try stand.read("ledger.mark") == "mark=\"at 7\"")
    }
}
