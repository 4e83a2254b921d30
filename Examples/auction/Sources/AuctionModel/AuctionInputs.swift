public import StateModel

/// A new lot.
public struct NewLot: Record {
    /// The title.
    public var title = ""
    /// The highest bid, or the starting price before the first bid.
    public var price: Money = 1
    /// The minutes until the end.
    public var minutes = 10

    /// A blank value.
    public init() {}

    /// A value of its fields.
    public init(title: String, price: Money = 1, minutes: Int = 10) {
        (self.title, self.price, self.minutes) = (title, price, minutes)
    }

    /// The limits of the fields.
    public static let shape = Shape(NewLot()) {
        $0.required("title", \.title, .line(1...100))
        $0.optional("price", \.price, .from(1...1_000_000))
        $0.optional("minutes", \.minutes, .from(1...10_080))
    }
}

/// A bid. `name` is the bidder on a server without tokens; with tokens the bidder is the caller.
public struct Bid: Record {
    /// The id of the lot.
    public var lot = ""
    /// The amount.
    public var amount: Money = 0
    /// The bidder, on a server without tokens.
    public var name: String?

    /// A blank value.
    public init() {}

    /// A value of its fields.
    public init(lot: String, amount: Money, name: String? = nil) {
        (self.lot, self.amount, self.name) = (lot, amount, name)
    }

    /// The limits of the fields.
    public static let shape = Shape(Bid()) {
        $0.required("lot", \.lot)
        $0.required("amount", \.amount, .from(1...1_000_000_000))
        $0.optional("name", \.name, .whereGiven(.line(1...50)))
    }
}

/// A lot and the end for which an effect has waited.
public struct LotEnd: Record {
    /// The id of the lot.
    public var lot = ""
    /// The end.
    public var end = Timestamp(seconds: 0)

    /// A blank value.
    public init() {}

    /// A value of its fields.
    public init(lot: String, end: Timestamp) { (self.lot, self.end) = (lot, end) }
}
