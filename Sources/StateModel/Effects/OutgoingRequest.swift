/// A request to another server.
public struct OutgoingRequest: Hashable, Sendable {
    /// The default maximum size of a response body.
    public static let bodyLimitBytes = 8 * 1_024 * 1_024

    /// A header field.
    public struct HeaderField: Hashable, Sendable {
        /// The name.
        public let name: String
        /// The value.
        public let value: String

        /// A field.
        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The method: `GET`, `POST`.
    public var method: String
    /// The URL; its scheme is `http` or `https`.
    public var url: String
    /// The URL for problems and logs, without credentials and query.
    public var place: String {
        let text = url.prefix { $0 != "?" && $0 != "#" }
        guard let scheme = text.firstRange(of: "://") else { return String(text) }
        let rest = text[scheme.upperBound...]
        let authority = rest.prefix { $0 != "/" }
        guard let at = authority.lastIndex(of: "@") else { return String(text) }
        return String(text[..<scheme.upperBound] + rest[rest.index(after: at)...])
    }

    /// The header fields.
    public var fields: [HeaderField]
    /// The body; nil for none.
    public var body: [UInt8]?
    /// The time limit of the whole exchange.
    public var timeout: Duration
    /// The maximum size of the response body; a larger one is a failure.
    public var bodyLimitBytes: Int
    /// The label of the request in metrics: one of a few words, such as `github`.
    public var target: String
    /// The addresses that the request may connect to; nil for a URL that the operator has written: then any address, a
    /// proxy and redirects are permitted.
    package var reach: AddressReach?

    /// A request.
    public init(
        _ method: String = "GET", _ url: String, fields: [HeaderField] = [], body: [UInt8]? = nil,
        timeout: Duration = .seconds(10),
        bodyLimitBytes: Int = bodyLimitBytes, target: String
    ) {
        self.method = method
        self.url = url
        self.fields = fields
        self.body = body
        self.timeout = timeout
        self.bodyLimitBytes = bodyLimitBytes
        self.target = target
    }

    /// A request with `GET`.
    public init(_ url: String, fields: [HeaderField] = [], timeout: Duration = .seconds(10), target: String) {
        self.init("GET", url, fields: fields, timeout: timeout, target: target)
    }
}

/// A response of another server.
public struct OutgoingResponse: Hashable, Sendable {
    /// The status: 200 and so on.
    public let status: Int
    /// The header fields, in their order.
    public let fields: [OutgoingRequest.HeaderField]
    /// The body.
    public let body: [UInt8]

    /// A response.
    public init(status: Int, fields: [OutgoingRequest.HeaderField] = [], body: [UInt8] = []) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    /// The value of the first header field of a name, without regard to case (RFC 9110, section 5.1).
    public subscript(name: String) -> String? {
        fields.first { $0.name.utf8.elementsEqual(name.utf8) || $0.name.lowercased() == name.lowercased() }?.value
    }
}

extension OutgoingRequest: CustomStringConvertible, CustomReflectable {
    /// The method and the place: `GET https://example.org/books`, without credentials and query.
    public var description: String { "\(method) \(place)" }

    /// The parts that a person reads, the body as text, without credentials and query.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "request": description, "target": target,
                "body": (body.map { String(decoding: $0, as: UTF8.self) }) as Any,
            ], displayStyle: .struct)
    }
}

extension OutgoingResponse: CustomStringConvertible, CustomReflectable {
    /// The status and the beginning of the body: `200 {"pages":635}`.
    public var description: String { "\(status) \(text(limit: 200))" }

    /// The status and the body as text.
    public var customMirror: Mirror {
        Mirror(self, children: ["status": status, "body": text(limit: 10_000)], displayStyle: .struct)
    }

    private func text(limit: Int) -> String {
        String(decoding: body.prefix(limit), as: UTF8.self) + (body.count > limit ? "…" : "")
    }
}
