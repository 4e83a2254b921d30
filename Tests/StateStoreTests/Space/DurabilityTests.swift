import StateStore
import Testing

struct DurabilityTests {
    // Laws D1, D2 and D3
    @Test func `actions run during an append, and undurable values are not visible`() throws {
        let stand = try Stand()
        let told = stand.watch("ledger.sum")
        try stand.settle(.main)
        stand.journal.hold()
        var order: [Int] = []
        let replies = [stand.send("ledger/add", "a", 1)]
        try stand.waitForAppend(1)
        let more = (0..<3).map { _ in stand.send("ledger/add", "a", 1) }
        let look = stand.ask(["ledger.sum"])
        let unchanged = stand.send("ledger/check")
        let refused = stand.send("ledger/remove", "b")
        let outdated = stand.send("ledger/check", ifVersion: 0)
        stand.executor.runPosted()
        for reply in replies + more + [unchanged, refused, outdated] { #expect(reply.told == "-") }
        #expect(look.told == "-")
        #expect(told.events == ["sum=0"])
        stand.journal.release()
        for (number, reply) in (replies + more).enumerated() {
            _ = try stand.wait(for: reply)
            order.append(number)
        }
        try stand.executor.run { look.result != nil && outdated.result != nil }
        #expect(stand.journal.asked.map(\.count) == [1, 3])
        #expect(told.events == (0...4).map { "sum=\($0)" })
        #expect(look.told == "sum=4")
        #expect(
            [unchanged, refused, outdated].map(\.told) == ["4", "conflict /name: there is no b", "changed(version: 4)"])
    }

