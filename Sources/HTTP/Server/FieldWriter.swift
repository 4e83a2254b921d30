/// Writes the fields of an answer.
public struct FieldWriter: ~Copyable {
    /// The answer, after the bytes that wait to be sent.
    var output: Outbox

    /// Begins an answer, after what is there.
    init(_ status: Status, appendingTo output: consuming Outbox) {
        self.output = output
        // Nearly all.
        guard status.code != 200 else {
            self.output.append("HTTP/1.1 200 OK\r\n")
            return
        }
        self.output.append("HTTP/1.1 ")
        self.output.append(status.code)
        self.output.append(" ")
        self.output.append(status.reason)
        self.output.append("\r\n")
    }

    /// Fields as they are written, each with its end.
    public mutating func fields(_ written: StaticString) {
        output.append(written)
    }

    /// A field.
    public mutating func field(_ name: StaticString, _ value: StaticString) {
        output.append(name)
        output.append(": ")
        output.append(value)
        output.append("\r\n")
    }

    /// A field whose value stands between quotation marks. It holds letters, digits and the like, and nothing else.
    public mutating func quoted(_ name: StaticString, _ value: String) {
        output.append(name)
        output.append(": \"")
        output.append(text: value)
        output.append("\"\r\n")
    }

    // Disfavoured, so that a value that is written in the program is not taken for one of these.
    /// A field. What could end it is left out of the value.
    @_disfavoredOverload
    public mutating func field(_ name: StaticString, _ value: String) {
        output.append(name)
        output.append(": ")
        if value.utf8.allSatisfy(Octet.isContent) {
            output.append(text: value)
        } else {
            output.append(Array(value.utf8.filter(Octet.isContent)))
        }
        output.append("\r\n")
    }

    /// A field whose value is a number.
    public mutating func field(_ name: StaticString, _ value: Int) {
        output.append(name)
        output.append(": ")
        output.append(value)
        output.append("\r\n")
    }

    /// A field that is written already but for a number within its value.
    public mutating func field(begunAs start: [UInt8], _ number: Int, _ end: [UInt8]) {
        output.append(start)
        output.append(number)
        output.append(end)
    }

    /// A field that is written already up to a number within its value.
    public mutating func field(begunAs start: [UInt8], _ number: Int, _ end: StaticString) {
        output.append(start)
        output.append(number)
        output.append(end)
    }
}
