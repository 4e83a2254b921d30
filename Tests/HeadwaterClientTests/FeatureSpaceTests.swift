import ClientWorld
@testable import HeadwaterClient
import JSON
import ServiceInProcess
import StateModel
import Testing

/// A client that names actions and views by the properties of a model.
@MainActor @Suite struct FeatureSpaceTests {
    let service: ServiceInProcess
    let loop = HandLoop(seed: 3)
    let network = FaultyNetwork(seed: 3)
    let client: HeadwaterClient
    let space: FeatureSpace<MarketState, MarketService, MarketViewModel>

    init() throws {
        service = try ServiceInProcess(features: [market.feature()])
        client = HeadwaterClient(transport: network, storage: MemoryStorage(), loop: loop) { _, answer in
            answer(.success(nil))
        }
        space = client.space("main", of: market)
    }

    private func advance() async throws {
        try network.pass(5, loop, service)
        await Task.yield()
    }

    @Test func `actions and views are properties, with their types`() async throws {
        let lots = space.live(\.lots)
        let total = space.live(\.total)
        let offered = space.perform(\.offer, MarketOffer(title: "A guitar", price: 100))
        try await advance()
        let id: String = try await offered.result()
        try await offered.shown()
        #expect(lots.value == [MarketLot(id: id, title: "A guitar", price: 100)] && total.value == 100)
        let lot = space.live(\.lot, MarketReference(id: id))
        let above = space.live(\.above, MarketBid(lot: "", amount: 150))
        space.perform(\.bid, MarketBid(lot: id, amount: 200))
        try await advance()
        #expect(lot.value??.bidder == "nobody" && lot.value??.price == 200)
        #expect(above.value?.map(\.price) == [200] && total.value == 200)
        let closed = space.perform(\.close)
        try await advance()
        #expect(try await closed.durable().version == 3)
        try await closed.result()
        let left: MarketLot? = try #require(lot.value)
        #expect(left == nil && lots.value == [])
    }

    @Test func `a refusal has the place in the record`() async throws {
        let bid = space.perform(\.bid, MarketBid(lot: "nothing", amount: 1))
        let offer = space.perform(\.offer, MarketOffer(title: "", price: 1))
        try await advance()
        let conflict = try #require(bid.wait.outcome.problem)
        #expect(conflict.status == 409 && conflict.pointer == "/lot" && conflict.field == "lot")
        let invalid = try #require(offer.wait.outcome.problem)
        #expect(invalid.status == 422 && invalid.field == "title")
    }

    @Test func `the values of a view are a sequence`() async throws {
        var values = space.values(of: \.total).makeAsyncIterator()
        try await advance()
        #expect(await values.next() == 0)
        space.perform(\.offer, MarketOffer(title: "A lamp", price: 7))
        try await advance()
        #expect(await values.next() == 7)
    }

    @Test func `names are those of the server`() {
        #expect(space.name(of: \.lots).name == "market.lots")
        #expect(
            space.name(of: \.above, MarketBid(lot: "a b", amount: 3)).address(in: "main").description
                == "main/market.above?amount=3&lot=a%20b")
        #expect(market.action(at: \MarketService.close) == "market/close")
    }
}
