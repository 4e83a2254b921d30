import JSON
import Testing

/// Documents that RFC 8259 and RFC 7493 accept and refuse.
@Suite struct GrammarTests {
    static let accepted: [String] = [
        "null", "true", "false", "0", "-0", "1", "-1", "10", "1.5", "-1.5", "0.5", "1e2", "1E2", "1e+2", "1e-2", "0e0",
        "0e+1", "-0.0e-0",
        "123456789012345678", "-9223372036854775808", "9223372036854775807", "1.0000000000000000000000000000000000000",
        "1e20", "1e308",
        "5e-324",
        "0.000000000000000000000000000000000000000000000000000000000000000000000000000001", "123.456e78", "0.1e1",
        "100000000000000000000",
        #""""#, #"" ""#, #""a""#, #""é""#, #""€""#, #""😀""#, #""\"\\\/\b\f\n\r\t""#, #""\u0000""#, #""\u00e9\u00E9""#,
        #""\uD83D\uDE00""#,
        #""\uDBFF\uDFFF""#, #""\\u0061""#, #""/""#, "\"\u{7F}\"", "\"\u{2028}\u{2029}\"", "\"\u{FEFF}\"",
        "\"\u{10FFFF}\"", "\"\u{FFFF}\"",
        #""\\""#, #""\\\"""#, #""twelve bytes and more, so that words are looked at""#,
        #""long with an escape: \n and then more of it""#,
        "[]", "[ ]", "[1]", "[1,2]", "[[]]", "[{}]", "[null, 1, \"1\", {}]", "[1\n]", "{}", "{ }", #"{"a":1}"#,
        #"{"":0}"#,
        #"{"a":1,"b":2}"#,
        #"{"a":{"a":{"a":1}}}"#, "{\"\u{E9}\":1,\"e\u{301}\":2}", #"{"\u0000":1}"#, " \t\r\n1 \t\r\n", "[ 1 , 2 ]",
        #"{ "a" : 1 , "b" : 2 }"#,
        #"{"a":[],"b":{}}"#, #"[""]"#, "[-0]", #"{"a\"b":1}"#,
    ]

    static let refused: [String] = [
        "", " ", "nul", "nulll", "Null", "NULL", "tru", "True", "fals", "falsee", "nan", "NaN", "-NaN", "Infinity",
        "-Infinity", "inf",
        "undefined",
        "+1", "-", "--1", "01", "-01", "00", "1.", ".5", "-.5", "1.e1", "1e", "1e+", "1e-", "1eE2", "1e1.5", "0x10",
        "1_000", "1,000",
        "1 000", "1a",
        "0e", "0.e1", "2.e3", "9.e+", "-a", "1-", "1+1", "１", "1e1000", "1e-400", "12345678901234567891",
        "0.12345678901234567891",
        "-9223372036854775809",
        "\"", "\"a", "a\"", "'a'", "a", #""\""#, #""\x41""#, #""\a""#, #""\u""#, #""\u1""#, #""\u12""#, #""\u123""#,
        #""\u123g""#,
        #""\U0041""#, #""\ ""#,
        #""\uD800""#, #""\uDC00""#, #""\uD800\uD800""#, #""\uD800a""#, #""\uD800\n""#, #""\uDE00\uD83D""#,
        #""\uD83D\u0041""#, #""\uD83D\"#,
        "\"\n\"", "\"\t\"", "\"\u{0}\"", "\"\u{1F}\"", "\"\\\n\"",
        "\"a\nlong one, in which the control character comes early\"",
        "[", "]", "[1", "[1,", "[1,]", "[,1]", "[,]", "[1 2]", "[1,,2]", "[1;2]", "[1}", "[[]", "[]]", "[1:2]", "[a]",
        "[\"a]", "[-]",
        "[1,\n", "[*]",
        "{", "}", "{,}", "{a:1}", "{'a':1}", "{1:1}", #"{"a"}"#, #"{"a":}"#, #"{"a":1,}"#, #"{"a" 1}"#,
        #"{"a":1 "b":2}"#, #"{"a"::1}"#,
        #"{"a":1]"#,
        #"{"a":1"#, #"{"a":"#, #"{"a""#, #"{"a":1,,"b":2}"#, #"{,"a":1}"#, #"{"a":1}}"#, #"{null:1}"#,
        #"{"a":1;"b":2}"#, #"{"a":1,a:2}"#,
        #"{[]:1}"#,
        #"{"a":1,"a":1}"#, #"{"a":1,"\u0061":2}"#, #"[{"b":{"a":1,"c":2,"a":3}}]"#,
        "1 2", "{} {}", "[] x", "1,", "// c\n1", "/* c */ 1", "1 // c", "# c\n1", "\u{FEFF}1", "1\u{0}", "\u{A0}1",
        "\u{C}1", "\u{B}1",
        "1\u{2028}",
        "null null", "\"a\" \"b\"", "<null>", "[\u{FEFF}]", "true,", "!", "&", "*", "(1)",
    ]

