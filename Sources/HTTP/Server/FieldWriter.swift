/// Writes the fields of an answer.
public struct FieldWriter: ~Copyable {
    var bytes: [UInt8]
    /// Whether the content itself is left out: the answer to HEAD.
    let isHead: Bool
    private let id: RequestID
    private let isPersistent: Bool
    private unowned(unsafe) let server: Server

    init(appendingTo bytes: consuming [UInt8], isHead: Bool, _ id: RequestID, isPersistent: Bool, of server: Server) {
        self.bytes = bytes
        self.isHead = isHead
        self.id = id
        self.isPersistent = isPersistent
        self.server = server
    }

    /// Adds bytes as they are.
    @inline(__always)
    mutating func append(_ more: [UInt8]) { bytes.append(contentsOf: more) }

    /// Adds text as it is.
    @inline(__always)
    mutating func append(_ text: StaticString) { text.withUTF8Buffer { bytes.append(contentsOf: $0) } }

    /// A field.
    public mutating func field(_ name: StaticString, _ value: StaticString) {
        append(name)
        append(": ")
        append(value)
        append("\r\n")
    }

    /// A field whose value stands between quotation marks. It holds letters, digits and the like, and nothing else.
    public mutating func quoted(_ name: StaticString, _ value: String) {
        append(name)
        append(": \"")
        bytes.append(contentsOf: value.utf8)
        append("\"\r\n")
    }

    /// A field. What could end it is left out of the value.
    public mutating func field(_ name: StaticString, _ value: String) {
        append(name)
        append(": ")
        if value.utf8.allSatisfy(Octet.isContent) {
            bytes.append(contentsOf: value.utf8)
        } else {
            bytes.append(contentsOf: value.utf8.filter(Octet.isContent))
        }
        append("\r\n")
    }

    /// A field whose value is a number.
    public mutating func field(_ name: StaticString, _ value: Int) {
        append(name)
        append(": ")
        Self.append(value, to: &bytes)
        append("\r\n")
    }

    /// A field that is written already up to a number within its value.
    public mutating func field(begunAs start: [UInt8], _ number: Int, _ end: StaticString) {
        append(start)
        Self.append(number, to: &bytes)
        append(end)
    }

    /// Ends the fields, and adds the content.
    mutating func finish(_ content: [UInt8], hasContent: Bool) {
        if hasContent { field("Content-Length", content.count) }
        server.appendCommonFields(id, isPersistent: isPersistent, to: &bytes)
        if hasContent, !isHead { append(content) }
    }

    /// Ends fields that have said the content's length, and adds the content.
    mutating func finish(prepared content: [UInt8]) {
        server.appendCommonFields(id, isPersistent: isPersistent, to: &bytes)
        if !isHead { append(content) }
    }

    /// Writes a number that is not negative.
    public static func append(_ number: Int, to bytes: inout [UInt8]) {
        var divisor = 1
        while number / divisor >= 10 { divisor *= 10 }
        while divisor > 0 {
            bytes.append(UInt8(ascii: "0") + UInt8(number / divisor % 10))
            divisor /= 10
        }
    }
}
