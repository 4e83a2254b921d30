import JSON
import StateStore

/// An order, as it is placed and as its receipt shows it.
struct Order: Record {
    /// By which the workshop knows it: placed under the same number again, it is the same order.
    var number = ""
    var guitar = GuitarShown()
    var shipping = ""
    /// In the currency of the order.
    var total: Decimal = 0
    var formattedTotal = ""
    var currency = Currency.usd

    static let shape = Shape(Order()) {
        $0.required("number", \.number)
        $0.required("guitar", \.guitar)
        $0.required("shipping", \.shipping)
        $0.required("total", \.total)
        $0.required("formattedTotal", \.formattedTotal)
        $0.required("currency", \.currency)
    }
}

/// An order of which it is not known whether the workshop has it. Ordering again places this very one.
struct UncertainOrder: Record {
    var order = Order()
    var reason = ""

    static let shape = Shape(UncertainOrder()) {
        $0.required("order", \.order)
        $0.required("reason", \.reason)
    }
}
