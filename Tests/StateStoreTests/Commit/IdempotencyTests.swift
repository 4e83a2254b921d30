import StateStore
import Testing

struct IdempotencyTests {
    // Law K7
    @Test func `two calls with one key are performed once`() throws {
        let stand = try Stand()
        #expect(try stand.post("ledger/add", "a", 1, key: "k") == "1 ledger.sum,ledger.amounts")
        try stand.post("ledger/add", "a", 5)
        #expect(
            try stand.post("ledger/add", "a", 1, key: "k", views: ["ledger.sum"])
                == "again 1 ledger.sum,ledger.amounts sum=6")
        #expect(try stand.post("ledger/add", "a", 1, in: .other, key: "k") == "1 ledger.sum,ledger.amounts")
        #expect(try stand.commits().count == 2)
    }

    // Law K7
    @Test func `two concurrent calls with one key are performed once`() throws {
        let stand = try Stand()
        let replies = (0..<3).map { _ in stand.send("ledger/add", "a", 1, key: "k") }
        let told = try replies.map { try stand.wait(for: $0) }
        #expect(
            told == ["1 ledger.sum,ledger.amounts"] + Array(repeating: "again 1 ledger.sum,ledger.amounts", count: 2))
        #expect(try stand.commits().count == 1)
    }

    // Law K7
    @Test(arguments: [("ledger/add", "b", 1), ("ledger/add", "a", 2), ("ledger/remove", "a", 1)])
    func `a key cannot be used for another call`(_ action: String, _ name: String, _ amount: Int) throws {
        let stand = try Stand()
        try stand.post("ledger/add", "a", 1, key: "k")
        #expect(try stand.post(action, name, amount, key: "k") == "keyReused")
        stand.store.idleLimit = 0
        try stand.post("ledger/check")
        #expect(try stand.post(action, name, amount, key: "k") == "keyReused", "also when the space has come back")
        #expect(try stand.commits().count == 1)
    }

    // Law K7
    @Test func `a key is stored across unloading and a restart`() throws {
        let journal = FaultyJournal()
        let first = try Stand(journal)
        try first.post("ledger/add", "a", 1, key: "k")
        first.store.idleLimit = 0
        try first.post("ledger/check")
        #expect(first.store.loadedCount == 0)
        #expect(try first.post("ledger/add", "a", 1, key: "k") == "again 1 ledger.sum,ledger.amounts")
        let second = try Stand(journal)
        #expect(try second.post("ledger/add", "a", 1, key: "k") == "again 1 ledger.sum,ledger.amounts")
    }

    // Law K7
    @Test func `the repetition of an action without changes is not performed on a later state`() throws {
        let journal = FaultyJournal()
        let first = try Stand(journal)
        try first.post("ledger/add", "a", 1)
        try first.post("ledger/clear")
        #expect(try first.post("ledger/clear", key: "k") == "2")
        try first.post("ledger/add", "a", 1)
        #expect(try first.post("ledger/clear", key: "k") == "again 2")
        let second = try Stand(journal)
        #expect(try second.post("ledger/clear", key: "k") == "again 2")
        #expect(try second.read("ledger.sum") == "sum=1")
    }

    /// Deletes the space, and waits for the reply.
    private func forget(_ stand: Stand) throws {
        var isForgotten: Bool?
        stand.store.forget(.main) { isForgotten = try? $0.get() }
        try stand.executor.run { isForgotten != nil }
        #expect(isForgotten == true)
    }

    // Laws K7 and H8
    @Test(arguments: [false, true])
    func `a key of a deleted space is free at once`(isUsedBetween: Bool) throws {
        let stand = try Stand()
        try stand.post("ledger/add", "a", 1, key: "k")
        try forget(stand)
        // The space exists again; the journal must not find the key under its name either.
        if isUsedBetween { try stand.post("ledger/add", "b", 2) }
        #expect(try stand.post("ledger/add", "a", 5, key: "k").hasPrefix(isUsedBetween ? "2 " : "1 "))
        #expect(try stand.read("ledger.sum") == (isUsedBetween ? "sum=7" : "sum=5"))
        #expect(try stand.post("ledger/add", "a", 5, key: "k").hasPrefix("again"))
    }

    // Laws K7 and H8
    @Test func `an answer looked up before a deletion is not repeated after it`() throws {
        let stand = try Stand()
        try stand.post("ledger/add", "a", 1, key: "k")
        stand.store.idleLimit = 0
        try stand.post("ledger/check")
        var isForgotten = false
        // The look-up of the key starts before the deletion and ends during it.
        try stand.settle(.main)
        let reply = stand.send("ledger/add", "a", 1, key: "k")
        stand.store.forget(.main) { _ in isForgotten = true }
        #expect(try stand.wait(for: reply) == "1 ledger.sum,ledger.amounts")
        #expect(isForgotten)
        #expect(try stand.read("ledger.sum") == "sum=1")
    }

    // Law K7
    @Test func `a rejected action leaves its key free`() throws {
        let stand = try Stand()
        #expect(try stand.post("ledger/remove", "a", key: "k").hasPrefix("conflict"))
        try stand.post("ledger/add", "a", 1)
        #expect(try stand.post("ledger/remove", "a", key: "k") == "2 ledger.sum,ledger.amounts")
    }

    // Laws K7 and D4
    @Test func `an action that was not stored leaves its key free, and waiting calls run themselves`() throws {
        let stand = try Stand()
        stand.journal.failAppends(1)
        let replies = (0..<2).map { _ in stand.send("ledger/add", "a", 1, key: "k") }
        let told = try replies.map { try stand.wait(for: $0) }
        #expect(told == ["cannot write: the disk is full", "1 ledger.sum,ledger.amounts"])
        #expect(try stand.commits().count == 1)
    }

    // Law K7
    @Test(
        arguments: [(24, 0, "again 1 ledger.sum,ledger.amounts"), (24, 1, "2 ledger.sum,ledger.amounts")],
        [false, true])
    func `a key expires after 24 hours`(
        _ time: (hours: Int, microseconds: Int, told: String), comesBack: Bool
    ) throws {
        let stand = try Stand()
        try stand.post("ledger/add", "a", 1, key: "k")
        if comesBack { stand.store.idleLimit = 0 }
        stand.clock.advance(hours: time.hours, microseconds: Int64(time.microseconds))
        try stand.post("ledger/check")
        #expect(try stand.post("ledger/add", "a", 1, key: "k") == time.told)
    }

    // Laws K7 and D6
    @Test func `an action that another server committed first with the same key is not performed again`() throws {
        let stand = try Stand()
        let twin = try Stand(FaultyJournal())
        try twin.post("ledger/add", "a", 1, key: "k")
        stand.journal.intrude(try twin.commits()[0])
        #expect(try stand.post("ledger/add", "a", 1, key: "k") == "again 1 ledger.sum,ledger.amounts")
        #expect(try stand.read("ledger.sum") == "sum=1")
    }

    // Laws K7 and D8
    @Test func `an action that another server performs during the look-up is not performed again`() throws {
        let journal = FaultyJournal()
        let stand = try Stand(journal, isShared: true)
        let twin = try Stand(FaultyJournal())
        try twin.post("ledger/add", "a", 1, key: "k")
        try stand.settle(.main)
        let reply = stand.send("ledger/add", "a", 1, key: "k")
        // The look-up may have started or not. Its result waits until the commit of the other server has arrived too.
        _ = try journal.kept.append(try twin.commits())
        #expect(try stand.wait(for: reply).hasPrefix("again 1"))
        #expect(try stand.commits().count == 1)
    }
}
