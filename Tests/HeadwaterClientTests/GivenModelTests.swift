import ClientWorld
@testable import HeadwaterClient
import StateModel
import Testing

/// A feature that reads the state of another, by key paths.
@MainActor @Suite struct GivenModelTests {
    private struct OrdersState {
        let counts = Table<String, Int>()
    }

    private struct Order: Record {
        var lot = ""
        var count = 0
    }

    private struct OrdersService: StateService {
        let order: Action<Order>

        init(_ orders: OrdersState, _ market: ReadOnly<MarketState>) {
            order = Action { input, commit throws(Rejection) in
                guard commit[market.lots, input.lot] != nil else { throw .conflict("there is no such lot", at: "lot") }
                commit[orders.counts, input.lot] = input.count
            }
        }
    }

    private struct OrdersViewModel: ViewModel {
        let total: Observable<Int>

        init(_ orders: OrdersState, _ market: ReadOnly<MarketState>) {
            total = orders.counts.joined(with: market.lots) { _, count, lot in count * (lot?.price ?? 0) }
                .fold(0, add: +, remove: -)
        }
    }

    private let orders = FeatureModel(
        "orders", given: market, OrdersState.init, OrdersService.init, OrdersViewModel.init)

    @Test func `actions and views of a feature that reads another are properties`() async throws {
        let loop = HandLoop(seed: 4)
        let server = try PreviewServer([market.feature(), orders.feature()])
        let lamp = try server.perform(\.offer, MarketOffer(title: "A lamp", price: 7), of: market)
        let client = HeadwaterClient(transport: server, storage: MemoryStorage(), loop: loop) { _, answer in
            answer(.success(nil))
        }
        let space = client.space("main", of: orders)
        let total = space.live(\.total)
        space.perform(\.order, Order(lot: lamp, count: 3))
        let refused = space.perform(\.order, Order(lot: "none", count: 3))
        for _ in 0..<5 {
            loop.advance(.milliseconds(100))
            await Task.yield()
        }
        #expect(total.value == 21 && refused.wait.outcome.problem?.field == "lot")
        #expect(throws: RegistrationFault.self) { try client.local("main", of: orders) }
    }
}
