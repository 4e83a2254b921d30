import Reactive
import StateStore
import Streams
import Testing

/// Views of streams that remember.
struct RememberingTests {
    private static let sum =
        #"{"id":"sum","source":{"view":"numbers.one"},"operators":[{"scan":{"initialValue":0,"expression":"accumulated + value"}}]}"#
    private static let changes =
        #"{"id":"changes","source":{"view":"numbers.one"},"operators":[{"dropFirst":{"count":1}},{"scan":{"initialValue":0,"expression":"accumulated + 1"}}]}"#

    @Test(arguments: [false, true])
    func `a stream counts each commit, watched or not: Law HISTORY1`(isWatched: Bool) throws {
        let yard = try Yard(formulas: .cel)
        _ = yard.put(Self.changes)
        let told = isWatched ? yard.watch("streams.changes") : nil
        #expect(yard.get("streams.changes") == "streams.changes=null")
        for (number, one) in [5, 6, 7].enumerated() {
            yard.post("numbers/set", #"{"one":\#(one)}"#)
            #expect(yard.get("streams.changes") == "streams.changes=\(number + 1)")
        }
        if let told { #expect(told.events == ["null", "1", "2", "3"].map { "streams.changes=\($0)" }) }
    }

    @Test func `an answer shows what the stream remembers of its commit`() throws {
        let yard = try Yard(formulas: .cel)
        _ = yard.put(Self.sum)
        #expect(yard.get("streams.sum") == "streams.sum=1")
        #expect(yard.post("numbers/set", #"{"one":5}"#, views: ["streams.sum"]) == "2 numbers.one")
        #expect(yard.get("streams.sum") == "streams.sum=6")
    }

    @Test func `memory survives a restart and an eviction: Law HISTORY1`() throws {
        let journal = MemoryJournal()
        var yard = try Yard(journal, formulas: .cel)
        _ = yard.put(Self.sum)
        for one in [5, 6] {
            yard.post("numbers/set", #"{"one":\#(one)}"#)
            yard = try Yard(journal, formulas: .cel)
            #expect(yard.store.loadedCount == 0)
        }
        #expect(yard.get("streams.sum") == "streams.sum=12")
    }

    @Test func `memory is facts of the commit, which the answer does not list: Law HISTORY3`() throws {
        let journal = MemoryJournal()
        let yard = try Yard(journal, formulas: .cel)
        _ = yard.put(Self.sum)
        #expect(yard.post("numbers/set", #"{"one":5}"#) == "2 numbers.one")
        let commits = try yard.commits(after: 1)
        #expect(commits.count == 1)
        #expect(commits[0].facts.map(\.variable) == ["numbers.one", "~streams.sum"])
        #expect(commits[0].changed == ["numbers.one"])
    }

    @Test func `an equal definition changes nothing; another one begins anew; a removed one leaves nothing`() throws {
        let journal = MemoryJournal()
        let yard = try Yard(journal, formulas: .cel)
        _ = yard.put(Self.sum)
        yard.post("numbers/set", #"{"one":5}"#)
        _ = yard.put(Self.sum)
        #expect(yard.get("streams.sum") == "streams.sum=6")
        _ = yard.put(
            #"{"id":"sum","source":{"view":"numbers.one"},"operators":[{"scan":{"initialValue":100,"expression":"accumulated + value"}}]}"#
        )
        #expect(yard.get("streams.sum") == "streams.sum=105")
        yard.post("streams/remove", #"{"id":"sum"}"#)
        let stored = try journal.load(yard.space)
        #expect(stored?.facts.contains { $0.variable.hasPrefix("~") } == false)
        _ = yard.put(Self.sum)
        #expect(yard.get("streams.sum") == "streams.sum=5")
    }

    @Test func `a failure is memory, and the commit stands: Law HISTORY5`() throws {
        let journal = MemoryJournal()
        let yard = try Yard(journal, formulas: .cel)
        _ = yard.put(
            #"{"id":"list","source":{"view":"numbers.one"},"operators":[{"collect":{"count":2}},{"map":{"expression":"value.nothing"}}]}"#
        )
        #expect(yard.post("numbers/set", #"{"one":5}"#) == "2 numbers.one")
        let failed = yard.get("streams.list")
        #expect(failed.hasPrefix("streams.list failed"))
        yard.post("numbers/set", #"{"one":6}"#)
        #expect(try Yard(journal, formulas: .cel).get("streams.list") == failed)
    }

    @Test func `collected values are one entry each: Law HISTORY3`() throws {
        let journal = MemoryJournal()
        let yard = try Yard(journal, formulas: .cel)
        _ = yard.put(#"{"id":"list","source":{"view":"numbers.one"},"operators":[{"collect":{"count":100}}]}"#)
        for one in 2...50 { yard.post("numbers/set", #"{"one":\#(one)}"#) }
        let commits = try yard.commits(after: 49)
        #expect(commits[0].facts.map(\.entry) == [nil, "operators/0/49"])
        let again = try Yard(journal, formulas: .cel)
        for one in 51...100 { again.post("numbers/set", #"{"one":\#(one)}"#) }
        #expect(again.get("streams.list").hasPrefix("streams.list=[1,2,3,"))
    }

    @Test(arguments: ["retry", "catch", "flatMap", "concatMap", "switchToLatest", "share"])
    func `an operator for runs only makes no view, and the refusal names it`(name: String) throws {
        let yard = try Yard(formulas: .cel)
        let argument =
            switch name {
            case "retry": #"{"count":1}"#
            case "share": "{}"
            default: #"{"source":{"view":"numbers.one"}}"#
            }
        #expect(yard.put(#"{"id":"x","source":{"view":"numbers.one"},"operators":[{"\#(name)":\#(argument)}]}"#) != "")
        #expect(yard.get("streams.x").contains("the operator \(name)"))
    }

    @Test func `a view by time changes in a commit of its own, also after a restart: Law HISTORY4`() throws {
        let journal = MemoryJournal()
        var yard = try Yard(journal, formulas: .cel)
        _ = yard.put(#"{"id":"calm","source":{"view":"numbers.one"},"operators":[{"debounce":{"seconds":1}}]}"#)
        #expect(yard.get("streams.calm") == "streams.calm=null")
        yard.clock.advance(by: .milliseconds(999))
        #expect(yard.get("streams.calm") == "streams.calm=null")
        yard.clock.advance(by: .milliseconds(1))
        yard.here.run()
        #expect(yard.get("streams.calm") == "streams.calm=1")
        let commits = try yard.commits(after: 1)
        #expect(commits.map(\.action) == ["streams/elapsed"])
        #expect(String(decoding: commits[0].input ?? [], as: UTF8.self) == #"{"due":"1970-01-01T00:00:01.000001Z"}"#)
        yard.post("numbers/set", #"{"one":5}"#)
        yard = try Yard(journal, formulas: .cel)
        yard.clock.advance(by: .seconds(3))
        #expect(yard.get("streams.calm") == "streams.calm=1")
        yard.here.run()
        #expect(yard.get("streams.calm") == "streams.calm=5")
        yard.clock.advance(by: .seconds(60))
        yard.here.run()
        #expect(yard.store.stamp(of: yard.space)?.moment.version == 4)
    }

    @Test func `commits themselves are a source`() throws {
        let journal = MemoryJournal()
        let yard = try Yard(journal, formulas: .cel)
        let put = yard.put(
            #"{"id":"total","source":{"fold":{"over":{"changes":["numbers/set"]},"initialValue":0,"expression":"accumulated + change.input.one"}}}"#
        )
        #expect(put == "1 streams.definitions")
        #expect(yard.get("streams.total") == "streams.total=0")
        yard.post("numbers/set", #"{"one":5}"#)
        yard.post("numbers/set", #"{"one":5}"#)
        yard.post("numbers/set", #"{"one":6}"#)
        #expect(yard.get("streams.total") == "streams.total=11")
        #expect(try Yard(journal, formulas: .cel).get("streams.total") == "streams.total=11")
        #expect(
            yard.put(
                #"{"id":"none","source":{"fold":{"over":{"changes":["numbers/sit"]},"initialValue":0,"expression":"accumulated"}}}"#
            ).contains("there is no action"))
    }
}

/// Alarms of spaces that are not loaded.
struct SleepingTests {
    static let calm =
        #"{"id":"calm","source":{"view":"market.amount"},"operators":[{"debounce":{"seconds":1}}]}"#

    @Test func `overdue alarms go off after a restart, in order, once: Law HISTORY4`() throws {
        let market = try Market()
        let names = (0..<100).map { SpaceName("s\($0)")! }
        for name in names {
            #expect(market.post("streams/put", Self.calm, in: name))
            market.clock.advance(by: .milliseconds(1))
        }
        try market.restart()
        #expect(market.store.loadedCount == 0)
        market.clock.advance(by: .seconds(60))
        market.here.run()
        try market.restart()
        market.clock.advance(by: .seconds(60))
        market.here.run()
        for name in names {
            let commits = try market.commits(of: name)
            #expect(commits.map(\.action) == ["streams/put", "streams/elapsed"])
        }
        #expect(try market.journal.alarms(upTo: .latest, limit: 1).first?.at == nil)
    }

    @Test func `an evicted space wakes for its alarm: Law HISTORY4`() throws {
        let market = try Market()
        #expect(market.post("streams/put", Self.calm))
        market.evict()
        #expect(market.store.loadedCount == 0)
        market.clock.advance(by: .seconds(2))
        market.here.run()
        #expect(try market.commits().map(\.action) == ["streams/put", "streams/elapsed"])
        #expect(market.get("streams.calm") == "0")
    }

    @Test func `a space makes at most ten commits by time a second: Law HISTORY4`() throws {
        let market = try Market()
        let delay = #"{"id":"delay","source":{"view":"market.amount"},"operators":[{"delay":{"seconds":1}}]}"#
        #expect(market.post("streams/put", delay))
        for amount in 1...50 {
            market.clock.advance(by: .milliseconds(5))
            #expect(market.post("market/set", #"{"amount":\#(amount)}"#))
        }
        market.clock.advance(by: .seconds(2))
        market.here.run()
        let elapsed = try market.commits().filter { $0.action == "streams/elapsed" }
        #expect(elapsed.count <= 20)
        #expect(elapsed.map(\.at) == elapsed.map(\.at).sorted())
        #expect(market.get("streams.delay") == "50")
    }
}

/// Streams that begin with the history of their space.
struct BeginningTests {
    @Test func `a stream that begins at 0 is as if it had been there from the start: Law HISTORY1`() throws {
        let market = try Market()
        let others = ModelledStream.all.filter { !["calm", "delayed"].contains($0.id) }
        for amount in 1...5 {
            #expect(market.post("market/set", #"{"amount":\#(amount),"other":\#(amount % 2)}"#))
            #expect(market.post("rates/set", #"{"rate":\#(amount)}"#, in: .common))
        }
        for (index, stream) in others.enumerated() {
            let document = "{\"id\":\"\(stream.id)\",\"begin\":0,\(stream.body)}"
            #expect(try market.putReplayed(document) == 6 + index)
            let start = MarketMoment(version: 0, now: 0, amount: 0, other: 0, total: 0, isElapsed: false, action: "")
            #expect(
                market.get("streams.\(stream.id)") == stream.value([start] + (try market.moments(from: 1))),
                "\(stream.id)")
        }
        #expect(
            !market.post(
                "streams/put", #"{"id":"x","begin":0,"source":{"view":"market.amount"},"operators":[{"first":{}}]}"#))
    }
}

/// Journals of programs without memory.
struct OlderJournalTests {
    @Test func `a stream without memory begins with the next commit: Law HISTORY1`() throws {
        let market = try Market()
        let sum = try #require(ModelledStream.all.first { $0.id == "sum" })
        let facts = [
            Fact(variable: "market.amount", value: Array("3".utf8)),
            Fact(variable: "streams.definitions", value: Array("{\"sum\":\(sum.document)}".utf8)),
        ]
        _ = try market.journal.append([
            CommitRecord(
                space: market.space, version: 1, at: Timestamp(microseconds: 0), action: "streams/put", input: nil,
                facts: facts)
        ])
        try market.restart()
        #expect(market.get("streams.sum") == "null")
        #expect(market.post("market/set", #"{"other":1}"#))
        #expect(market.get("streams.sum") == "3")
        #expect(market.post("market/set", #"{"amount":4}"#))
        try market.restart()
        #expect(market.get("streams.sum") == "7")
    }
}

/// Alarms beside spaces that do not follow theirs.
struct StuckAlarmTests {
    @Test func `a space that cannot be loaded does not delay the alarms of others: Law HISTORY4`() throws {
        let market = try Market()
        #expect(market.post("streams/put", SleepingTests.calm))
        let bad = CommitRecord(
            space: SpaceName("bad")!, version: 1, at: Timestamp(microseconds: 0), action: "market/set", input: nil,
            facts: [Fact(variable: "market.amount", value: Array("\"none\"".utf8))],
            alarm: Timestamp(microseconds: 500_000))
        _ = try market.journal.append([bad])
        try market.restart()
        market.clock.advance(by: .milliseconds(1_500))
        market.here.run()
        #expect(try market.commits().map(\.action) == ["streams/put", "streams/elapsed"])
        #expect(try market.journal.alarms(upTo: .latest, limit: 1).first?.at == Timestamp(microseconds: 500_000))
        #expect(market.post("market/set", #"{"amount":3}"#))
        market.evict()
        market.clock.advance(by: .milliseconds(1_500))
        market.here.run()
        #expect(try market.commits().last?.action == "streams/elapsed")
    }
}
