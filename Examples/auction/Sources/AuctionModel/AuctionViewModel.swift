public import Reactive
public import StateModel

/// The views of the auction.
public struct AuctionViewModel: ViewModel {
    /// The open lots, the next end first.
    public let open: OrderedRows<String, Lot>
    /// The closed lots.
    public let closed: OrderedRows<String, Lot>
    /// One lot.
    public let lot: ParameterView<LotReference, Lot?>
    /// The sum of the prices of all sold lots.
    public let sold: Observable<Money>

    /// The parts over the state.
    public init(_ auction: AuctionState) {
        open = auction.lots.filter { _, lot in lot.isOpen }.sorted(by: \.endsAt)
        closed = auction.lots.filter { _, lot in !lot.isOpen }.sorted(by: \.endsAt)
        lot = ParameterView { input in auction.lots.row(input.id) }
        sold = auction.sold.removeDuplicates()
    }
}

/// The id of a lot.
public struct LotReference: Record {
    /// The id of the lot.
    public var id = ""

    /// A blank value.
    public init() {}

    /// A value of its fields.
    public init(id: String) { self.id = id }
}
