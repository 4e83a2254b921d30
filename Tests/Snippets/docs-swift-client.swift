import ClientTesting
import Foundation
import HeadwaterClient
import StateModel

/// The session of an app.
struct Session: Sendable { func token(insteadOf refused: String?) async throws -> String? { nil } }

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

static func client(_ address: URL, _ folder: URL, _ session: Session) {
    // snippet
    _ = space
}

static func paths(_ client: HeadwaterClient) async {
    // snippet
    _ = bid
}

@MainActor static func local(_ client: HeadwaterClient) throws {
    // snippet
    _ = lots
}

static func values(_ space: ClientSpace) async throws {
    // snippet
}

@MainActor static func live(_ space: ClientSpace) {
    // snippet
    _ = (count, price)
}

static func perform(_ space: ClientSpace) async throws {
    // snippet
}

static func discard(_ client: HeadwaterClient) async {
    // snippet
}

static func preview() throws {
    // snippet
    _ = client
}

@MainActor static func test() async throws {
    // snippet
}
