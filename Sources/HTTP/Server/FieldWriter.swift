/// Writes the fields of an answer.
public struct FieldWriter: ~Copyable {
    var bytes: [UInt8]
    /// Whether the content itself is left out: the answer to HEAD.
    let isHead: Bool
    /// What every answer has, written already.
    let common: [UInt8]

    init(appendingTo bytes: consuming [UInt8], isHead: Bool, common: [UInt8]) {
        self.bytes = bytes
        self.isHead = isHead
        self.common = common
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

    /// Ends the fields, and adds the content.
    mutating func finish(_ content: [UInt8], hasContent: Bool) {
        if hasContent { field("Content-Length", content.count) }
        append(common)
        append("\r\n")
        if hasContent, !isHead { append(content) }
    }

    /// Ends fields that have said the content's length, and adds the content.
    mutating func finish(prepared content: [UInt8]) {
        append(common)
        append("\r\n")
        if !isHead { append(content) }
    }

    /// Writes a number that is not negative.
    public static func append(_ number: Int, to bytes: inout [UInt8]) {
        if number < 10 { return bytes.append(UInt8(ascii: "0") + UInt8(number)) }
        var number = number
        let start = bytes.count
        while number > 0 {
            bytes.append(UInt8(ascii: "0") + UInt8(number % 10))
            number /= 10
        }
        bytes[start...].reverse()
    }
}
