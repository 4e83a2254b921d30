import Reactive
import ServerReads
import StateStore
import Streams
import Testing

/// The variables and rows that a remembered value comes from.
struct RememberedOriginTests {
    private func origins(_ view: String, _ yard: Yard) throws -> [String] {
        var found: [String]?
        yard.store.describe([view], in: yard.space) { result in
            found = try? result.get().graph.origins(behind: ViewKey(view)).map { "\($0.variable) \($0.entry ?? "-")" }
        }
        yard.here.run()
        return try #require(found)
    }

    @Test func `a view of a definition comes from the rows of its definitions, and from the variables of its views`()
        throws
    {
        let yard = try Yard(formulas: .cel)
        for definition in [
            #"{"id":"sum","source":{"view":"numbers.one"},"operators":[{"scan":{"initialValue":0,"expression":"accumulated + value"}}]}"#,
            #"{"id":"double","source":{"view":"numbers.other"},"operators":[{"map":{"expression":"value * 2"}}]}"#,
            #"{"id":"quadruple","source":{"ref":"double"},"operators":[{"map":{"expression":"value * 2"}}]}"#,
        ] { #expect(yard.put(definition).hasSuffix(" streams.definitions")) }
        #expect(try origins("streams.sum", yard) == ["numbers.one -", "streams.definitions sum"])
        #expect(try origins("streams.double", yard) == ["numbers.other -", "streams.definitions double"])
        #expect(
            try origins("streams.quadruple", yard) == [
                "numbers.other -", "streams.definitions double", "streams.definitions quadruple",
            ])
    }

    @Test func `a view with a named operator comes from the variables of its source`() throws {
        let market = try Market(Market.taped)
        #expect(market.post("market/set", #"{"amount":2}"#))
        var found: [String]?
        market.store.describe(["market.calms"], in: market.space) { result in
            found = try? result.get().graph.variables(behind: "market.calms")
        }
        market.here.run()
        #expect(found == ["rates.rate", "market.amount"])
    }
}
