import JSON
import Reactive
import StateStore
import Streams
import Testing

/// Alarms beside actions, and beside each other.
struct AlarmTests {
    /// Advances the time in small steps.
    private static func advance(_ market: Market, to milliseconds: Int) {
        while market.clock.now < .zero + .milliseconds(milliseconds) {
            market.clock.advance(by: .milliseconds(10))
            market.here.run()
        }
    }

    private static func put(_ market: Market, _ id: String, _ source: String, _ operators: String...) {
        let document = #"{"id":"\#(id)","source":\#(source),"operators":[\#(operators.joined(separator: ","))]}"#
        #expect(market.post("streams/put", document), "\(document)")
    }

    private static let listed = #"{"scan":{"initialValue":[],"expression":"accumulated + [value]"}}"#

    private static func behind(_ view: String, _ operators: String) -> String {
        #"{"source":{"view":"market.\#(view)"},"operators":[\#(operators)]}"#
    }

    @Test func `late alarms go off before an action publishes its values: Law KEPT2`() throws {
        let market = try Market()
        #expect(market.post("market/set", #"{"amount":1,"other":1}"#))
        let late = [
            Self.behind("other", #"{"delay":{"seconds":0.52}},{"map":{"expression":"value + 100"}}"#),
            Self.behind("amount", #"{"debounce":{"seconds":0.54}}"#),
        ]
        Self.put(market, "late", #"{"merge":[\#(late.joined(separator: ","))]}"#, Self.listed)
        for number in 0..<10 {
            Self.put(market, "d\(number)", #"{"view":"market.other"}"#, #"{"delay":{"seconds":0.\#(40 + number)}}"#)
        }
        Self.advance(market, to: 570)
        #expect(try market.commits().count { $0.action == "streams/elapsed" } == 10)
        #expect(market.get("streams.late") == "null")
        #expect(market.post("market/set", #"{"amount":7}"#))
        #expect(market.get("streams.late") == "[101,1]")
        try market.restart()
        Self.advance(market, to: 3_000)
        #expect(market.get("streams.late") == "[101,1,7]")
        #expect(try market.commits().count { $0.action == "streams/elapsed" } == 11)
    }

    /// A view model with the same, in Swift.
    private struct Late: ViewModel {
        let late: Observable<[Int]>

        init(_ state: MarketState) {
            for number in 0..<10 { _ = state.other.delay("d\(number)", .milliseconds(400 + 10 * number)) }
            let other = state.other.delay("other", .milliseconds(520)).map { $0 + 100 }
            late = merge("either", other, state.amount.debounce("amount", .milliseconds(540))).collect("late")
        }
    }

    @Test func `late alarms of named operators go off before an action publishes its values: Law KEPT2`() throws {
        let market = try Market([Feature("market", MarketState.init, MarketOnlyService.init, { Late($0) })])
        #expect(market.post("market/set", #"{"amount":1,"other":1}"#))
        Self.advance(market, to: 570)
        #expect(try market.commits().count { $0.action == "streams/elapsed" } == 10)
        #expect(market.get("market.late") == "[]")
        #expect(market.post("market/set", #"{"amount":7}"#))
        #expect(market.get("market.late") == "[101,1]")
        let told = market.watch("market.late")
        Self.advance(market, to: 3_000)
        #expect(market.get("market.late") == "[101,1,7]")
        #expect(told.events == ["market.late=[101,1]", "market.late=[101,1,7]"])
    }

    @Test func `late alarms go off before an undone commit publishes its values: Law KEPT2`() throws {
        let market = try Market()
        #expect(market.post("market/set", #"{"amount":1}"#))
        Self.put(market, "late", Self.behind("amount", #"{"debounce":{"seconds":0.54}}"#), Self.listed)
        #expect(market.post("market/set", #"{"amount":2}"#))
        let version = try #require(market.commits().last?.version)
        for number in 0..<10 {
            Self.put(market, "d\(number)", #"{"view":"market.other"}"#, #"{"delay":{"seconds":0.\#(40 + number)}}"#)
        }
        Self.advance(market, to: 570)
        #expect(market.get("streams.late") == "[]" || market.get("streams.late") == "null")
        #expect(try market.undo(version))
        #expect(market.get("streams.late") == "[2]")
        Self.advance(market, to: 3_000)
        #expect(market.get("streams.late") == "[2,1]")
    }

    @Test func `a refused action takes no late alarm with it: Law KEPT2`() throws {
        let market = try Market()
        for number in 0..<12 {
            Self.put(market, "d\(number)", #"{"view":"market.other"}"#, #"{"delay":{"seconds":0.\#(40 + number)}}"#)
        }
        Self.advance(market, to: 570)
        let count = try market.commits().count
        #expect(market.get("streams.d11") == "null")
        #expect(!market.post("market/set", #"{"amount":"none"}"#))
        #expect(market.post("market/set", #"{"amount":0}"#))
        #expect(market.get("streams.d11") == "null")
        #expect(try market.commits().count == count)
    }

    // The alarm of the delay is set at 1 s, that of the debounce at 3 s; both are due at 5 s.
    @Test func `alarms of one instant go off in the order in which they were set: Law KEPT3`() throws {
        let debounce = Self.behind("amount", #"{"dropFirst":{"count":1}},{"debounce":{"seconds":2}}"#)
        let delay = Self.behind("other", #"{"dropFirst":{"count":1}},{"delay":{"seconds":4}}"#)
        for (first, second) in [(debounce, delay), (delay, debounce)] {
            let market = try Market()
            Self.put(market, "both", #"{"merge":[\#(first),\#(second)]}"#, Self.listed)
            Self.advance(market, to: 1_000)
            #expect(market.post("market/set", #"{"other":8}"#))
            Self.advance(market, to: 3_000)
            #expect(market.post("market/set", #"{"amount":9}"#))
            try market.restart()
            Self.advance(market, to: 5_000)
            #expect(market.get("streams.both") == "[8,9]")
            #expect(try market.commits().count { $0.action == "streams/elapsed" } == 1)
        }
        // Those set at one instant, in the order of the sources.
        let market = try Market()
        let sources = ["other", "amount"].map { Self.behind($0, #"{"delay":{"seconds":1}}"#) }
        #expect(market.post("market/set", #"{"amount":2,"other":1}"#))
        Self.put(market, "both", #"{"merge":[\#(sources.joined(separator: ","))]}"#, Self.listed)
        Self.advance(market, to: 1_000)
        #expect(market.get("streams.both") == "[1,2]")
    }

    @Test func `alarms of one instant have that order in a trial too: Law KEPT3`() {
        let debounce = #"{"source":{"input":"a"},"operators":[{"debounce":{"seconds":2}}]}"#
        let delay = #"{"source":{"input":"b"},"operators":[{"delay":{"seconds":4}}]}"#
        for (first, second) in [(debounce, delay), (delay, debounce)] {
            let events = Bench.events(
                of: #"{"merge":[\#(first),\#(second)]}"#, inputs: ["a": "---9--------", "b": "-8----------"])
            #expect(events == "5:8 5:9")
        }
    }

    private struct OneInstant: ViewModel {
        let both: Observable<[Int]>

        init(_ state: MarketState) {
            let calm = state.amount.dropFirst("set").debounce("calm", .seconds(2))
            let late = state.other.dropFirst("put").delay("late", .seconds(4))
            both = merge("either", calm, late).collect("both")
        }
    }

    @Test func `alarms of named operators have that order too: Law KEPT3`() throws {
        let market = try Market([Feature("market", MarketState.init, MarketOnlyService.init, { OneInstant($0) })])
        #expect(market.post("market/set", #"{"amount":1,"other":1}"#))
        Self.advance(market, to: 1_000)
        #expect(market.post("market/set", #"{"other":8}"#))
        Self.advance(market, to: 3_000)
        #expect(market.post("market/set", #"{"amount":9}"#))
        try market.restart()
        Self.advance(market, to: 5_000)
        #expect(market.get("market.both") == "[8,9]")
    }

    @Test func `an alarm goes off before an action of its instant, and after an input of a trial: Law KEPT4`() throws {
        let market = try Market()
        Self.put(
            market, "calm", #"{"view":"market.amount"}"#, #"{"dropFirst":{"count":1}},{"debounce":{"seconds":2}}"#,
            Self.listed)
        #expect(market.post("market/set", #"{"amount":1}"#))
        market.clock.advance(to: .zero + .seconds(2))
        // The action comes first to the store, which has not let the alarm go off.
        #expect(market.post("market/set", #"{"amount":2}"#))
        #expect(try market.commits().map(\.action).suffix(2) == ["streams/elapsed", "market/set"])
        Self.advance(market, to: 4_000)
        #expect(market.get("streams.calm") == "[1,2]")
        #expect(Bench.events("1-2|", #"{"debounce":{"seconds":2}}"#) == "3:2 3:end")
    }

    @Test(arguments: [false, true])
    func `skip(until:) listens to the other source until it opens: Law KEPT5`(restarts: Bool) throws {
        let market = try Market()
        Self.put(
            market, "open", #"{"view":"market.amount"}"#,
            #"{"skip":{"until":{"source":{"view":"market.other"},"operators":[{"timeout":{"seconds":2}}]}}}"#,
            Self.listed)
        for amount in 1...4 {
            if restarts { try market.restart() }
            Self.advance(market, to: amount * 1_500)
            #expect(market.post("market/set", #"{"amount":\#(amount)}"#))
        }
        #expect(market.get("streams.open") == "[0,1,2,3,4]")
        #expect(try market.commits().allSatisfy { $0.action != "streams/elapsed" })
        #expect(
            Bench.events(
                of: #"{"input":"a"}"#,
                #"{"skip":{"until":{"source":{"input":"b"},"operators":[{"timeout":{"seconds":2}}]}}}"#,
                inputs: ["a": "-1---2-3|", "b": "0-------------"]) == "1:1 5:2 7:3 8:end")
    }

    @Test(arguments: [false, true])
    func `a fold counts the commits after its beginning, also as a later part: Law KEPT6`(restarts: Bool) throws {
        let fold =
            #"{"fold":{"over":{"changes":["market/set"]},"initialValue":100,"expression":"accumulated + 1"}}"#
        let first = Self.behind("amount", #"{"prefix":{"count":2}}"#)
        let market = try Market()
        Self.put(market, "later", #"{"append":[\#(first),\#(fold)]}"#, Self.listed)
        for (amount, shown) in ["[0,1,100]", "[0,1,100,101]", "[0,1,100,101,102]"].enumerated() {
            if restarts { try market.restart() }
            #expect(market.post("market/set", #"{"amount":\#(amount + 1)}"#))
            #expect(market.get("streams.later") == shown)
        }
    }

    @Test func `a view of operators that keep nothing follows from the present value, its failure too: Law KEPT7`()
        throws
    {
        let market = try Market()
        Self.put(market, "whole", #"{"view":"market.amount"}"#, #"{"map":{"expression":"10 / value"}}"#)
        Self.put(
            market, "list", #"{"view":"market.amount"}"#, #"{"map":{"expression":"10 / value"}}"#, Self.listed)
        let told = market.watch("streams.whole")
        #expect(market.get("streams.whole") == "")
        #expect(market.post("market/set", #"{"amount":5}"#))
        #expect(market.get("streams.whole") == "2")
        #expect(told.events.count == 2)
        #expect(told.events.last == "streams.whole=2")
        #expect(market.get("streams.list") == "")
        #expect(market.post("market/set", #"{"amount":0}"#))
        #expect(market.get("streams.whole") == "")
        #expect(market.post("market/set", #"{"amount":2}"#))
        #expect(told.events.last == "streams.whole=5")
        try market.restart()
        #expect(market.get("streams.whole") == "5")
        #expect(market.get("streams.list") == "")
    }
}
