import StateStore
import Testing

struct CommonTests {
    // Law M2
    @Test func `a value derived from a space and from common shows one version of each`() throws {
        let stand = try Stand()
        let told = stand.watch("rates.rate", "ledger.worth", "ledger.sum")
        try stand.post("ledger/add", "a", 2)
        try stand.post("rates/set", nil, 3, in: .common)
        try stand.post("ledger/add", "a", 2)
        #expect(
            told.events == [
                "rate=1 worth=[0,1,0] sum=0", "worth=[2,1,2] sum=2", "rate=3 worth=[2,3,6]", "worth=[4,3,12] sum=4",
            ])
    }

    // Law M2
    @Test func `values of common wait while a space derives undurable values from them`() throws {
        let stand = try Stand()
        let both = stand.watch("rates.rate", "ledger.worth")
        let alone = stand.watch("rates.rate", in: .other)
        try stand.settle(.main, .other)
        stand.journal.hold()
        let price = stand.send("rates/set", nil, 5, in: .common)
        try stand.waitForAppend(1)
        let action = stand.send("ledger/add", "a", 2)
        stand.journal.release()
        _ = try stand.wait(for: price)
        #expect(alone.events == ["rate=1", "rate=5"])
        _ = try stand.wait(for: action)
        #expect(both.events == ["rate=1 worth=[0,1,0]", "rate=5 worth=[2,5,10]"])
    }

    // Laws M2 and D4
    @Test func `values of common that waited for an undone commit are delivered anyway`() throws {
        let stand = try Stand()
        let both = stand.watch("rates.rate", "ledger.worth")
        let late = stand.watch("rates.rate", "ledger.sum")
        try stand.settle(.main)
        stand.journal.hold()
        let price = stand.send("rates/set", nil, 5, in: .common)
        try stand.waitForAppend(1)
        let action = stand.send("ledger/add", "a", 2)
        // The first append, of the rate, is kept; the second fails.
        stand.journal.failSecondAppend()
        stand.journal.release()
        _ = try stand.wait(for: price)
        #expect(try stand.wait(for: action) == "cannot write: the disk is full")
        try stand.settle(.main)
        #expect(both.events == ["rate=1 worth=[0,1,0]", "rate=5 worth=[0,5,0]"])
        #expect(late.events == ["rate=1 sum=0", "rate=5"])
    }

    // Law M3
    @Test func `a commit in common computes only the watched views that depend on it`() throws {
        let stand = try Stand()
        let names = (0..<10).compactMap { SpaceName("s\($0)") }
        for name in names { try stand.settle(name) }
        let watches = names.prefix(3).map { stand.watch("ledger.worth", "ledger.sum", in: $0) }
        _ = stand.tally.taken("worth")
        _ = stand.tally.taken("sum")
        try stand.post("rates/set", nil, 3, in: .common)
        #expect(stand.tally.taken("worth") == 3)
        #expect(stand.tally.taken("sum") == 0)
        #expect(stand.tally.taken("rate") == 0)
        #expect(watches.allSatisfy { $0.events == ["worth=[0,1,0] sum=0", "worth=[0,3,0]"] })
    }

    // Law M1
    @Test func `an action in common is answered with its own views, once all stores show it`() throws {
        let stand = try Stand()
        let told = try stand.post("rates/set", nil, 3, in: .common, views: ["rates.rate"])
        #expect(told == "1 rates.rate rate=3")
        #expect(try stand.read("rates.rate", in: .common) == "rate=3")
        #expect(try stand.read("rates.rate", "ledger.worth") == "rate=3 worth=[0,3,0]")
        #expect(try stand.post("rates/set", nil, 3, in: .common) == "1")
    }

    // Laws M1 and D1
    @Test func `a read of common shows the version that it reports`() throws {
        let stand = try Stand()
        try stand.post("rates/set", nil, 3, in: .common)
        stand.journal.hold()
        let reply = stand.send("rates/set", nil, 4, in: .common)
        try stand.waitForAppend(2)
        let look = stand.ask(["rates.rate"], in: .common)
        try stand.executor.run { look.result != nil }
        #expect(look.told == "rate=3")
        #expect(try look.result?.get().moment.version == 1)
        stand.journal.release()
        _ = try stand.wait(for: reply)
    }

    // Law P6
    @Test func `common can be watched by itself`() throws {
        let stand = try Stand()
        let told = stand.watch("rates.rate", "rates.names", in: .common)
        try stand.post("rates/set", nil, 3, in: .common)
        try stand.post("rates/name", "third", 3, in: .common)
        #expect(told.events.count == 3)
        #expect(told.events.last == #"names=["first=1","second=2","third=3"]"#)
    }

    // Law M4
    @Test(arguments: [("rates/set", SpaceName.main, "wrongSpace"), ("ledger/add", .common, "wrongSpace")])
    func `an action is refused in a space outside its scope`(
        _ action: String, _ space: SpaceName, _ words: String
    ) throws {
        let stand = try Stand()
        #expect(try stand.post(action, "a", 1, in: space).hasPrefix(words))
    }

    // Laws K6 and D9
    @Test func `an initial row of a table stays removed after a restart`() throws {
        let journal = FaultyJournal()
        let first = try Stand(journal)
        try first.post("rates/name", "third", 3, in: .common)
        try first.post("rates/drop", "first", in: .common)
        try first.post("rates/drop", "third", in: .common)
        let names = #"names=["second=2"]"#
        #expect(try first.read("rates.names") == names)
        #expect(try Stand(journal).read("rates.names") == names)
        let last = try #require(try first.commits(of: .common).last)
        #expect(last.facts == [Fact(variable: "rates.names", entry: "third", value: nil)])
    }

    // Laws D4 and D5
    @Test func `no space sees a commit of common that is not stored`() throws {
        let stand = try Stand()
        let told = stand.watch("rates.rate", "ledger.worth")
        try stand.settle(.main)
        stand.journal.failAppends(1)
        #expect(try stand.post("rates/set", nil, 9, in: .common) == "cannot write: the disk is full")
        #expect(try stand.post("rates/set", nil, 2, in: .common) == "1 rates.rate")
        #expect(told.events == ["rate=1 worth=[0,1,0]", "rate=2 worth=[0,2,0]"])
    }

    // Laws M5 and D6
    @Test(arguments: [false, true])
    func `commits of another server in common are shown, and so are later ones`(isShared: Bool) throws {
        let stand = try Stand(isShared: isShared)
        let told = stand.watch("rates.rate", "ledger.worth")
        try stand.settle(.main)
        stand.journal.intrude(.rate(5, version: 1), .rate(6, version: 2))
        #expect(try stand.post("rates/name", "third", 3, in: .common) == "3 rates.names")
        #expect(try stand.read("rates.rate", "rates.names") == #"rate=6 names=["first=1","second=2","third=3"]"#)
        #expect(told.events.last == "rate=6 worth=[0,6,0]")
    }
}
