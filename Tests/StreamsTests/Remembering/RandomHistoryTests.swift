import Reactive
import StateStore
import Testing

/// Random histories of a space, beside a model that computes each value anew from the commits.
struct RandomHistoryTests {
    @Test(arguments: 1...12)
    func `every shown value is a function of the commits: Law HISTORY1, Law HISTORY2`(seed: UInt64) throws {
        var random = Randomness(seed: seed)
        let market = try Market()
        var begun: [String: Int] = [:]
        var watched: [String: (told: Yard.Told, from: Int)] = [:]
        for _ in 0..<120 {
            switch Int.random(in: 0..<20, using: &random) {
            case 0...6:
                let (amount, other) = (Int.random(in: 0..<5, using: &random), Int.random(in: 0..<5, using: &random))
                _ = market.post("market/set", #"{"amount":\#(amount),"other":\#(other)}"#)
            case 7...9:
                _ = market.post("rates/set", #"{"rate":\#(Int.random(in: 1..<4, using: &random))}"#, in: .common)
            case 10...12:
                let stream = ModelledStream.all.randomElement(using: &random)!
                if begun[stream.id] == nil {
                    #expect(market.post("streams/put", stream.document))
                    begun[stream.id] = try market.commits().last?.version
                }
            case 13:
                watched = [:]
                try market.restart()
            case 14:
                watched = [:]
                market.evict()
            case 15:
                guard let id = begun.keys.sorted().randomElement(using: &random) else { break }
                watched[id] = (market.watch("streams.\(id)"), try market.commits().count)
            case 16: watched = [:]
            default:
                market.clock.advance(by: .milliseconds(Int.random(in: 1..<3_000, using: &random)))
                market.here.run()
            }
            try check(market, begun, watched)
        }
        try checkPast(market, begun)
    }

    /// Replays the history, and compares the value of each stream at each version with the model.
    private func checkPast(_ market: Market, _ begun: [String: Int]) throws {
        let replay = try market.replay()
        let common = try market.commits(of: .common)
        let moments = try market.moments(from: 1)
        for commit in try market.commits() {
            for rate in common where rate.version <= commit.common && rate.version > replay.moment.common {
                try replay.play(rate)
            }
            try replay.play(commit)
            for stream in ModelledStream.all {
                guard let version = begun[stream.id], version <= commit.version else { continue }
                let shown = try #require(try replay.value(of: ViewKey("streams.\(stream.id)"))?.get().bytes)
                let known = moments.filter { (version...commit.version).contains($0.version) }
                #expect(String(decoding: shown, as: UTF8.self) == stream.value(known), "\(stream.id) then")
            }
        }
    }

    /// Compares the present value of each stream, and the events of each watch, with the model.
    private func check(
        _ market: Market, _ begun: [String: Int], _ watched: [String: (told: Yard.Told, from: Int)]
    ) throws {
        for stream in ModelledStream.all {
            guard let version = begun[stream.id] else { continue }
            let shown = market.get("streams.\(stream.id)")
            let moments = try market.moments(from: version)
            #expect(shown == stream.value(moments), "\(stream.id)")
            guard let (told, from) = watched[stream.id] else { continue }
            var values: [String] = []
            for end in moments.indices where moments[end].version >= from {
                let value = "streams.\(stream.id)=\(stream.value(Array(moments[...end])))"
                if values.last != value { values.append(value) }
            }
            #expect(told.events == values, "\(stream.id)")
        }
    }
}
