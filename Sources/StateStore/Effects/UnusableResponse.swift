public import JSON
public import Reactive

/// A response with unusable content, with the reason.
public struct UnusableResponse: Error, CustomStringConvertible, Sendable {
    /// The reason.
    public let description: String

    /// A reason.
    public init(_ description: String) {
        self.description = description
    }
}

extension OutgoingResponse {
    /// True for a status from 200 to 299.
    public var isSuccess: Bool { (200..<300).contains(status) }
}

extension Outside {
    /// Fetches JSON. Any other status than success fails, and so does malformed JSON. `name` is the other server's name
    /// in the reasons: "the publisher".
    ///
    ///     outside.fetchJSON(OutgoingRequest("GET", url, target: "publisher"), from: "the publisher")
    ///         .withTimeoutAndRetries(on: outside.scheduler)
    ///         .map { try $0.number("pages") }
    public func fetchJSON(_ request: OutgoingRequest, from name: String) -> Observable<JSON> {
        fetch(request).map { response in
            guard response.isSuccess else { throw UnusableResponse("\(name) answered \(response.status)") }
            do {
                return try JSON(parsing: response.body)
            } catch {
                throw UnusableResponse("\(name) answered with malformed JSON: \(error)")
            }
        }
    }

    /// Returns the reason for a failed request in words that a view can show.
    public static func words(for error: any Error) -> String {
        switch error {
        case let error as TimeoutError: "there was no answer within \(error.duration.components.seconds) seconds"
        case let error as FetchFailure: error.description
        case let error as UnusableResponse: error.description
        default: "\(error)"
        }
    }
}

extension Observable {
    /// Returns this observable with a timeout of 10 s, and with two retries, after 0.5 s and after 2 s.
    public func withTimeoutAndRetries(on scheduler: any Scheduler) -> Observable<Value> {
        timeout(.seconds(10), on: scheduler).retry(after: [.milliseconds(500), .seconds(2)], on: scheduler)
    }
}

extension JSON {
    /// Returns a member that is true or false, or throws.
    public func bool(_ name: String) throws(UnusableResponse) -> Bool {
        guard case .bool(let value)? = self[name] else { throw Self.lack(name, "true or false") }
        return value
    }

    /// Returns a member that is a text, or throws.
    public func text(_ name: String) throws(UnusableResponse) -> String {
        guard case .string(let value)? = self[name] else { throw Self.lack(name, "a text") }
        return value
    }

    /// Returns a member that is a number, or throws.
    public func number(_ name: String) throws(UnusableResponse) -> Decimal {
        guard case .number(let value)? = self[name] else { throw Self.lack(name, "a number") }
        return value
    }

    /// Returns a member that is an array, or throws.
    public func list(_ name: String) throws(UnusableResponse) -> [JSON] {
        guard case .array(let value)? = self[name] else { throw Self.lack(name, "an array") }
        return value
    }

    private static func lack(_ name: String, _ kind: String) -> UnusableResponse {
        UnusableResponse("the response has no \(name) that is \(kind)")
    }
}
