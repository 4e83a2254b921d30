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
