import JSON
import StateStore

/// An order, as the workshop receives it and as the receipt shows it.
struct GuitarOrder: Record {
    /// The idempotency key: the workshop treats a repeated number as the same order.
    var number = ""
    var guitar = GuitarSummary()
    var shipping = ""
    /// The total in the currency of the order.
    var total: Decimal = 0
    var formattedTotal = ""
    var currency = Currency.usd

    static let shape = Shape(GuitarOrder()) {
        $0.required("number", \.number)
        $0.required("guitar", \.guitar)
        $0.required("shipping", \.shipping)
        $0.required("total", \.total)
        $0.required("formattedTotal", \.formattedTotal)
        $0.required("currency", \.currency)
    }
}

/// An order that the workshop may or may not have. Ordering again sends the same order.
struct UncertainOrder: Record {
    var order = GuitarOrder()
    var reason = ""

    static let shape = Shape(UncertainOrder()) {
        $0.required("order", \.order)
        $0.required("reason", \.reason)
    }
}
