import ClientTesting
import HeadwaterClient
import StateModel
import Testing

/// The service behind clients, as an author of an app tests with it. Only public declarations are used.
@MainActor @Suite struct TestServiceTests {
    // Law PREVIEW3
    @Test func `two devices share a space, and one that was offline catches up`() async throws {
        let service = try TestService([market.feature()], subjects: ["ada", "bo"])
        let ada = service.device(of: "ada")
        let bo = service.device(of: "bo")
        let here = ada.client.space("main", of: market)
        let there = bo.client.space("main", of: market)
        let lots = here.live(\.lots)
        let others = there.live(\.lots)
        let offered = here.perform(\.offer, MarketOffer(title: "A guitar", price: 100))
        await service.advance()
        let guitar = try await offered.result()
        #expect(others.value?.map(\.id) == [guitar])
        ada.network.isOnline = false
        let late = here.perform(\.bid, MarketBid(lot: guitar, amount: 120))
        await service.advance(.seconds(3))
        guard case .stale = lots.phase else { return #expect(Bool(false), "\(lots.phase)") }
        there.perform(\.bid, MarketBid(lot: guitar, amount: 150))
        await service.advance()
        ada.network.isOnline = true
        await service.advance(.seconds(60))
        await #expect(throws: ServerProblem.self) { try await late.shown() }
        #expect(lots.value == others.value && lots.value?.first?.bidder == "bo" && lots.phase == .current)
    }

    // Law PREVIEW3
    @Test func `an app that ends with a lost answer performs its action once`() async throws {
        let service = try TestService([market.feature()], subjects: ["ada"])
        let disk = MemoryStorage()
        var device: TestDevice? = service.device(of: "ada", storage: disk)
        device?.network.loseAnswers(1)
        let lamp = MarketOffer(title: "A lamp", price: 7)
        var performed = device?.client.space("main", of: market).perform(\.offer, lamp)
        await service.advance(.milliseconds(100))
        #expect(performed != nil)
        device?.network.isOnline = false
        (device, performed) = (nil, nil)
        let again = service.device(of: "ada", storage: disk)
        let lots = again.client.space("main", of: market).live(\.lots)
        await service.advance(.seconds(30))
        #expect(lots.value?.map(\.title) == ["A lamp"] && again.client.status.waiting == 0)
    }

    @Test func `an action of another caller needs no device`() async throws {
        let service = try TestService([market.feature()], subjects: ["ada"])
        let answer = try service.perform("market/offer", ["title": "A lamp"], by: "ada")
        #expect(answer.status == 200 && answer.content["version"] == 1)
        #expect(try service.perform("market/offer", ["title": "A lamp"]).status == 401)
    }
}
