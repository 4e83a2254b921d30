import ClientTesting
import HeadwaterClient
import StateModel

/// The auction.
struct Lots: ReplicatedState {
    let lots = Table<String, Lot>()
    static let replica = ReplicaParts<Lots> { $0.whole(\.lots) }
}
struct Lot: Record { var price = 0 }
struct Bid: Record {
    var lot = ""
    var amount = 0
}
struct Bids: StateService {
    let bid: Action<Bid>
    init(_ state: Lots) {
        bid = Action { input, commit throws(Rejection) in commit[state.lots, input.lot]?.price = input.amount }
    }
}
struct OpenLots: ViewModel {
    let open: OrderedRows<String, Lot>
    init(_ state: Lots) { open = state.lots.sorted(by: \.price) }
}
static let auction = FeatureModel("auction", Lots.init, Bids.init, OpenLots.init)

@MainActor static func test() async throws {
    // snippet
}
