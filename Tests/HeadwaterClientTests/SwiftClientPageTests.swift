import ClientTesting
import Foundation
import HeadwaterClient
import JSON
import StateModel
import Testing

/// The snippets of docs/swift-client.md. They compile here, and the page has no others.
@Suite struct SwiftClientPageTests {
    private struct Session: Sendable {
        func token(insteadOf refused: String?) async throws -> String? { nil }
    }

    private func makeClient(_ address: URL, _ folder: URL, _ session: Session) -> ClientSpace {
        let client = HeadwaterClient(address, storage: FileStorage(folder: folder)) { refused in
            try await session.token(insteadOf: refused)
        }
        let space = client.space("main")
        return space
    }

    /// The market under the names of the page.
    private struct Bid: Record {
        var lot = ""
        var amount = 0
    }

    private struct BidService: StateService {
        let bid: Action<Bid>

        init(_ market: MarketState) {
            bid = Action { input, commit throws(Rejection) in commit[market.lots, input.lot]?.price = input.amount }
        }
    }

    private struct OpenLots: ViewModel {
        let open: OrderedRows<String, MarketLot>

        init(_ market: MarketState) { open = market.lots.sorted(by: \.id) }
    }

    private let auction = FeatureModel("auction", MarketState.init, BidService.init, OpenLots.init)

    private func showLots(_ client: HeadwaterClient) async -> Performed<Void> {
        let sale = client.space("main", of: auction)
        let bid = sale.perform(\.bid, Bid(lot: "guitar", amount: 120))
        for await lots in sale.values(of: \.open) { print(lots.count) }
        return bid
    }

    @MainActor private func bidLocally(_ client: HeadwaterClient) throws -> LiveValue<[MarketLot]> {
        let sale = try client.local("main", of: auction)
        let lots = sale.live(\.open)
        sale.perform(\.bid, Bid(lot: "guitar", amount: 120))
        return lots
    }

    private func showTitles(_ space: ClientSpace) async {
        for await title in space.values(of: ViewName<String>("user.title")) {
            print(title)
        }
    }

    @MainActor private func makeValues(_ space: ClientSpace) -> (LiveValue<Int>, LiveValue<JSON>) {
        let count = space.live(ViewName<Int>("cart.numberOfItems"))
        let price = space.live("cart.totalPrice")
        return (count, price)
    }

    private func add(_ space: ClientSpace) async throws {
        let added = space.perform("cart/add", ["productId": 1, "quantity": 2])
        do {
            try await added.durable()
            try await added.shown()
        } catch let problem as ServerProblem {
            print(problem.field ?? "", problem.detail)
        }
    }

    private func discardRefused(_ client: HeadwaterClient) async {
        for action in await client.pending() where action.problem != nil {
            await client.discard(action.id)
        }
    }

    private func makePreview() throws -> HeadwaterClient {
        let server = try PreviewServer([auction.feature()], as: "ada")
        try server.perform(\.bid, Bid(lot: "guitar", amount: 120), of: auction)
        let network = FaultyTransport(server)
        network.isOnline = false
        let client = HeadwaterClient(transport: network)
        return client
    }

    @MainActor private func test() async throws {
        let service = try TestService([auction.feature()], subjects: ["ada", "bo"])
        let ada: TestDevice = service.device(of: "ada")
        let bid = ada.client.space("main", of: auction).perform(\.bid, Bid(lot: "guitar", amount: 120))
        ada.network.loseAnswers(1)
        await service.advance(.seconds(30))
        try await bid.durable()
    }

    @Test func `each snippet of the page is compiled here`() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        func lines(_ text: some StringProtocol) -> [String] {
            text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
        }
        let page = try String(contentsOf: root.appendingPathComponent("docs/swift-client.md"), encoding: .utf8)
        let code = lines(try String(contentsOfFile: #filePath, encoding: .utf8)).joined(separator: "\n")
        let snippets = page.components(separatedBy: "```swift\n").dropFirst().map {
            $0.components(separatedBy: "```")[0]
        }
        #expect(snippets.count == 9)
        for snippet in snippets { #expect(code.contains(lines(snippet).joined(separator: "\n")), "\(snippet)") }
    }
}
