import JSON
import StateStore

/// A currency for prices in the view.
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

    /// The code in rate tables: `EUR`.
    var code: String { rawValue.uppercased() }
}

/// A currency and its rate: the value of one US dollar.
struct ExchangeCurrency: Equatable {
    var currency = Currency.usd
    var rate: Decimal = 1

    /// Returns an amount of US dollars in this currency, rounded to the cent.
    func amount(_ dollars: Decimal) throws -> Decimal {
        try dollars.multiplied(by: rate, places: 2)
    }

    /// Returns the amount as text: `$2,350.00`.
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

extension ExchangeCurrency {
    /// Returns the shipping price as text: `Free`, or an amount.
    func formattedShipping(_ dollars: Decimal) throws -> String {
        dollars == 0 ? "Free" : try formatted(dollars)
    }
}
