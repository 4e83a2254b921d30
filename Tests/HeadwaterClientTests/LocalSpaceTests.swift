import ClientWorld
@testable import HeadwaterClient
import JSON
import ServiceInProcess
import StateModel
import Testing

/// A feature that runs in the client over its replica, beside the service.
@MainActor @Suite struct LocalSpaceTests {
    let service: ServiceInProcess
    let loop = HandLoop(seed: 5)
    let network = FaultyNetwork(seed: 5)
    let disk = MemoryStorage()

    init() throws {
        service = try ServiceInProcess(
            tokenFile: """
                7c3f6ea4fda1de0bd042a000e29c6cf75b0edf98a7228733604e0566a1ab54a9 read,act * subject=ada
                45da9173de4f9a455304d2f37c1bd994419ea01b59b8fc9af3fef5b98eaedcbc read,act * subject=bo
                """, features: [market.feature(), notebook.feature()])
    }

    private func client(_ token: String = "token-ada") -> HeadwaterClient {
        HeadwaterClient(transport: network, storage: disk, loop: loop) { _, answer in answer(.success(token)) }
    }

    private func advance(_ times: Int = 6) async throws {
        try network.pass(times, loop, service)
        await Task.yield()
    }

    // Law LOCAL1
    @Test func `an action is shown before anything is sent, and has the ids of its commit`() async throws {
        let client = client()
        let sale = try client.local("main", of: market)
        let lots = sale.live(\.lots)
        let total = sale.live(\.total)
        try await advance()
        #expect(lots.phase == .current && lots.value == [] && total.value == 0)
        let count = network.sent.count
        let offered = sale.perform(\.offer, MarketOffer(title: "A guitar", price: 100))
        await Task.yield()
        let shown = try #require(lots.value?.first)
        #expect(shown.title == "A guitar" && total.value == 100 && network.sent.count == count)
        sale.perform(\.bid, MarketBid(lot: shown.id, amount: 200))
        await Task.yield()
        #expect(lots.value?.first?.bidder == "ada" && sale.predictedCount == 2)
        try await advance()
        #expect(try await offered.result() == shown.id)
        #expect(lots.value == [MarketLot(id: shown.id, title: "A guitar", price: 200, bidder: "ada")])
        #expect(sale.predictedCount == 0)
    }

    // Law LOCAL2
    @Test func `an action that a current replica refuses is not sent`() async throws {
        let client = client()
        let sale = try client.local("main", of: market)
        try await advance()
        let count = network.sent.count
        let bid = sale.perform(\.bid, MarketBid(lot: "nothing", amount: 1))
        let problem = try #require(bid.wait.outcome.problem)
        #expect(problem.status == 409 && problem.field == "lot" && problem.type == "/problems/conflict")
        try await advance()
        #expect(network.sent.count == count && client.status.waiting == 0)
    }

    // Law LOCAL3
    @Test func `a foreign commit goes below the actions that wait, in one update`() async throws {
        let client = client()
        let sale = try client.local("main", of: market)
        let total = sale.live(\.total)
        let sold = sale.live(\.sold)
        try await advance()
        let offered = sale.perform(\.offer, MarketOffer(title: "A lamp", price: 10))
        try await advance()
        let lamp = try await offered.result()
        // The answers of this client's actions are late; another caller's are not.
        network.isOnline = false
        sale.perform(\.bid, MarketBid(lot: lamp, amount: 50))
        await Task.yield()
        #expect(total.value == 50)
        let body = "{\"lot\":\"\(lamp)\",\"amount\":30}"
        let head = """
            POST /v1/spaces/main/market/bid HTTP/1.0\r
            Host: localhost\r
            Authorization: Bearer token-bo\r
            Content-Type: application/json\r
            Content-Length: \(body.utf8.count)\r
            \r

            """
        _ = try service.answer(to: [Array((head + body).utf8)])
        var updates: [Int] = []
        let watching = sale.watch(\MarketViewModel.total, [:]) { (shown: Shown<Int>) in
            if let value = shown.value { updates.append(value) }
            return nil
        }
        network.isOnline = true
        client.networkReturned()
        try await advance(20)
        #expect(total.value == 50 && sold.value == 0)
        #expect(updates.allSatisfy { $0 == 50 }, "no half of a step was shown: \(updates)")
        let lot = sale.live(\.lot, MarketReference(id: lamp))
        await Task.yield()
        #expect(lot.value??.bidder == "ada")
        withExtendedLifetime(watching) {}
    }

    // Law LOCAL4
    @Test func `a refusal of the server takes the effect back`() async throws {
        let client = client()
        let sale = try client.local("main", of: market)
        let total = sale.live(\.total)
        try await advance()
        let offered = sale.perform(\.offer, MarketOffer(title: "A lamp", price: 10))
        try await advance()
        let lamp = try await offered.result()
        network.isOnline = false
        let bid = sale.perform(\.bid, MarketBid(lot: lamp, amount: 20))
        await Task.yield()
        #expect(total.value == 20)
        let body = "{\"lot\":\"\(lamp)\",\"amount\":30}"
        let head =
            "POST /v1/spaces/main/market/bid HTTP/1.0\r\nHost: localhost\r\nAuthorization: Bearer token-bo\r\n"
            + "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
        _ = try service.answer(to: [Array((head + body).utf8)])
        network.isOnline = true
        client.networkReturned()
        try await advance(20)
        #expect(bid.wait.outcome.problem?.field == "amount" && total.value == 30 && sale.predictedCount == 0)
    }

