import JSON
import StateStore

/// A currency that prices are shown in.
enum Currency: String, Choice {
    case usd, eur, gbp, ils

    var symbol: String {
        switch self {
        case .usd: "$"
        case .eur: "€"
        case .gbp: "£"
        case .ils: "₪"
        }
    }

    /// How tables of rates call it.
    var code: String { rawValue.uppercased() }
}

/// A currency and what a US dollar is worth in it.
struct Money: Equatable {
    var currency = Currency.usd
    var rate: Decimal = 1

    /// An amount of US dollars in this currency, to the cent.
    func amount(_ dollars: Decimal) throws -> Decimal {
        try dollars.multiplied(by: rate, places: 2)
    }

    /// The same as a text: `$2,350.00`.
    func formatted(_ dollars: Decimal) throws -> String {
        guard let cents = try (amount(dollars) * 100).int64 else { return "" }
        let whole = String(cents / 100)
        let fraction = String(cents % 100 + 100).dropFirst()
        var grouped = ""
        for (index, digit) in whole.enumerated() {
            if index > 0, (whole.count - index).isMultiple(of: 3) { grouped.append(",") }
            grouped.append(digit)
        }
        return "\(currency.symbol)\(grouped).\(fraction)"
    }
}

extension Money {
    /// What sending costs: `Free`, or an amount.
    func formattedShipping(_ dollars: Decimal) throws -> String {
        dollars == 0 ? "Free" : try formatted(dollars)
    }
}
