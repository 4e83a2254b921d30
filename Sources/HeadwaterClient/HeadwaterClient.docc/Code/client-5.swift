import Foundation
import HeadwaterClient
import StateModel

struct Lot: Record {
    var id = ""
    var title = ""
    var price = 0
}

struct Bid: Record {
    var lot = ""
    var amount = 0
}

struct SaleState: ReplicatedState {
    let lots = Table<String, Lot>(["a": Lot(id: "a", title: "A lamp", price: 10)])

    static let replica = ReplicaParts<SaleState> { $0.whole(\.lots) }
}

struct SaleService: StateService {
    let bid: Action<Bid>

    init(_ sale: SaleState) {
        bid = Action { input, commit throws(Rejection) in
            guard let lot = commit[sale.lots, input.lot], input.amount > lot.price else {
                throw .conflict("bid more", at: "amount")
            }
            commit[sale.lots, input.lot]?.price = input.amount
        }
    }
}

struct SaleViewModel: ViewModel {
    let lots: OrderedRows<String, Lot>

    init(_ sale: SaleState) { lots = sale.lots.sorted(by: \.price) }
}

let sale = FeatureModel("sale", SaleState.init, SaleService.init, SaleViewModel.init)

func makeClient(token: @escaping @Sendable () async throws -> String) -> HeadwaterClient {
    HeadwaterClient(URL(string: "https://example.com")!) { _ in try await token() }
}

func makeSale(_ client: HeadwaterClient) throws -> some FeatureAccess<SaleService, SaleViewModel> {
    try client.local("main", of: sale)
}

func printLots(_ space: some FeatureAccess<SaleService, SaleViewModel>) async {
    for await lots in space.values(of: \.lots) { print(lots.map(\.title)) }
}

@MainActor final class SaleModel {
    let lots: LiveValue<[Lot]>

    init(_ space: some FeatureAccess<SaleService, SaleViewModel>) { lots = space.live(\.lots) }
}

func bid(_ amount: Int, on lot: Lot, in space: some FeatureAccess<SaleService, SaleViewModel>) async throws -> String? {
    let bid = space.perform(\.bid, Bid(lot: lot.id, amount: amount))
    do {
        try await bid.shown()
        return nil
    } catch let problem as ServerProblem {
        return "\(problem.field ?? ""): \(problem.detail)"
    }
}

@MainActor func makePreview(isOnline: Bool) throws -> SaleModel {
    let network = FaultyTransport(try PreviewServer([sale.feature()], as: "ada"))
    network.isOnline = isOnline
    return SaleModel(try makeSale(HeadwaterClient(transport: network)))
}
