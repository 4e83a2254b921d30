import StateStore
import Testing

struct WatchTests {
    // Law P2
    @Test func `a view is computed only while it has subscribers, once for all of them`() throws {
        let stand = try Stand()
        try stand.post("ledger/add", "a", 1)
        #expect(stand.tally.taken("sum") == 0)
        let watches = (0..<5).map { _ in stand.watch("ledger.sum") }
        #expect(stand.tally.taken("sum") == 1)
        try stand.post("ledger/add", "a", 1)
        #expect(stand.tally.taken("sum") == 1)
        #expect(watches.allSatisfy { $0.events == ["sum=1", "sum=2"] })
        for told in watches { told.watch = nil }
        try stand.post("ledger/add", "a", 1)
        #expect(stand.tally.taken("sum") == 0)
    }

    // Law P2
    @Test func `a view without subscribers is computed once for each version that is read`() throws {
        let stand = try Stand()
        try stand.post("ledger/add", "a", 1)
        for _ in 0..<3 { #expect(try stand.read("ledger.sum") == "sum=1") }
        #expect(stand.tally.taken("sum") == 1)
    }

    // Law P6
    @Test func `notifications show one moment each, at most one per moment, in order`() throws {
        let stand = try Stand()
        let told = stand.watch("ledger.sum", "ledger.total", "ledger.amounts")
        let replies = (1...20).map { _ in stand.send("ledger/add", "a", 1) }
        for reply in replies { _ = try stand.wait(for: reply) }
        #expect(told.events == (0...20).map { "sum=\($0) total=\($0) amounts=\($0 == 0 ? "[]" : "[\"a=\($0)\"]")" })
    }

    // Law P6
    @Test func `a watch that begins during commits delivers from the version it has read`() throws {
        let stand = try Stand()
        try stand.settle(.main)
        stand.journal.hold()
        let first = stand.send("ledger/add", "a", 1)
        try stand.waitForAppend(1)
        let second = stand.send("ledger/add", "a", 1)
        let told = stand.watch("ledger.sum")
        let third = stand.send("ledger/add", "a", 1)
        stand.executor.runPosted()
        #expect(told.events.isEmpty)
        stand.journal.release()
        for reply in [first, second, third] { _ = try stand.wait(for: reply) }
        #expect(told.events == ["sum=2", "sum=3"])
    }

    // Laws P4, P6
    @Test func `a watch that began beside a first commit which was not stored hears the next one`() throws {
        let stand = try Stand()
        try stand.settle(.main)
        stand.journal.failAppends(1)
        stand.journal.hold()
        let first = stand.send("ledger/add", "a", 1)
        try stand.waitForAppend(1)
        let told = stand.watch("ledger.sum")
        stand.executor.runPosted()
        stand.journal.release()
        #expect(try stand.wait(for: first) == "cannot write: the disk is full")
        try stand.executor.run { !told.events.isEmpty }
        for number in 1...3 { #expect(try stand.post("ledger/add", "a", 1).hasPrefix("\(number) ")) }
        #expect(told.events == ["sum=0", "sum=1", "sum=2", "sum=3"])
    }

    // Law P7
    @Test func `a cancelled or released watch delivers nothing more`() throws {
        let stand = try Stand()
        let cancelled = stand.watch("ledger.sum")
        let released = stand.watch("ledger.sum")
        try stand.settle(.main)
        let reply = stand.send("ledger/add", "a", 1)
        cancelled.watch?.cancel()
        released.watch = nil
        _ = try stand.wait(for: reply)
        #expect(cancelled.events == ["sum=0"])
        #expect(released.events == ["sum=0"])
    }

    // Law P7
    @Test func `a watch can be cancelled during its own delivery or that of another`() throws {
        let stand = try Stand()
        let first = stand.watch("ledger.sum")
        let second = stand.watch("ledger.sum")
        try stand.settle(.main)
        first.onNews = { [unowned first] in
            first.watch?.cancel()
            second.watch = nil
        }
        try stand.post("ledger/add", "a", 1)
        try stand.post("ledger/add", "a", 1)
        #expect(first.events == ["sum=0", "sum=1"])
        #expect(second.events == ["sum=0"])
    }

    // Law P7
    @Test func `a watch that ends before its space is loaded delivers nothing`() throws {
        let stand = try Stand()
        let told = stand.watch("ledger.sum")
        told.watch = nil
        try stand.settle(.main)
        #expect(told.events.isEmpty)
    }

    // Law P8
    @Test(arguments: [true, false])
    func `a subscriber may act, read and watch during a delivery`(isCommon: Bool) throws {
        let stand = try Stand()
        let told = stand.watch("ledger.sum", "rates.rate")
        try stand.settle(.main)
        var later: (reply: Reply, look: Look, told: Told)?
        told.onNews = {
            told.onNews = nil
            later = (
                stand.send("ledger/add", "b", 1), stand.ask(["ledger.sum", "rates.rate"]), stand.watch("rates.rate")
            )
        }
        if isCommon { try stand.post("rates/set", nil, 5, in: .common) } else { try stand.post("ledger/add", "a", 1) }
        try stand.executor.run { later?.look.result != nil && later?.reply.result != nil }
        let sum = isCommon ? 1 : 2
        let rate = isCommon ? 5 : 1
        #expect(later?.reply.told == "\(sum) ledger.sum,ledger.amounts")
        #expect(later?.look.told == "sum=\(sum) rate=\(rate)")
        #expect(later?.told.events == ["rate=\(rate)"])
    }

    // Law P8
    @Test func `a reply may perform the next action at once, repeatedly`() throws {
        let stand = try Stand()
        var answers = 0
        func next(_ result: Result<Answer, Refusal>) {
            answers += 1
            if answers < 100 { stand.store.perform(Call(feature: "ledger", action: "stamp"), in: .main, next) }
        }
        stand.store.perform(Call(feature: "ledger", action: "stamp"), in: .main, next)
        try stand.executor.run { answers == 100 }
        #expect(try stand.commits().map(\.version) == Array(1...100))
    }

    // Law P9
    @Test func `a failed view recovers with the state, and other views keep their values`() throws {
        let stand = try Stand()
        let told = stand.watch("ledger.brittle", "ledger.sum")
        try stand.settle(.main)
        for amount in [12, 1, 1, -1, 2] { try stand.post("ledger/add", "a", amount) }
        #expect(told.events.map { $0.contains("failed") } == [false, false, true, false, true, false])
        #expect(told.events.last == "brittle=15 sum=15" || told.events.last == "sum=15 brittle=15")
        #expect(told.news.allSatisfy { $0.count == 2 })
        #expect(try stand.read("ledger.brittle") == "brittle=15")
    }

    // Law P9
    @Test func `a view that has failed before its watch recovers with the state`() throws {
        let stand = try Stand()
        try stand.post("ledger/add", "a", 13)
        let told = stand.watch("ledger.brittle", "ledger.sum")
        try stand.settle(.main)
        #expect(told.events.map { $0.contains("failed") } == [true])
        try stand.post("ledger/add", "a", 2)
        #expect(told.events.last?.contains("brittle=15") == true, "\(told.events)")
    }

    @Test func `an unknown view is refused`() throws {
        let stand = try Stand()
        let told = stand.watch("ledger.nothing")
        stand.executor.runPosted()
        #expect(told.events == [#"noSuchView("ledger.nothing")"#])
        #expect(try stand.read("ledger.sum", in: .common) == #"noSuchView("ledger.sum")"#)
    }

    // Law P7
    @Test func `a refusal arrives once, after watch has returned, unless the watch was cancelled before`() throws {
        let stand = try Stand()
        let refused = stand.watch("ledger.nothing")
        #expect(refused.events.isEmpty)
        let cancelled = stand.watch("ledger.nothing")
        cancelled.watch = nil
        stand.executor.runPosted()
        #expect(refused.events == ["noSuchView(\"ledger.nothing\")"])
        #expect(cancelled.events.isEmpty)
    }
}
