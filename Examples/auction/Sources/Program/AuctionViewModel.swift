import Reactive
import StateStore

/// The views of the auction.
struct AuctionViewModel: ViewModel {
    /// The open lots, the next end first.
    let open: OrderedRows<String, Lot>
    /// The closed lots.
    let closed: OrderedRows<String, Lot>
    /// One lot.
    let lot: ParameterView<LotReference, Lot?>
    /// The sum of the prices of all sold lots.
    let sold: Observable<Money>

    init(_ auction: AuctionState) {
        open = auction.lots.filter { _, lot in lot.isOpen }.sorted(by: \.endsAt)
        closed = auction.lots.filter { _, lot in !lot.isOpen }.sorted(by: \.endsAt)
        lot = ParameterView { input in auction.lots.row(input.id) }
        sold = auction.sold.removeDuplicates()
    }
}

/// The id of a lot.
struct LotReference: Record {
    var id = ""

    static let shape = Shape(LotReference()) {
        $0.required("id", \.id)
    }
}
