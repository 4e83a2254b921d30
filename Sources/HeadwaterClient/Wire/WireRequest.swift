/// A request of the client, as a transport sends it.
public struct WireRequest: Sendable {
    /// The method.
    public var method = "POST"
    /// The path below the server's address: `v1/live`.
    public var path: String
    /// The header fields.
    public var fields: [(name: String, value: String)]
    /// The body.
    public var body: [UInt8]
    /// True if the answer is an event stream, which does not end by itself.
    public var isStream = false

    /// A request with a body in JSON.
    package init(_ path: String, _ body: [UInt8], fields: [(name: String, value: String)] = []) {
        self.path = path
        self.body = body
        self.fields = [("Content-Type", "application/json")] + fields
    }
}

/// A piece of the answer to a request. Exactly one `end` comes last.
public enum WireEvent: Sendable {
    /// The status and the header fields, whose names are in lower case.
    case head(status: Int, fields: [String: String])
    /// A part of the body.
    case bytes([UInt8])
    /// The end. It is early if the connection failed.
    case end(isEarly: Bool)
}

/// A whole answer.
package struct WireReply: Sendable {
    package var status: Int
    package var fields: [String: String] = [:]
    package var body: [UInt8] = []

    /// The seconds after which a repeat makes sense, at most one hour.
    package var retryAfter: Duration? {
        fields["retry-after"].flatMap { Int($0) }.map { .seconds(min(max($0, 0), 3_600)) }
    }
}
