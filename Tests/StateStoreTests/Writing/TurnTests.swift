import StateStore
import Testing

/// The requests of one turn reach the journal together.
struct TurnTests {
    private func spaces(_ count: Int) -> [SpaceName] { (0..<count).compactMap { SpaceName("s\($0)") } }

    // Law D13
    @Test func `the loads of one turn are one call of the journal`() throws {
        let stand = try Stand()
        let looks = spaces(10).map { stand.ask(["ledger.sum"], in: $0) }
        for look in looks { try stand.executor.run { look.result != nil } }
        #expect(stand.journal.loaded == [spaces(10)])
        #expect(looks.allSatisfy { $0.told == "sum=0" })
    }

    // Law D13
    @Test func `a failed load does not affect the other loads`() throws {
        let stand = try Stand()
        stand.journal.failLoad(of: spaces(3)[1])
        let looks = spaces(3).map { stand.ask(["ledger.sum"], in: $0) }
        for look in looks { try stand.executor.run { look.result != nil } }
        #expect(looks.map(\.told) == ["sum=0", "cannot read", "sum=0"])
    }

    // Law D12
    @Test func `a journal that need not wait appends at the end of the turn, on the thread of the store`()
        throws
    {
        let stand = try Stand()
        try stand.settle(.main)
        stand.journal.allowAppendsAtOnce()
        let replies = (0..<5).map { _ in stand.send("ledger/add", "a", 1) }
        #expect(stand.journal.atOnce.isEmpty)
        // The test waits for no other thread.
        stand.executor.runPosted()
        #expect(stand.journal.atOnce.map(\.count) == [5])
        #expect(stand.journal.asked.isEmpty)
        #expect(replies.map(\.told) == (1...5).map { "\($0) ledger.sum,ledger.amounts" })
    }

    // Laws D3 and D12
    @Test func `while the appending thread has commits of a store, it appends the later ones too`() throws {
        let stand = try Stand()
        try stand.settle(.main)
        stand.journal.allowAppendsAtOnce()
        stand.journal.refuseAppendsAtOnce(2)
        stand.journal.hold()
        let first = stand.send("ledger/add", "a", 1)
        stand.executor.runPosted()
        let second = stand.send("ledger/add", "a", 1)
        stand.executor.runPosted()
        #expect(stand.journal.atOnce.isEmpty)
        stand.journal.release()
        #expect(try stand.wait(for: first) == "1 ledger.sum,ledger.amounts")
        #expect(try stand.wait(for: second) == "2 ledger.sum,ledger.amounts")
        // The thread may have taken both at once.
        #expect(stand.journal.asked.flatMap { $0 }.map(\.version) == [1, 2])
        let third = stand.send("ledger/add", "a", 1)
        stand.executor.runPosted()
        #expect(third.told == "3 ledger.sum,ledger.amounts")
        #expect(stand.journal.atOnce.map(\.count) == [1])
    }

    // Laws D4 and D12
    @Test func `a failed append at once fails each call, and the next append succeeds`() throws {
        let stand = try Stand()
        try stand.settle(.main)
        stand.journal.allowAppendsAtOnce()
        stand.journal.failAppends(1)
        let replies = (0..<3).map { _ in stand.send("ledger/add", "a", 1, views: ["ledger.sum"]) }
        for reply in replies { #expect(try stand.wait(for: reply) == "cannot write: the disk is full") }
        let next = stand.send("ledger/add", "a", 1, views: ["ledger.sum"])
        #expect(try stand.wait(for: next) == "1 ledger.sum,ledger.amounts sum=1")
    }
}
