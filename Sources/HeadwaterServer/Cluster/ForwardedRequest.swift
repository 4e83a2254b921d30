import HTTP
import StateStore

/// A request that this node may have to send to the owner of its space: a copy of what the owner needs of it.
final class ForwardedRequest: Sendable {
    /// The parameter that marks the request on the owner's side, so that it is never forwarded twice. Names that begin
    /// with `_` are free.
    static let mark = "_forwarded"

    let space: SpaceName
    private let copy: RequestCopy
    private let body: [UInt8]
    /// The idempotency key that was sent, or made for this request; nil if the request takes none.
    let key: String?
    /// True if the client has sent the key.
    let isClientKey: Bool
    /// True if the request changes nothing, so that it can be repeated.
    let isRead: Bool
    /// The place of the request in a trace; nil for none.
    private let trace: TraceContext?
    /// The node that has to answer; nil for the owner of the space.
    let node: String?

    /// The fields that go along, besides the key.
    private static let fields: [KnownField] = [
        .host, .contentType, .accept, .ifMatch, .ifNoneMatch, .prefer, .authorization, .origin, .requestID,
        .queue, .clientTime, .document, .contentEncoding, .secFetchSite, .secFetchMode, .secFetchDest, .forwardedFor,
        .traceState,
    ]

    /// Copies a request. If the client has sent no key, it gets `newKey`.
    init(
        _ request: borrowing Request, body: [UInt8]?, of space: SpaceName, newKey: @autoclosure () -> String?,
        node: String? = nil, isRepeatable: Bool = false, trace: TraceContext? = nil
    ) {
        self.trace = trace
        self.node = node
        self.space = space
        self.body = body ?? []
        copy = RequestCopy(request)
        let sent = request.field(.idempotencyKey)
        isClientKey = sent != nil
        key = sent ?? newKey()
        isRead = request.method == .get || request.method == .head || isRepeatable
    }

    /// Returns the request line and the fields as HTTP/1.1, without the key and the length.
    private static func head(of request: borrowing Request) -> [UInt8] {
        var head: [UInt8] = []
        head.reserveCapacity(512)
        // The length of an answer to HEAD says nothing of its own. This node leaves the content out.
        head += (request.method == .head ? "GET" : request.methodName).utf8
        head.append(UInt8(ascii: " "))
        let start = head.count
        request.append(request.head.target, to: &head)
        head.append(UInt8(ascii: head[start...].contains(UInt8(ascii: "?")) ? "&" : "?"))
        head += "\(mark)=1 HTTP/1.1\r\n".utf8
        for field in fields where request.has(field) {
            field.name.withUTF8Buffer { head += $0 }
            head += ": ".utf8
            if request.head.isRepeated(field) {
                head += (request.field(field) ?? "").utf8
            } else if let value = request.head.value(of: field) {
                request.append(value, to: &head)
            }
            head += "\r\n".utf8
        }
        return head
    }

    /// The request as HTTP/1.1, whose connection closes after the answer.
    var bytes: [UInt8] {
        // Every action of an owner makes a copy, and few are sent: those whose lane has moved.
        var bytes: [UInt8] = []
        copy.read { bytes = Self.head(of: $0) }
        bytes.reserveCapacity(bytes.count + body.count + 128)
        if let key { bytes += "idempotency-key: \(key)\r\n".utf8 }
        if let trace { bytes += "traceparent: \(trace.text)\r\n".utf8 }
        bytes += "connection: close\r\ncontent-length: \(body.count)\r\n\r\n".utf8
        bytes += body
        return bytes
    }

    /// The space in the target of a forwarded request, whose loop serves it; nil for none.
    static func space(of bytes: [UInt8]) -> SpaceName? {
        let words = bytes.prefix { $0 != UInt8(ascii: "\r") }.split(separator: UInt8(ascii: " "))
        guard words.count == 3, let path = Target(Array(words[1]))?.segments, path.starts(with: ["v1", "spaces"]) else {
            return nil
        }
        return path.dropFirst(2).first.flatMap { SpaceName($0) }
    }

    /// A copy of a request that one node has to answer, and that can be repeated.
    convenience init(_ request: borrowing Request, toNode node: String, trace: TraceContext?) {
        self.init(
            request, body: request.content, of: .common, newKey: nil, node: node, isRepeatable: true, trace: trace)
    }

    /// The nanoseconds for which the request is tried.
    var patience: Int64 { isClientKey ? 10_000_000_000 : 3_000_000_000 }
}
