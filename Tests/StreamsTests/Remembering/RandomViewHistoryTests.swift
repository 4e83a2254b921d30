import Reactive
import StateStore
import Testing

/// Random histories of a space whose view model remembers, beside a model that computes each view anew from the
/// commits.
struct RandomViewHistoryTests {
    @Test(arguments: 1...12)
    func `every view with named operators is a function of the commits: Law HISTORY1, Law HISTORY6`(
        seed: UInt64
    ) throws {
        var random = Randomness(seed: seed)
        let market = try Market(Market.taped)
        var watched: [String: (told: Yard.Told, from: Int)] = [:]
        for _ in 0..<120 {
            switch Int.random(in: 0..<20, using: &random) {
            case 0...7:
                let (amount, other) = (Int.random(in: 0..<5, using: &random), Int.random(in: 0..<5, using: &random))
                _ = market.post("market/set", #"{"amount":\#(amount),"other":\#(other)}"#)
            case 8...10:
                _ = market.post("rates/set", #"{"rate":\#(Int.random(in: 1..<4, using: &random))}"#, in: .common)
            case 11:
                watched = [:]
                try market.restart()
            case 12:
                watched = [:]
                market.evict()
            case 13...14:
                guard let view = TapedView.all.randomElement(using: &random) else { break }
                watched[view.name] = (market.watch("market.\(view.name)"), try market.commits().count)
            case 15: watched = [:]
            default:
                market.clock.advance(by: .milliseconds(Int.random(in: 1..<3_000, using: &random)))
                market.here.run()
            }
            try check(market, watched)
        }
        #expect(try market.commits().count > 20)
        try checkPast(market)
    }

    /// Compares the present value of each view, and the events of each watch, with the model.
    private func check(_ market: Market, _ watched: [String: (told: Yard.Told, from: Int)]) throws {
        let moments = try market.moments(from: 1)
        for view in TapedView.all {
            #expect(market.get("market.\(view.name)") == view.value(moments), "\(view.name) at \(moments.count)")
            guard let (told, from) = watched[view.name] else { continue }
            var values = ["market.\(view.name)=\(view.value(Array(moments[..<from])))"]
            for end in from..<moments.count {
                let value = "market.\(view.name)=\(view.value(Array(moments[...end])))"
                if values.last != value { values.append(value) }
            }
            #expect(told.events == values, "\(view.name)")
        }
    }

    /// Replays the history, and compares each view at each version with the model.
    private func checkPast(_ market: Market) throws {
        let replay = try market.replay()
        let common = try market.commits(of: .common)
        let moments = try market.moments(from: 1)
        for commit in try market.commits() {
            for rate in common where rate.version <= commit.common && rate.version > replay.moment.common {
                try replay.play(rate)
            }
            try replay.play(commit)
            for view in TapedView.all {
                let shown = try #require(try replay.value(of: ViewKey("market.\(view.name)"))?.get().bytes)
                let known = moments.filter { $0.version <= commit.version }
                #expect(String(decoding: shown, as: UTF8.self) == view.value(known), "\(view.name) then")
            }
        }
    }
}
