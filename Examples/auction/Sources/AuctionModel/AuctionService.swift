public import StateModel

/// The actions of the auction.
public struct AuctionService: StateService {
    /// Offers a lot; answers its id.
    public let offer: AnsweringAction<NewLot, String>
    /// Places a bid; answers the least amount of the next one.
    public let bid: AnsweringAction<Bid, Money>
    /// Ends a lot.
    public let end: InternalAction<LotEnd>

    /// A bid shortly before the end moves the end, so that others can answer it.
    static let grace = Duration.seconds(30)

    /// The parts over the state.
    public init(_ auction: AuctionState) {
        offer = AnsweringAction { input, commit throws(Rejection) in
            let id = commit.newID()
            let end = commit.now + .seconds(60 * input.minutes)
            commit[auction.lots, id] = Lot(id: id, title: input.title, price: input.price, endsAt: end)
            commit[auction.ends, id] = end
            return id
        }
        bid = AnsweringAction { input, commit throws(Rejection) in
            guard var lot = commit[auction.lots, input.lot] else {
                throw .conflict("there is no lot \(input.lot)", at: "lot")
            }
            guard lot.isOpen, commit.now < lot.endsAt else { throw .conflict("the lot is closed", at: "lot") }
            let bidder = try Self.bidder(of: input, commit.caller)
            guard bidder != lot.bidder else { throw .conflict("\(bidder) has the highest bid already", at: "lot") }
            guard input.amount >= lot.leastBid else {
                throw .conflict("the least bid is \(lot.leastBid)", at: "amount")
            }
            (lot.price, lot.bidder, lot.bids) = (input.amount, bidder, lot.bids + 1)
            lot.endsAt = max(lot.endsAt, commit.now + Self.grace)
            commit[auction.lots, lot.id] = lot
            commit[auction.ends, lot.id] = lot.endsAt
            return lot.leastBid
        }
        end = InternalAction { input, commit throws(Rejection) in
            guard var lot = commit[auction.lots, input.lot], lot.isOpen, lot.endsAt == input.end else {
                throw .conflict("a bid has moved the end")
            }
            lot.isOpen = false
            commit[auction.lots, lot.id] = lot
            commit[auction.ends, lot.id] = nil
            if lot.bidder != nil { commit[auction.sold] += lot.price }
        }
    }

    /// The bidder: the caller, whom nobody can name but the caller's token; the name in the bid without tokens.
    private static func bidder(of bid: Bid, _ caller: Caller) throws(Rejection) -> String {
        guard let subject = caller.subject else {
            guard let name = bid.name else { throw .invalid("say who bids", at: "name") }
            return name
        }
        guard bid.name == nil || bid.name == subject else {
            throw .conflict("\(subject) cannot bid in the name of another", at: "name")
        }
        return subject
    }
}
