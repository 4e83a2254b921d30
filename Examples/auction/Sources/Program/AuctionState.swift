import Reactive
import StateStore

/// The lots of a sale.
struct AuctionState {
    let lots = Table<String, Lot>()
    /// The ends of the open lots. While a lot has a row here, an effect waits for its end.
    let ends = Table<String, Timestamp>()
    let sold = Variable(Money.zero)
}

/// A lot: a thing for sale, and the highest bid.
struct Lot: Record {
    var id = ""
    var title = ""
    /// The highest bid, or the starting price before the first bid.
    var price: Money = 0
    /// The highest bidder; nil before the first bid.
    var bidder: String?
    var bids = 0
    var endsAt = Timestamp(seconds: 0)
    var isOpen = true

    static let shape = Shape(Lot()) {
        $0.required("id", \.id)
        $0.required("title", \.title)
        $0.required("price", \.price)
        $0.optional("bidder", \.bidder)
        $0.required("bids", \.bids)
        $0.required("endsAt", \.endsAt)
        $0.required("isOpen", \.isOpen)
    }

    /// The least amount of the next bid: the starting price, or 5 % and at least 1 more than the highest bid.
    var leastBid: Money { bids == 0 ? price : price + max(1, price.share(0.05)) }
}
