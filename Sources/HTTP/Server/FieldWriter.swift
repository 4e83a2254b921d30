/// A writer of the fields of an answer.
package struct FieldWriter: ~Copyable {
    /// The output: unsent bytes, then the answer.
    var output: Outbox

    /// Begins an answer behind the bytes of `output`.
    init(_ status: Status, appendingTo output: consuming Outbox) {
        self.output = output
        // Fast path: nearly all answers have the status 200.
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

    /// Writes fields in their serialized form, each with its line end.
    package mutating func fields(_ written: StaticString) {
        output.append(written)
    }

    /// A field.
    package mutating func field(_ name: StaticString, _ value: StaticString) {
        output.append(name)
        output.append(": ")
        output.append(value)
        output.append("\r\n")
    }

    /// Writes a field with a quoted value. Precondition: the value needs no escaping.
    package mutating func quoted(_ name: StaticString, _ value: String) {
        output.append(name)
        output.append(": \"")
        output.append(text: value)
        output.append("\"\r\n")
    }

    // Disfavored, so that a literal value selects the overload for `StaticString`.
    /// Writes a field. Characters that would end the field are removed from the value.
    @_disfavoredOverload
    package mutating func field(_ name: StaticString, _ value: String) {
        output.append(name)
        output.append(": ")
        if value.utf8.allSatisfy(Octet.isContent) {
            output.append(text: value)
        } else {
            output.append(Array(value.utf8.filter(Octet.isContent)))
        }
        output.append("\r\n")
    }

    /// Writes a field with a number as its value.
    package mutating func field(_ name: StaticString, _ value: Int) {
        output.append(name)
        output.append(": ")
        output.append(value)
        output.append("\r\n")
    }

    /// Writes a field whose prepared value contains a number.
    package mutating func field(begunAs start: [UInt8], _ number: Int, _ end: [UInt8]) {
        output.append(start)
        output.append(number)
        output.append(end)
    }

    /// Writes a field that is prepared up to a number in its value.
    package mutating func field(begunAs start: [UInt8], _ number: Int, _ end: StaticString) {
        output.append(start)
        output.append(number)
        output.append(end)
    }
}
