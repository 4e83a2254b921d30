import StateModel

/// A small market as a model module has it, for tests of the client.
let market = FeatureModel("market", MarketState.init, MarketService.init, MarketViewModel.init)

struct MarketState {
    let lots = Table<String, MarketLot>()
    let sold = Variable(0)
}

extension MarketState: ReplicatedState {
    static let replica = ReplicaParts<MarketState> {
        $0.whole(\.lots)
        $0.whole(\.sold)
    }
}

struct MarketLot: Record {
    var id = ""
    var title = ""
    var price = 0
    var bidder: String?
}

struct MarketOffer: Record {
    var title = ""
    var price = 1

    static let shape = Shape(MarketOffer()) {
        $0.required(\.title, .line(1...100))
        $0.optional(\.price, .from(1...))
    }
}

struct MarketBid: Record {
    var lot = ""
    var amount = 0
}

struct MarketReference: Record {
    var id = ""
}

struct MarketService: StateService {
    let offer: AnsweringAction<MarketOffer, String>
    let bid: Action<MarketBid>
    let close: Action<NoInput>

    init(_ market: MarketState) {
        offer = AnsweringAction { input, commit throws(Rejection) in
            let id = commit.newID()
            commit[market.lots, id] = MarketLot(id: id, title: input.title, price: input.price)
            return id
        }
        bid = Action { input, commit throws(Rejection) in
            guard var lot = commit[market.lots, input.lot] else { throw .conflict("there is no such lot", at: "lot") }
            guard input.amount > lot.price else {
                throw .conflict("the least bid is \(lot.price + 1)", at: "amount")
            }
            (lot.price, lot.bidder) = (input.amount, commit.caller.subject ?? "nobody")
            commit[market.lots, lot.id] = lot
        }
        close = Action { commit throws(Rejection) in
            let lots = commit.rows(of: market.lots)
            guard !lots.isEmpty else { throw .conflict("there is nothing to close") }
            commit[market.sold] += lots.values.reduce(0) { $0 + $1.price }
            commit.removeAll(of: market.lots)
        }
    }
}

struct MarketViewModel: ViewModel {
    let lots: OrderedRows<String, MarketLot>
    let lot: ParameterView<MarketReference, MarketLot?>
    let above: ParameterList<MarketBid, String, MarketLot>
    let total: Observable<Int>
    let sold: Observable<Int>

    init(_ market: MarketState) {
        lots = market.lots.sorted(by: \.id)
        lot = ParameterView { input in market.lots.row(input.id) }
        above = ParameterView { input in market.lots.filter { $1.price > input.amount }.sorted(by: \.id) }
        total = market.lots.fold(0, add: { $0 + $1.price }, remove: { $0 - $1.price })
        sold = market.sold.map { $0 }
    }
}
