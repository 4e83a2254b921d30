@testable import HTTP

/// The result of parsing bytes as requests: the requests, and the refusal that ended them.
struct Readings: Equatable, CustomStringConvertible {
    var requests: [String] = []
    var refusal: MessageFault?

    var description: String { "\(requests) \(refusal.map { "\($0.status.code) \($0.detail)" } ?? "")" }

    /// Parses `text` in slices of the given lengths; the last slice has the rest. `head` may be a used one.
    init(_ text: String, slices: [Int] = [], into head: RequestHead = RequestHead(ServerLimits())) {
        var left = Array(text.utf8)[...]
        var reader = Reader(head: head)
        do throws(MessageFault) {
            for length in slices + [left.count] {
                let slice = left.prefix(length)
                left = left.dropFirst(length)
                try reader.take(slice) { requests.append($0) }
            }
        } catch {
            refusal = error
        }
    }

    static func == (one: Readings, other: Readings) -> Bool {
        one.requests == other.requests && one.refusal?.status == other.refusal?.status
    }
}

/// A parser that feeds a head and a decoder as a connection does.
private struct Reader {
    let head: RequestHead
    private var bytes: [UInt8] = []
    private var seen = 0
    private var chunks: (decoder: ChunkDecoder, position: Int, body: [UInt8])?

    init(head: RequestHead) {
        self.head = head
    }

    mutating func take(_ more: ArraySlice<UInt8>, _ tell: (String) -> Void) throws(MessageFault) {
        var bytes = self.bytes + more
        var seen = self.seen
        defer { (self.bytes, self.seen) = (bytes, seen) }
        while !bytes.isEmpty, try head.read(bytes.span, seen: &seen) {
            var end = head.length
            var body: [UInt8] = []
            switch head.framing {
            case .none: break
            case .length(let count):
                end += count
                guard end <= bytes.count else { return }
                body = Array(bytes[head.length..<end])
            case .chunks:
                var (decoder, position, soFar) = chunks ?? (ChunkDecoder(), head.length, [])
                guard try decoder.decode(bytes.span, &position, into: &soFar, head.limits) else {
                    chunks = (decoder, position, soFar)
                    return
                }
                chunks = nil
                (end, body) = (position, soFar)
            }
            let fields = head.fields(in: bytes.span).map { field in
                Octet.text(bytes.span, field.name) + "=" + Octet.text(bytes.span, field.value)
            }
            tell(
                "\(Octet.text(bytes.span, head.methodName)) \(Octet.text(bytes.span, head.target)) 1.\(head.minorVersion) "
                    + "\(fields.joined(separator: "|")) \(String(decoding: body, as: UTF8.self)) \(head.isPersistent) \(head.expectsContinue)"
            )
            bytes.removeFirst(end)
            seen = 0
        }
    }
}
