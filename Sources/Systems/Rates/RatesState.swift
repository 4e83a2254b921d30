import JSON
import Reactive
import StateStore

/// The exchange rates of the US dollar, kept once for all spaces.
struct RatesState {
    let table = Variable<RateTable?>(nil)
    /// The request for rates in progress, or nil.
    let asked = Variable<RatesRequest?>(nil)
    /// The reason for the failure of the last request, or nil.
    let problem = Variable<String?>(nil)
}

/// The rates by currency code: `EUR`, `GBP`.
struct RateTable: Record {
    var rates: [String: Decimal] = [:]
    /// The time of the response, in microseconds since 1970.
    var asOf = 0

    static let shape = Shape(RateTable()) {
        $0.required("rates", \.rates)
        $0.required("asOf", \.asOf)
    }
}

/// A request for rates; its number is the version of its commit.
struct RatesRequest: Record {
    var number = 0

    static let shape = Shape(RatesRequest()) {
        $0.required("number", \.number)
    }
}

extension ExchangeCurrency {
    /// Creates the currency at its rate in a table; US dollars if the table has no rate.
    init(_ currency: Currency, _ table: RateTable?) {
        guard currency != .usd, let rate = table?.rates[currency.code] else { return }
        self.currency = currency
        self.rate = rate
    }
}
