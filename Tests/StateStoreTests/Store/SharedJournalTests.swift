import ServerReads
import StateStore
import Testing

struct SharedJournalTests {
    // Law D8
    @Test func `commits of another server are delivered to subscribers of this one`() throws {
        let journal = FaultyJournal()
        let here = try Stand(journal, isShared: true)
        let there = try Stand(journal, isShared: true)
        let told = here.watch("ledger.sum", "ledger.amounts")
        try here.settle(.main)
        try there.post("ledger/add", "a", 1)
        try there.post("ledger/add", "b", 2)
        try here.executor.run { told.events.count == 3 }
        #expect(told.events.last == #"sum=3 amounts=["a=1","b=2"]"#)
        #expect(try here.post("ledger/add", "a", 1) == "3 ledger.sum,ledger.amounts")
        #expect(here.journal.asked.count == 3, "it knew where the space was")
    }

    // Law D8
    @Test(arguments: ["in order", "backwards", "only the last", "none but the next"])
    func `late or reordered commits of another server are recovered`(_ way: String) throws {
        let journal = FaultyJournal()
        let here = try Stand(journal, isShared: true)
        let told = here.watch("ledger.sum")
        try here.settle(.main)
        journal.holdNews()
        for version in 1...4 { _ = try journal.kept.append([.amount("a", version, sum: version, version: version)]) }
        journal.releaseNews { news in
            switch way {
            case "backwards": news.reversed()
            case "only the last": [news[3]]
            case "none but the next": []
            default: news
            }
        }
        if way == "none but the next" { _ = try journal.kept.append([.amount("a", 5, sum: 5, version: 5)]) }
        let last = way == "none but the next" ? "sum=5" : "sum=4"
        try here.executor.run { told.events.last == last }
        #expect(told.events.count <= 5)
    }

    // Law D8
    @Test func `a commit of another server during an append of this one is not lost`() throws {
        let journal = FaultyJournal()
        let here = try Stand(journal, isShared: true)
        let told = here.watch("ledger.sum")
        try here.settle(.main)
        journal.holdNews()
        let reply = here.send("ledger/add", "a", 1)
        try here.waitForAppend(1)
        // The commit of the other server follows this server's, and arrives before the reply to it.
        try here.executor.run { (try? journal.load(.main)?.version) == 1 || reply.result != nil }
        _ = try journal.kept.append([.amount("b", 4, sum: 5, version: 2)])
        journal.releaseNews()
        _ = try here.wait(for: reply)
        try here.executor.run { told.events.last == "sum=5" }
        #expect(told.events == ["sum=0", "sum=1", "sum=5"])
    }

    // Law CL12
    @Test func `a watch keeps the moment of its values while the space is loaded again`() throws {
        let journal = FaultyJournal()
        let here = try Stand(journal, isShared: true)
        let told = here.watch("ledger.sum")
        try here.settle(.main)
        let watch = try #require(told.watch)
        journal.holdNews()
        for version in 1...3 { _ = try journal.kept.append([.amount("a", version, sum: version, version: version)]) }
        // The second commit is missing, so the space is loaded.
        journal.releaseNews { [$0[0], $0[2]] }
        here.executor.runOne()
        #expect(told.events.last == "sum=1" && watch.moment?.version == 1 && watch.isCurrent)
        here.executor.runOne()
        #expect(told.events.last == "sum=1" && watch.moment?.version == 1 && !watch.isCurrent)
        try here.executor.run { told.events.last == "sum=3" }
        #expect(watch.moment?.version == 3 && watch.isCurrent)
    }

    // Law CL12
    @Test func `a watch keeps the moment of its values when commits are undone`() throws {
        let journal = FaultyJournal()
        let here = try Stand(journal, isShared: true)
        let told = here.watch("ledger.sum")
        try here.settle(.main)
        try here.post("ledger/add", "a", 1)
        let watch = try #require(told.watch)
        var moments: [Int?] = []
        journal.holdNews()
        journal.intrude(.amount("b", 4, sum: 5, version: 2))
        let reply = here.send("ledger/add", "a", 1)
        try here.executor.run {
            moments.append(watch.moment?.version)
            return reply.result != nil
        }
        #expect(moments.allSatisfy { $0 ?? 0 >= 1 } && told.events.last == "sum=6")
    }

    // Law CL6
    @Test func `a read that waits for a load sees what was told during the load`() throws {
        let journal = MemoryJournal()
        let (writer, executor) = (HeldReader(journal), TestExecutor())
        let stores = try Stores(
            .ledger(Tally()), executors: [executor], writer: writer, isShared: true, seed: 1, clock: { Clock().now })
        defer { executor.close() }
        executor.runPosted()
        _ = try journal.append([.amount("a", 1, sum: 1, version: 1)])
        executor.runPosted()
        let look = Look()
        stores[0].read(["ledger.sum"], in: .main) { look.result = $0 }
        executor.runPosted()
        // The content was read before this commit, and arrives after it.
        _ = try journal.append([.amount("a", 2, sum: 2, version: 2)])
        executor.runPosted()
        #expect(look.result == nil)
        writer.answer()
        executor.runPosted()
        #expect(look.told == "sum=2")
    }

    // Law M5
    @Test func `changes of another server to common are shown here`() throws {
        let journal = FaultyJournal()
        let here = try Stand(journal, isShared: true)
        let there = try Stand(journal, isShared: true)
        let told = here.watch("rates.rate", "ledger.worth")
        try here.settle(.main)
        try there.post("rates/set", nil, 2, in: .common)
        try here.executor.run { told.events.last == "rate=2 worth=[0,2,0]" }
        try here.post("rates/set", nil, 3, in: .common)
        try there.executor.run { (try? there.read("rates.rate")) == "rate=3" }
        journal.holdNews()
        try there.post("rates/drop", "first", in: .common)
        try there.post("rates/set", nil, 4, in: .common)
        journal.releaseNews { Array($0.suffix(2)) }
        try here.executor.run { told.events.last == "rate=4 worth=[0,4,0]" }
        #expect(try here.read("rates.names") == #"names=["second=2"]"#)
    }
}
