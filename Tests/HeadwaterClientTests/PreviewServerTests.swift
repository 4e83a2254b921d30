import ClientTesting
import ClientWorld
@testable import HeadwaterClient
import JSON
import ServiceInProcess
import StateModel
import Testing

/// The server of previews, and the network with faults before it.
@MainActor @Suite struct PreviewServerTests {
    let loop = HandLoop(seed: 9)

    private func client(_ transport: any ClientTransport) -> HeadwaterClient {
        HeadwaterClient(transport: transport, storage: MemoryStorage(), loop: loop) { _, answer in
            answer(.success(nil))
        }
    }

    private func advance(_ duration: Duration = .milliseconds(500)) async {
        for _ in 0..<5 {
            loop.advance(duration / 5)
            await Task.yield()
        }
    }

    // Law PREVIEW1
    @Test func `a preview has the actions, rejections and views of the feature`() async throws {
        let server = try PreviewServer([market.feature()], as: "ada")
        let guitar = try server.perform(\.offer, MarketOffer(title: "A guitar", price: 100), of: market)
        let sale = client(server).space("main", of: market)
        let lots = sale.live(\.lots)
        let above = sale.live(\.above, MarketBid(lot: "", amount: 150))
        await advance()
        #expect(lots.value?.map(\.id) == [guitar] && lots.phase == .current && above.value == [])
        let bid = sale.perform(\.bid, MarketBid(lot: guitar, amount: 200))
        let low = sale.perform(\.bid, MarketBid(lot: guitar, amount: 1))
        await advance()
        #expect(lots.value?.first?.bidder == "ada" && above.value?.map(\.price) == [200])
        #expect(bid.wait.outcome.isShown && low.wait.outcome.problem?.field == "amount")
        #expect(throws: Rejection.self) {
            try server.perform(\.bid, MarketBid(lot: "nothing", amount: 1), of: market)
        }
        let unknown = sale.space.live(ViewName<Int>("market.nothing"))
        await advance()
        #expect(unknown.problem?.status == 404)
    }

    // Law PREVIEW2
    @Test func `a lost answer performs an action once, and what waits offline comes later`() async throws {
        let server = try PreviewServer([market.feature()])
        let network = FaultyTransport(server, loop: loop)
        let client = client(network)
        let sale = client.space("main", of: market)
        let lots = sale.live(\.lots)
        await advance()
        network.loseAnswers(1)
        let offered = sale.perform(\.offer, MarketOffer(title: "A lamp", price: 10))
        await advance(.seconds(20))
        #expect(lots.value?.count == 1)
        #expect(try await offered.result() == lots.value?.first?.id)
        network.isOnline = false
        let second = sale.perform(\.offer, MarketOffer(title: "A chair", price: 20))
        await advance(.seconds(20))
        guard case .stale = lots.phase else { return #expect(Bool(false), "\(lots.phase)") }
        #expect(client.status.waiting == 1 && lots.value?.count == 1)
        network.isOnline = true
        client.networkReturned()
        await advance(.seconds(20))
        #expect(second.wait.outcome.isShown && lots.value?.count == 2 && lots.phase == .current)
    }

    @Test func `answers are late by the delay, in their order`() async throws {
        let server = try PreviewServer([market.feature()])
        let network = FaultyTransport(server, loop: loop)
        let sale = client(network).space("main", of: market)
        let total = sale.live(\.total)
        await advance()
        network.delay = .seconds(2)
        sale.perform(\.offer, MarketOffer(title: "A lamp", price: 10))
        await advance(.seconds(1))
        #expect(total.value == 0)
        network.delay = .zero
        sale.perform(\.offer, MarketOffer(title: "A chair", price: 20))
        await advance(.seconds(3))
        #expect(total.value == 30)
    }

    @Test(arguments: [false, true])
    func `a value comes once, also if its phase changes`(_ isLocal: Bool) async throws {
        let network = FaultyTransport(try PreviewServer([market.feature()]), loop: loop)
        let client = client(network)
        let sale: any FeatureAccess<MarketService, MarketViewModel> =
            isLocal ? try client.local("main", of: market) : client.space("main", of: market)
        var totals: [Int] = []
        var phases: [Phase] = []
        let tasks = [
            Task { for await total in sale.values(of: \.total) { totals.append(total) } },
            Task { for await shown in sale.updates(of: \.total) { phases.append(shown.phase) } },
        ]
        await advance()
        sale.perform(\.offer, MarketOffer(title: "A lamp", price: 10))
        await advance()
        network.isOnline = false
        await advance(.seconds(20))
        network.isOnline = true
        client.networkReturned()
        await advance(.seconds(20))
        sale.perform(\.offer, MarketOffer(title: "A chair", price: 20))
        await advance()
        #expect(totals == [0, 10, 30])
        #expect(phases.contains { if case .stale = $0 { true } else { false } } && phases.last == .current)
        for task in tasks { task.cancel() }
    }

    @Test func `all that a test of an app holds is printed and mirrored in short`() async throws {
        let server = try PreviewServer([market.feature()], as: "ada")
        let network = FaultyTransport(server, loop: loop)
        let client = client(network)
        let (here, there) = (try client.local("main", of: market), client.space("main", of: market))
        let (live, waits) = (there.live(\.lots), there.perform(\.offer, MarketOffer(title: "A lamp", price: 10)))
        #expect("\(waits)" == "waits" && "\(client)".hasPrefix("a client: connecting, "))
        let queued = QueuedAction(id: "a", space: "main", name: "market/close", input: Array("{}".utf8))
        #expect("\(PendingAction(queued))" == "market/close {} in main, waits")
        await advance()
        let low = there.perform(\.bid, MarketBid(lot: "none", amount: 1))
        await advance()
        #expect("\(waits)" == "version 1, shown" && "\(low)" == "refused: there is no such lot")
        #expect("\(here)" == "market on this device, in the space main of a client: live, 0 wait, 1 refused")
        #expect("\(there)" == "market in the space main of a client: live, 0 wait, 1 refused")
        #expect("\(server) \(network)" == "a preview of market a network: online")
        let values: [Any] = [server, network, client, here, there, there.space, live, waits, low, client.status]
        for value in values {
            var text = ""
            dump(value, to: &text)
            #expect(text.utf8.count < 5_000 && "\(value)".utf8.count < 500, "\(type(of: value))")
        }
    }

    // Law PREVIEW1
    @Test func `a local space runs over the replica of a preview`() async throws {
        let server = try PreviewServer([notebook.feature()], as: "ada")
        let client = client(server)
        let notes = try client.local("main", of: notebook)
        let texts = notes.live(\.texts)
        await advance()
        #expect(texts.phase == .current)
        let written = notes.perform(\.write, NoteText(text: "mine"))
        await Task.yield()
        #expect(texts.value == ["mine"])
        await advance()
        #expect(try await written.result().isEmpty == false)
        #expect(texts.value == ["mine"] && notes.predictedCount == 0)
    }

    // Law PREVIEW1
    @Test(arguments: [UInt64](1...12))
    func `a preview answers as the service does`(_ seed: UInt64) async throws {
        var entropy = Entropy(seed: seed)
        let server = try PreviewServer([market.feature()])
        let service = try TestService([market.feature()])
        let device = service.device()
        let spaces = [client(server).space("main", of: market), device.client.space("main", of: market)]
        let lots = spaces.map { $0.live(\.lots) }
        let totals = spaces.map { $0.live(\.total) }
        let sold = spaces.map { $0.live(\.sold) }
        for step in 0..<40 {
            let price = entropy.below(60)
            let place = entropy.below(4)
            let isClosing = entropy.isOne(in: 12)
            let isOffer = entropy.isOne(in: 3)
            var outcomes: [String] = []
            var performed: [Performed<Void>] = []
            var offered: [Performed<String>] = []
            for (index, space) in spaces.enumerated() {
                if isClosing {
                    performed.append(space.perform(\.close))
                } else if isOffer {
                    let offer = MarketOffer(title: price % 7 == 0 ? "" : "lot", price: price)
                    offered.append(space.perform(\.offer, offer))
                } else {
                    let rows = lots[index].value?.sorted { ($0.price, $0.id) < ($1.price, $1.id) } ?? []
                    let lot = place < rows.count ? rows[place].id : "none"
                    performed.append(space.perform(\.bid, MarketBid(lot: lot, amount: price)))
                }
            }
            await advance()
            await service.advance()
            for outcome in performed.map(\.wait.outcome) + offered.map(\.wait.outcome) {
                outcomes.append("\(outcome.reply?.version ?? -1) \(outcome.problem?.detail ?? "")")
            }
            #expect(outcomes.count == 2 && outcomes[0] == outcomes[1], "seed \(seed), step \(step): \(outcomes)")
            #expect(totals[0].value == totals[1].value && sold[0].value == sold[1].value, "seed \(seed), step \(step)")
            #expect(lots[0].value?.map(\.price).sorted() == lots[1].value?.map(\.price).sorted())
        }
    }
}
