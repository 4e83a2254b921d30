import JSON
import Testing

@Suite struct WritingTests {
    @Test func `strings are escaped only as RFC 8259 requires`() throws {
        #expect("\"\\\u{8}\u{C}\n\r\t\u{0}\u{1F}\u{1A}".jsonText == #""\"\\\b\f\n\r\t\u0000\u001f\u001a""#)
        #expect("/\u{7F}é\u{2028}\u{2029}😀".jsonText == "\"/\u{7F}é\u{2028}\u{2029}😀\"")
        #expect("".jsonText == "\"\"")
        #expect(
            "plain words of some length, then \" and more".jsonText
                == #""plain words of some length, then \" and more""#)
    }

    @Test(arguments: [
        (0.0, "0"), (-0.0, "0"), (1.0, "1"), (-1.0, "-1"), (0.5, "0.5"), (0.1 + 0.2, "0.30000000000000004"),
        (1e21, "1e+21"),
        (1e20, "100000000000000000000"),
        (1e-7, "1e-7"), (0x1p53, "9007199254740992"), (.leastNonzeroMagnitude, "5e-324"),
        (.greatestFiniteMagnitude, "1.7976931348623157e+308"),
        (123456.789, "123456.789"),
    ])
    func `doubles are written in the shortest form that reads back`(_ value: Double, _ text: String) throws {
        #expect(value.jsonText == text)
        #expect(try Double(parsing: Array(text.utf8)) == value)
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity])
    func `a double without a JSON form is reported, and null is written in its place`(_ value: Double) {
        var writer = JSONWriter()
        writer.array { writer in
            writer.element(value)
            writer.element(1)
        }
        #expect(writer.failure?.reason == .notFinite)
        #expect(writer.failure?.offset == 1)
        #expect(writer.bytes == Array("[null,1]".utf8))
        #expect(throws: JSONError.self) { try [value].json() }
    }

    @Test func `integers of every size are written`() {
        #expect(Int64.min.jsonText == "-9223372036854775808")
        #expect(Int64.max.jsonText == "9223372036854775807")
        #expect(UInt64.max.jsonText == "18446744073709551615")
        #expect([0, 9, 10, 99, 100, -7].jsonText == "[0,9,10,99,100,-7]")
    }

    @Test func `a writer appends to a given buffer, and reuses a kept buffer`() {
        var writer = JSONWriter(appendingTo: Array("data: ".utf8))
        writer.object { writer in
            writer.field("a", [1, 2])
            writer.field("b") { $0.array { $0.element { $0.null() } } }
            writer.field("c", written: Array("{}".utf8))
            writer.field("\"", nil as Int?)
        }
        #expect(writer.bytes == Array(#"data: {"a":[1,2],"b":[null],"c":{},"\"":null}"#.utf8))
        writer.reset()
        writer.bool(false)
        #expect(writer.bytes == Array("false".utf8))
    }

    @Test func `a dictionary is written in sorted order of its names`() {
        #expect(["b": 1, "a": 2, "c": 3].jsonText == #"{"a":2,"b":1,"c":3}"#)
    }
}

extension JSONWritable {
    /// The value as JSON text, regardless of write failures.
    fileprivate var jsonText: String {
        var writer = JSONWriter()
        write(to: &writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
