public import Reactive
public import StateModel

/// The lots of a sale.
public struct AuctionState {
    /// The lots by their ids.
    public let lots = Table<String, Lot>()
    /// The ends of the open lots. While a lot has a row here, an effect waits for its end.
    public let ends = Table<String, Timestamp>()
    /// The sum of the prices of all sold lots.
    public let sold = Variable(Money.zero)

    /// A blank value.
    public init() {}
}

/// Clients hold the lots and the sum, so a bid is on the screen at once. Only the clock of the server reads the ends.
extension AuctionState: ReplicatedState {
    /// The parts that clients hold.
    public static let replica = ReplicaParts<AuctionState> {
        $0.whole(\.lots)
        $0.whole(\.sold)
        $0.onServer(\.ends)
    }
}

/// A lot: a thing for sale, and the highest bid.
public struct Lot: Record {
    /// The id of the lot.
    public var id = ""
    /// The title.
    public var title = ""
    /// The highest bid, or the starting price before the first bid.
    public var price: Money = 0
    /// The highest bidder; nil before the first bid.
    public var bidder: String?
    /// The number of bids.
    public var bids = 0
    /// The end.
    public var endsAt = Timestamp(seconds: 0)
    /// False after the end.
    public var isOpen = true

    /// A blank value.
    public init() {}

    init(id: String, title: String, price: Money, endsAt: Timestamp) {
        (self.id, self.title, self.price, self.endsAt) = (id, title, price, endsAt)
    }

    /// The least amount of the next bid: the starting price, or 5 % and at least 1 more than the highest bid.
    public var leastBid: Money { bids == 0 ? price : price + max(1, price.share(0.05)) }
}
