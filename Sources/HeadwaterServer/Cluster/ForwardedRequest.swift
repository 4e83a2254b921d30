import HTTP
import StateStore

/// A request that this node may have to send to the owner of its space: a copy of what the owner needs of it.
final class ForwardedRequest: Sendable {
    /// The parameter that marks the request on the owner's side, so that it is never forwarded twice. Names that begin
    /// with `_` are free.
    static let mark = "_forwarded"

    let space: SpaceName
    /// The request as HTTP/1.1, whose connection closes after the answer.
    let bytes: [UInt8]
    /// The idempotency key that was sent, or made for this request; nil if the request takes none.
    let key: String?
    /// True if the client has sent the key.
    let isClientKey: Bool
    /// True if the request changes nothing, so that it can be repeated.
    let isRead: Bool

    /// The fields that go along, besides the key.
    private static let fields: [KnownField] = [
        .host, .contentType, .accept, .ifMatch, .ifNoneMatch, .prefer, .authorization, .origin, .requestID,
        .contentEncoding, .secFetchSite, .secFetchMode, .secFetchDest,
    ]

    /// Copies a request. An action gets a key of its own if the client has sent none, so that it can be repeated.
    init(_ request: borrowing Request, of space: SpaceName, takesKey: Bool) {
        self.space = space
        let target = request.target
        // The length of an answer to HEAD says nothing of its own. This node leaves the content out.
        let method = request.method == .head ? "GET" : request.methodName
        var text = "\(method) \(target)\(target.contains("?") ? "&" : "?")\(Self.mark)=1 HTTP/1.1\r\n"
        for field in Self.fields {
            if let value = request.field(field) { text += "\(field.name): \(value)\r\n" }
        }
        isRead = request.method == .get || request.method == .head
        let sent = request.field(.idempotencyKey)
        isClientKey = sent != nil
        key = sent ?? (takesKey ? Self.newKey() : nil)
        if let key { text += "idempotency-key: \(key)\r\n" }
        text += "connection: close\r\ncontent-length: \(request.body.count)\r\n\r\n"
        var bytes = Array(text.utf8)
        bytes.reserveCapacity(bytes.count + request.body.count)
        request.body.withUnsafeBytes { bytes += $0 }
        self.bytes = bytes
    }

    /// Returns a random key.
    static func newKey() -> String {
        String(UInt64.random(in: .min ... .max), radix: 36) + String(UInt64.random(in: .min ... .max), radix: 36)
    }

    /// The nanoseconds for which the request is tried.
    var patience: Int64 { isClientKey ? 10_000_000_000 : 3_000_000_000 }
}
