/// Writes the fields of an answer.
public struct FieldWriter: ~Copyable {
    /// It is lent while the answer is written, by an exchange that keeps the connection.
    private unowned(unsafe) let connection: Connection
    private let isPersistent: Bool

    init(_ connection: Connection, isPersistent: Bool) {
        self.connection = connection
        self.isPersistent = isPersistent
    }

    /// Begins the answer.
    func begin(_ status: Status) {
        if status.code == 200 { return connection.output.own.append("HTTP/1.1 200 OK\r\n") }
        connection.output.own.append("HTTP/1.1 ")
        connection.output.own.append(status.code)
        connection.output.own.append(" ")
        connection.output.own.append(status.reason)
        connection.output.own.append("\r\n")
    }

    /// Adds fields that are written already, each with its end.
    func append(_ fields: [UInt8]) { connection.output.own.append(fields) }

    /// A field.
    public mutating func field(_ name: StaticString, _ value: StaticString) {
        connection.output.own.append(name)
        connection.output.own.append(": ")
        connection.output.own.append(value)
        connection.output.own.append("\r\n")
    }

    /// A field whose value stands between quotation marks. It holds letters, digits and the like, and nothing else.
    public mutating func quoted(_ name: StaticString, _ value: String) {
        connection.output.own.append(name)
        connection.output.own.append(": \"")
        connection.output.own.append(value)
        connection.output.own.append("\"\r\n")
    }

    /// A field. What could end it is left out of the value.
    // Otherwise a value that is written in the program would be taken for this one's.
    @_disfavoredOverload
    public mutating func field(_ name: StaticString, _ value: String) {
        connection.output.own.append(name)
        connection.output.own.append(": ")
        if value.utf8.allSatisfy(Octet.isContent) {
            connection.output.own.append(value)
        } else {
            connection.output.own.append(Array(value.utf8.filter(Octet.isContent)))
        }
        connection.output.own.append("\r\n")
    }

    /// A field whose value is a number.
    public mutating func field(_ name: StaticString, _ value: Int) {
        connection.output.own.append(name)
        connection.output.own.append(": ")
        connection.output.own.append(value)
        connection.output.own.append("\r\n")
    }

    /// A field that is written already up to a number within its value.
    public mutating func field(begunAs start: [UInt8], _ number: Int, _ end: StaticString) {
        connection.output.own.append(start)
        connection.output.own.append(number)
        connection.output.own.append(end)
    }

    /// Ends the fields, and adds the content.
    mutating func finish(_ content: [UInt8], hasContent: Bool) {
        if hasContent { field("Content-Length", content.count) }
        finish(prepared: hasContent ? content : [])
    }

    /// Ends fields that have said the content's length, and adds the content; the answer to HEAD has none.
    mutating func finish(prepared content: [UInt8]) {
        connection.server.appendCommonFields(connection.requestID, to: &connection.output.own)
        connection.output.own.append(isPersistent ? "\r\n\r\n" : "\r\nConnection: close\r\n\r\n")
        if !connection.isHead { connection.output.own.append(content) }
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
