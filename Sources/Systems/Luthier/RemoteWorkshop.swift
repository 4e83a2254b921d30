import JSON
import Reactive
import StateStore

/// A workshop behind an HTTP API; docs/outside.md specifies its requests and responses.
struct RemoteWorkshop: Workshop {
    /// The base URL, without a slash at the end.
    let base: String
    let outside: Outside

    func isAvailable(_ guitar: Guitar) -> Observable<Bool> {
        ask("availability", about: guitar).map { try $0.bool("isAvailable") }
    }

    func buildEstimate(_ guitar: Guitar) -> Observable<String> {
        ask("build-estimate", about: guitar).map { try $0.text("buildEstimate") }
    }

    func shippingOptions(_ guitar: Guitar) -> Observable<[ShippingOption]> {
        ask("shipping-options", about: guitar).map { answer in
            try answer.list("shippingOptions").map { option in
                ShippingOption(
                    name: try option.text("name"), time: try option.text("time"), price: try option.number("price"))
            }
        }
    }

    func place(_ order: GuitarOrder) -> Observable<String> {
        .deferred {
            var request = OutgoingRequest("POST", "\(base)/orders", target: "workshop")
            request.fields = [.init("Content-Type", "application/json"), .init("Idempotency-Key", order.number)]
            request.body = try order.json()
            return outside.fetch(request).map { response in
                guard response.isSuccess else {
                    throw UnusableResponse("the workshop did not accept the order: it answered \(response.status)")
                }
                return order.number
            }
        }
    }

    private func ask(_ service: String, about guitar: Guitar) -> Observable<JSON> {
        let query =
            "shape=\(guitar.shape.rawValue)&color=\(guitar.color.rawValue)"
            + "&body=\(guitar.body.rawValue)&fretboard=\(guitar.fretboard.rawValue)"
        var request = OutgoingRequest("GET", "\(base)/\(service)?\(query)", target: "workshop")
        request.bodyLimitBytes = 64 * 1_024
        return outside.fetchJSON(request, from: "the workshop's \(service)")
    }
}
