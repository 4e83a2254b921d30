import JSON
import Reactive
import StateStore

/// The effect that fetches rates on request, once for the whole server.
struct RatesEffects: Effects {
    let fetch: Effect

    init(_ rates: RatesState, _ outside: Outside, _ source: any RateSource) {
        fetch = Effect(for: rates.asked) { _ in
            source.rates().withTimeoutAndRetries(on: outside.scheduler)
                .flatMap { outside.perform("answered", RateTable(rates: $0)) }
                .catch { outside.perform("failed", RatesFailure(reason: Outside.words(for: $0))) }
        }
    }
}

/// A source of exchange rates: the value of one US dollar by currency code.
protocol RateSource {
    func rates() -> Observable<[String: Decimal]>
}

/// A built-in table of rates.
struct BuiltInRates: RateSource {
    func rates() -> Observable<[String: Decimal]> {
        .just(["EUR": 0.9, "GBP": 0.8, "ILS": 3.7])
    }
}

/// A source on the network; its response contains `{"rates": {"EUR": 0.9}}`.
struct RemoteRates: RateSource {
    let url: String
    let outside: Outside

    func rates() -> Observable<[String: Decimal]> {
        var request = OutgoingRequest("GET", url, target: "rates")
        request.bodyLimitBytes = 256 * 1_024
        return outside.fetchJSON(request, from: "the source of rates").map { answer in
            guard case .object(let listed)? = answer["rates"] else {
                throw UnusableResponse("the source of rates answered without rates")
            }
            var rates: [String: Decimal] = [:]
            for currency in Currency.allCases where currency != .usd {
                guard case .number(let rate)? = listed[currency.code], rate > 0, rate < 1_000_000 else { continue }
                rates[currency.code] = rate
            }
            return rates
        }
    }
}
