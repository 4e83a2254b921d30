import StateStore

/// The parts to change; omitted parts stay.
struct PartSelection: Record {
    var shape: GuitarShape?
    var color: GuitarColor?
    var body: GuitarBody?
    var fretboard: Fretboard?

    static let shape: Shape<PartSelection> = Shape(PartSelection()) {
        $0.optional("shape", \.shape)
        $0.optional("color", \.color)
        $0.optional("body", \.body)
        $0.optional("fretboard", \.fretboard)
    }
}

/// The name of a shipping option.
struct ShippingName: Record {
    var name = ""

    static let shape = Shape(ShippingName()) {
        $0.required("name", \.name, .line(1...100))
    }
}

/// A currency.
struct CurrencyName: Record {
    var currency = Currency.usd

    static let shape = Shape(CurrencyName()) {
        $0.required("currency", \.currency)
    }
}

/// A currency without a rate, with the reason.
struct CurrencyFailure: Record {
    var currency = Currency.usd
    var reason = ""

    static let shape = Shape(CurrencyFailure()) {
        $0.required("currency", \.currency)
        $0.required("reason", \.reason)
    }
}

/// A failed checkout, with the reason.
struct CheckoutFailure: Record {
    var number = 0
    var reason = ""

    static let shape = Shape(CheckoutFailure()) {
        $0.required("number", \.number)
        $0.required("reason", \.reason)
    }
}

/// The number of an order.
struct OrderNumber: Record {
    var number = ""

    static let shape = Shape(OrderNumber()) {
        $0.required("number", \.number)
    }
}

/// An order that may or may not have been placed, with the reason.
struct OrderFailure: Record {
    var number = ""
    var reason = ""

    static let shape = Shape(OrderFailure()) {
        $0.required("number", \.number)
        $0.required("reason", \.reason)
    }
}