    // Laws D4 and D5
    @Test func `if the journal fails, calls fail, no value was visible, and writing resumes by itself`() throws {
        let stand = try Stand()
        try stand.post("ledger/add", "a", 1)
        let told = stand.watch("ledger.sum", "ledger.amounts")
        try stand.settle(.main)
        stand.journal.hold()
        stand.journal.failAppends()
        let first = stand.send("ledger/add", "a", 1)
        try stand.waitForAppend(2)
        let others = [stand.send("ledger/add", "b", 1), stand.send("ledger/remove", "c"), stand.send("ledger/check")]
        let look = stand.ask(["ledger.sum", "ledger.amounts"])
        let late = stand.watch("ledger.sum")
        stand.journal.release()
        for reply in [first] + others { #expect(try stand.wait(for: reply) == "cannot write: the disk is full") }
        try stand.executor.run { look.result != nil }
        #expect(look.told == #"sum=1 amounts=["a=1"]"#)
        #expect(try stand.post("ledger/add", "a", 1) == "cannot write: the disk is full")
        #expect(try stand.read("ledger.sum") == "sum=1")
        #expect(late.events == ["sum=1"])
        stand.journal.failAppends(0)
        #expect(try stand.post("ledger/add", "a", 4) == "2 ledger.sum,ledger.amounts")
        #expect(told.events == [#"sum=1 amounts=["a=1"]"#, #"sum=5 amounts=["a=5"]"#])
        #expect(late.events == ["sum=1", "sum=5"])
    }

    // Law D5
    @Test func `if loads fail too, requests are refused, and succeed again later`() throws {
        let stand = try Stand()
        try stand.post("ledger/add", "a", 1)
        let told = stand.watch("ledger.sum")
        stand.journal.failAppends(1)
        stand.journal.failLoads(1)
        #expect(try stand.post("ledger/add", "a", 1) == "cannot write: the disk is full")
        #expect(try stand.read("ledger.sum") == "cannot read")
        #expect(try stand.post("ledger/add", "a", 2) == "2 ledger.sum,ledger.amounts")
        #expect(told.events == ["sum=1", "sum=3"])
    }

    // Law D4
    @Test func `a failure of one space does not outlive its batch, also when repeated`() throws {
        let stand = try Stand()
        stand.store.idleLimit = 0
        try stand.post("ledger/add", "a", 1)
        stand.journal.failAppends(40)
        for _ in 0..<40 { #expect(try stand.post("ledger/add", "a", 1) == "cannot write: the disk is full") }
        #expect(try stand.post("ledger/add", "a", 1) == "2 ledger.sum,ledger.amounts")
        #expect(stand.journal.asked.count == 42, "nothing was tried in vain")
    }

    // Law D1
    @Test func `a repeated answer during an append shows no undone value`() throws {
        let stand = try Stand()
        try stand.post("ledger/add", "a", 1, key: "k")
        stand.journal.hold()
        stand.journal.failAppends(1)
        let lost = stand.send("ledger/add", "a", 5)
        let again = stand.send("ledger/add", "a", 1, key: "k", views: ["ledger.sum"])
        try stand.waitForAppend(2)
        stand.journal.release()
        #expect(try stand.wait(for: lost) == "cannot write: the disk is full")
        #expect(try stand.wait(for: again) == "again 1 ledger.sum,ledger.amounts sum=1")
    }

    // Law D6
    @Test func `if another server commits first, the space is reloaded and the action is retried`() throws {
        let stand = try Stand()
        try stand.post("ledger/add", "a", 1)
        let told = stand.watch("ledger.sum", "ledger.amounts")
        stand.journal.intrude(.amount("b", 10, sum: 11, version: 2))
        #expect(try stand.post("ledger/add", "a", 1, views: ["ledger.sum"]) == "3 ledger.sum,ledger.amounts sum=12")
        stand.journal.intrude(.amount("b", 20, sum: 22, version: 4), .amount("b", 30, sum: 32, version: 5))
        #expect(try stand.post("ledger/add", "a", 1, views: ["ledger.sum"]) == "6 ledger.sum,ledger.amounts sum=33")
        #expect(
            told.events == [
                #"sum=1 amounts=["a=1"]"#, #"sum=11 amounts=["a=1","b=10"]"#, #"sum=12 amounts=["a=2","b=10"]"#,
                #"sum=32 amounts=["a=2","b=30"]"#, #"sum=33 amounts=["a=3","b=30"]"#,
            ])
    }

    // Law D6
    @Test func `actions built on a refused commit are retried too, even if their version fits`() throws {
        let stand = try Stand()
        try stand.settle(.main)
        stand.journal.hold()
        let first = stand.send("ledger/stamp", in: .other)
        try stand.waitForAppend(1)
        let replies = (1...3).map { stand.send("ledger/add", "a", $0, views: ["ledger.sum"]) }
        stand.journal.intrude()
        stand.journal.intrude(.amount("b", 10, sum: 10, version: 1))
        stand.journal.release()
        _ = try stand.wait(for: first)
        let told = try replies.map { try stand.wait(for: $0) }
        #expect(told == [(2, 11), (3, 13), (4, 16)].map { "\($0) ledger.sum,ledger.amounts sum=\($1)" })
        #expect(try stand.commits().map(\.action) == ["ledger/other"] + Array(repeating: "ledger/add", count: 3))
    }

    // Law D6
    @Test func `an action that always loses to other servers fails and changes nothing`() throws {
        let stand = try Stand()
        for version in 1...40 { stand.journal.intrude(.amount("b", version, sum: version, version: version)) }
        #expect(try stand.post("ledger/add", "a", 1) == "contended")
        #expect(try stand.commits().allSatisfy { $0.action == "ledger/other" })
        #expect(stand.journal.asked.count == 17)
    }

    // Law D6
    @Test func `a retried action that the state no longer permits is rejected`() throws {
        let stand = try Stand()
        try stand.post("ledger/add", "a", 1)
        stand.journal.intrude(.amount("a", nil, sum: 0, version: 2))
        #expect(try stand.post("ledger/remove", "a") == "conflict /name: there is no a")
        stand.journal.intrude(.amount("a", 3, sum: 3, version: 3))
        #expect(try stand.post("ledger/add", "b", 1, ifVersion: 2) == "changed(version: 3)")
    }
}

extension CommitRecord {
    /// A commit of another server that sets an amount in the ledger of the space `main`.
    static func amount(_ name: String, _ amount: Int?, sum: Int, version: Int, space: SpaceName = .main) -> CommitRecord
    {
        CommitRecord(
            space: space, version: version, at: Timestamp(microseconds: 0), action: "ledger/other", input: nil,
            facts: [
                Fact(variable: "ledger.sum", value: Array("\(sum)".utf8)),
                Fact(variable: "ledger.amounts", entry: name, value: amount.map { Array("\($0)".utf8) }),
            ])
    }

    /// A commit of another server that sets the rate in `common`.
    static func rate(_ rate: Int, version: Int) -> CommitRecord {
        CommitRecord(
            space: .common, version: version, at: Timestamp(microseconds: 0), action: "rates/other", input: nil,
            facts: [Fact(variable: "rates.rate", value: Array("\(rate)".utf8))])
    }
}