    static let brokenUnicode: [(why: String, bytes: [UInt8])] = [
        ("a lone continuation byte", [0x80]), ("a byte that never occurs", [0xFF]),
        ("overlong in two bytes", [0xC0, 0xAF]),
        ("overlong in three bytes", [0xE0, 0x80, 0xAF]), ("overlong in four bytes", [0xF0, 0x80, 0x80, 0xAF]),
        ("an encoded surrogate", [0xED, 0xA0, 0x80]),
        ("a pair of encoded surrogates", [0xED, 0xA0, 0xBD, 0xED, 0xB8, 0x80]),
        ("beyond U+10FFFF", [0xF4, 0x90, 0x80, 0x80]), ("five bytes long", [0xF8, 0x88, 0x80, 0x80, 0x80]),
        ("cut off", [0xE2, 0x82]),
        ("Latin-1", [0xE9]), ("overlong zero", [0xC0, 0x80]),
    ]

    @Test(arguments: accepted)
    func `a document that follows the grammar is read and skipped`(_ document: String) throws {
        _ = try JSON(parsing: Array(document.utf8))
        #expect(throws: Never.self) { try SkippedValue(parsing: Array(document.utf8)) }
    }

    @Test(arguments: refused)
    func `a document that breaks the grammar is refused`(_ document: String) {
        #expect(throws: JSONError.self) { try JSON(parsing: Array(document.utf8)) }
    }

    @Test(arguments: brokenUnicode.map(\.bytes))
    func `invalid UTF-8 is refused at its offset, in values and in names, even when skipped`(_ bytes: [UInt8]) {
        let cases: [(document: [UInt8], offset: Int)] = [
            (Array("\"abc".utf8) + bytes + Array("\"".utf8), 4),
            (Array("\"abcdefghijkl\\n".utf8) + bytes + Array("\"".utf8), 15),
            (Array("{\"".utf8) + bytes + Array("\":1}".utf8), 2),
        ]
        for (document, offset) in cases {
            #expect(throws: JSONError(.invalidUTF8, at: offset)) { try JSON(parsing: document) }
            #expect(throws: JSONError(.invalidUTF8, at: offset)) { try SkippedValue(parsing: document) }
        }
        #expect(throws: JSONError.self) { try JSON(parsing: bytes) }
    }

    @Test(arguments: accepted)
    func `every prefix of a document is read or refused`(_ document: String) throws {
        let bytes = Array(document.utf8)
        let closed = document.hasSuffix("]") || document.hasSuffix("}") || document.hasSuffix("\"")
        for length in 0..<bytes.count where closed {
            #expect(throws: JSONError.self, "\(length) bytes") { try JSON(parsing: Array(bytes[..<length])) }
        }
        for length in 0..<bytes.count {
            _ = try? JSON(parsing: Array(bytes[..<length]))
            _ = try? SkippedValue(parsing: Array(bytes[..<length]))
        }
    }

    @Test(arguments: [
        ("", JSONError.Reason.unexpectedEnd, 0), ("[1,", .unexpectedEnd, 3), ("\"a", .unexpectedEnd, 2),
        (#""\"#, .unexpectedEnd, 2),
        ("\u{FEFF}1", .byteOrderMark, 0), ("[1,]", .unexpected(0x5D, expected: "a value"), 3),
        ("01", .unexpected(0x31, expected: "a fraction or the end of the number after a leading zero"), 1),
        ("-x", .unexpected(0x78, expected: "a digit"), 1),
        ("1 2", .unexpected(0x32, expected: "the end"), 2), ("\"\t\"", .controlCharacter(9), 1),
        (#""a\x""#, .invalidEscape, 2),
        (#""a\uDC00""#, .loneSurrogate, 2), (#"{"a":1,"a":2}"#, .duplicateMember("a"), 7),
        ("12345678901234567891", .numberNotExact, 0),
        ("trux", .unexpected(0x78, expected: "true"), 3),
    ])
    func `a refusal contains the reason and the byte offset`(
        _ document: String, _ reason: JSONError.Reason, _ offset: Int
    ) {
        let error = #expect(throws: JSONError.self) { try JSON(parsing: Array(document.utf8)) }
        #expect(error?.reason == reason)
        #expect(error?.offset == offset)
        #expect(error?.description.contains("byte \(offset)") == true)
    }
}

/// A skipped value of any kind.
struct SkippedValue: JSONReadable {
    init(from reader: inout JSONReader) throws(JSONError) { try reader.skip() }
}