    // Law LOCAL5
    @Test func `actions that wait are shown again after a restart without a network`() async throws {
        var first: HeadwaterClient? = client()
        var sale = try first?.local("main", of: market)
        try await advance()
        _ = sale?.perform(\.offer, MarketOffer(title: "A lamp", price: 10))
        try await advance(20)
        network.isOnline = false
        _ = sale?.perform(\.offer, MarketOffer(title: "A chair", price: 20))
        loop.settle()
        #expect(sale != nil)
        (sale, first) = (nil, nil)
        loop.settle()
        let second = client()
        let again = try second.local("main", of: market)
        let lots = again.live(\.lots)
        try await advance()
        guard case .stale = lots.phase else { return #expect(Bool(false), "\(lots.phase)") }
        let ids = try #require(lots.value?.map(\.id))
        #expect(lots.value?.map(\.title).sorted() == ["A chair", "A lamp"] && again.predictedCount == 1)
        network.isOnline = true
        second.networkReturned()
        try await advance(20)
        #expect(lots.phase == .current && lots.value?.map(\.id) == ids && again.predictedCount == 0)
    }

    // Law LOCAL6
    @Test func `a row that an action gives to another caller is not shown, before the commit either`() async throws {
        let client = client()
        let notes = try client.local("main", of: notebook)
        let texts = notes.live(\.texts)
        let count = notes.live(\.count)
        try await advance()
        let kept = notes.perform(\.write, NoteText(text: "kept"))
        let given = notes.perform(\.write, NoteText(text: "given"))
        try await advance()
        #expect(texts.value == ["given", "kept"])
        let id = try await given.result()
        network.isOnline = false
        notes.perform(\.give, NoteChange(id: id, text: "bo"))
        await Task.yield()
        #expect(texts.value == ["kept"] && count.value == 1)
        // The action after it runs on the row, which the server has.
        let changed = notes.perform(\.change, NoteChange(id: id, text: "changed"))
        notes.perform(\.change, NoteChange(id: try await kept.result(), text: "also kept"))
        await Task.yield()
        #expect(texts.value == ["also kept"] && count.value == 1)
        network.isOnline = true
        client.networkReturned()
        try await advance(20)
        #expect(texts.value == ["also kept"] && notes.predictedCount == 0)
        #expect(changed.wait.outcome.problem == nil && notes.differenceCount == 0)
    }

    // Law LOCAL8
    @Test func `a step that changes what was shown is counted`() async throws {
        let client = client()
        let sale = try client.local("main", of: market)
        let lots = sale.live(\.lots)
        try await advance()
        let offered = sale.perform(\.offer, MarketOffer(title: "A lamp", price: 10))
        try await advance()
        #expect(sale.differenceCount == 0)
        let lamp = try await offered.result()
        network.isOnline = false
        sale.perform(\.bid, MarketBid(lot: lamp, amount: 20))
        let body = "{\"lot\":\"\(lamp)\",\"amount\":30}"
        let head =
            "POST /v1/spaces/main/market/bid HTTP/1.0\r\nHost: localhost\r\nAuthorization: Bearer token-bo\r\n"
            + "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
        _ = try service.answer(to: [Array((head + body).utf8)])
        network.isOnline = true
        client.networkReturned()
        try await advance(20)
        #expect(lots.value?.first?.price == 30 && sale.differenceCount == 1)
    }

    // Law LOCAL6
    @Test func `a client holds the rows of its caller only, and does not refuse what it cannot know`() async throws {
        let ada = client()
        let notes = try ada.local("main", of: notebook)
        let texts = notes.live(\.texts)
        try await advance()
        let own = notes.perform(\.write, NoteText(text: "mine"))
        try await advance()
        let id = try await own.result()
        let body = #"{"text":"theirs"}"#
        let head =
            "POST /v1/spaces/main/notebook/write HTTP/1.0\r\nHost: localhost\r\nAuthorization: Bearer token-bo\r\n"
            + "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
        _ = try service.answer(to: [Array((head + body).utf8)])
        try await advance()
        #expect(texts.value == ["mine"])
        notes.perform(\.change, NoteChange(id: id, text: "still mine"))
        await Task.yield()
        #expect(texts.value == ["still mine"])
        let unknown = notes.perform(\.change, NoteChange(id: "else", text: "?"))
        #expect(unknown.wait.outcome.problem == nil, "the server decides")
        try await advance()
        #expect(unknown.wait.outcome.problem?.status == 409 && texts.value == ["still mine"])
    }
}
