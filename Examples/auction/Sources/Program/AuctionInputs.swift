import StateStore

/// A new lot.
struct NewLot: Record {
    var title = ""
    var price: Money = 1
    var minutes = 10

    static let shape = Shape(NewLot()) {
        $0.required("title", \.title, .line(1...100))
        $0.optional("price", \.price, .from(1...1_000_000))
        $0.optional("minutes", \.minutes, .from(1...10_080))
    }
}

/// A bid. `name` is the bidder on a server without tokens; with tokens the bidder is the caller.
struct Bid: Record {
    var lot = ""
    var amount: Money = 0
    var name: String?

    static let shape = Shape(Bid()) {
        $0.required("lot", \.lot)
        $0.required("amount", \.amount, .from(1...1_000_000_000))
        $0.optional("name", \.name, .whereGiven(.line(1...50)))
    }
}

/// A lot and the end for which an effect has waited.
struct LotEnd: Record {
    var lot = ""
    var end = Timestamp(seconds: 0)

    static let shape = Shape(LotEnd()) {
        $0.required("lot", \.lot)
        $0.required("end", \.end)
    }
}
