import JSON
import Reactive
import StateStore

/// What a US dollar is worth in other currencies, known once for all spaces.
struct RatesState {
    let table = Variable<RateTable?>(nil)
    /// That the rates are to be fetched.
    let asked = Variable<RatesRequest?>(nil)
    /// Why they could not be had when they were last asked for.
    let problem = Variable<String?>(nil)
}

/// Rates by the codes of their currencies: `EUR`, `GBP`.
struct RateTable: Record {
    var rates: [String: Decimal] = [:]
    /// When they were had: microseconds since 1970.
    var asOf = 0

    static let shape = Shape(RateTable()) {
        $0.required("rates", \.rates)
        $0.required("asOf", \.asOf)
    }
}

/// That the rates were asked for, by the version that says so.
struct RatesRequest: Record {
    var number = 0

    static let shape = Shape(RatesRequest()) {
        $0.required("number", \.number)
    }
}

extension Money {
    /// A currency at the rate that a table has for it; US dollars where it has none.
    init(_ currency: Currency, _ table: RateTable?) {
        guard currency != .usd, let rate = table?.rates[currency.code] else { return }
        self.currency = currency
        self.rate = rate
    }
}
