import StateModel

/// A lot, and the highest bid.
struct Lot: Record {
    var title = ""
    var price = 0
    var bidder: String?
}

/// The lots of a sale.
struct SaleState {
    let lots = Table<String, Lot>()
}

struct NewLot: Record {
    var title = ""

    static let shape = Shape(NewLot()) { $0.required(\.title, .line(1...100)) }
}

struct Bid: Record {
    var lot = ""
    var amount = 0
}

struct SaleService: StateService {
    let offer: AnsweringAction<NewLot, String>
    let bid: Action<Bid>

    init(_ sale: SaleState) {
        offer = AnsweringAction { input, commit throws(Rejection) in
            let id = commit.newID()
            commit[sale.lots, id] = Lot(title: input.title)
            return id
        }
        bid = Action { input, commit throws(Rejection) in
            guard let lot = commit[sale.lots, input.lot] else { throw .conflict("there is no such lot", at: "lot") }
            guard input.amount > lot.price else { throw .conflict("bid more than \(lot.price)", at: "amount") }
            commit[sale.lots, input.lot]?.price = input.amount
            commit[sale.lots, input.lot]?.bidder = commit.caller.subject
        }
    }
}
