import JSON
import Reactive
import StateStore

/// A response with unusable content, with the reason.
struct UnusableResponse: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// Returns the reason for a failed request, for the view.
func words(for error: any Error) -> String {
    switch error {
    case let error as TimeoutError: "there was no answer within \(error.duration.components.seconds) seconds"
    case let error as FetchFailure: error.description
    case let error as UnusableResponse: error.description
    default: "\(error)"
    }
}

extension OutgoingResponse {
    /// True for a status from 200 to 299.
    var isSuccess: Bool { (200..<300).contains(status) }
}

extension Outside {
    /// Fetches JSON. Any other status than success fails, and so does malformed JSON.
    func fetchJSON(_ request: OutgoingRequest, from name: String) -> Observable<JSON> {
        fetch(request).map { response in
            guard response.isSuccess else { throw UnusableResponse("\(name) answered \(response.status)") }
            do {
                return try JSON(parsing: response.body)
            } catch {
                throw UnusableResponse("\(name) answered with malformed JSON: \(error)")
            }
        }
    }
}

extension Observable {
    /// Returns this observable with a timeout of 10 s, and with two retries, after 0.5 s and after 2 s.
    func withTimeoutAndRetries(on clock: any Scheduler) -> Observable<Value> {
        timeout(.seconds(10), on: clock).retry(after: [.milliseconds(500), .seconds(2)], on: clock)
    }
}

extension JSON {
    func bool(_ name: String) throws(UnusableResponse) -> Bool {
        guard case .bool(let value)? = self[name] else { throw Self.lack(name, "true or false") }
        return value
    }

    func text(_ name: String) throws(UnusableResponse) -> String {
        guard case .string(let value)? = self[name] else { throw Self.lack(name, "a text") }
        return value
    }

    func number(_ name: String) throws(UnusableResponse) -> Decimal {
        guard case .number(let value)? = self[name] else { throw Self.lack(name, "a number") }
        return value
    }

    func list(_ name: String) throws(UnusableResponse) -> [JSON] {
        guard case .array(let value)? = self[name] else { throw Self.lack(name, "an array") }
        return value
    }

    private static func lack(_ name: String, _ kind: String) -> UnusableResponse {
        UnusableResponse("the response has no \(name) that is \(kind)")
    }
}
