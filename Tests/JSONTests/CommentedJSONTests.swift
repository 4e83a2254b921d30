import JSON
import Testing

/// JSON with comments and trailing commas, and the places of faults in it.
struct CommentedJSONTests {
    private func plain(_ text: String) -> String {
        String(decoding: CommentedJSON.plain(Array(text.utf8)), as: UTF8.self)
    }

    @Test(arguments: [
        ("{\"a\": 1, // one\n \"b\": [2, 3,],}", "{\"a\": 1,       \n \"b\": [2, 3 ] }"),
        ("/* x\n y */ 1", "    \n      1"), ("[1 /* , */ , /* */ ]", "[1                 ]"),
        ("\"// no, ] comment\"", "\"// no, ] comment\""), ("[\"a\\\"//\",]", "[\"a\\\"//\" ]"),
        ("1 // end", "1       "),
        ("[\"\\\\\",]// x", "[\"\\\\\" ]    "),
    ])
    func `comments and trailing commas become spaces`(_ text: String, _ expected: String) {
        #expect(plain(text) == expected)
        #expect(plain(text).utf8.count == text.utf8.count)
    }

    @Test(arguments: ["[,]", "{,}", "[1,,]", "/* no end", "/ 1", "{\"a\":,}", "[1,2", ",", "\"no end", "/"])
    func `other faults stay`(_ text: String) {
        #expect(throws: JSONError.self) { try JSON(parsing: CommentedJSON.plain(Array(text.utf8))) }
    }

    @Test func `random texts keep their length and their lines, and plain JSON stays as it is`() throws {
        var random = SplitMix64(seed: 7)
        let parts = Array("{}[],:\"\\/* \n\r1a".utf8)
        for _ in 0..<20_000 {
            let text = (0..<random.next() % 24).map { _ in parts[Int(random.next() % UInt64(parts.count))] }
            let plain = CommentedJSON.plain(text)
            #expect(plain.count == text.count)
            for index in text.indices where text[index] == 0x0A || text[index] == 0x0D {
                #expect(plain[index] == text[index])
            }
            if let value = try? JSON(parsing: text) {
                #expect(try JSON(parsing: plain) == value)
            }
        }
    }

    @Test func `a place has the line, the column and the text of the line`() {
        let text = Array("{\r\n  \"ä\": 1\n\"b\" 2}\n\n".utf8)
        let place = SourcePlace(of: text.firstIndex(of: UInt8(ascii: "2"))!, in: text)
        #expect(place.line == 3 && place.column == 5 && place.text == "\"b\" 2}" && "\(place)" == "line 3, column 5")
        #expect(SourcePlace(of: text.firstIndex(of: UInt8(ascii: "1"))!, in: text).column == 8)
        let end = SourcePlace(of: text.count, in: text)
        #expect(end.line == 3 && end.column == 7)
        #expect(SourcePlace(of: 0, in: []).line == 1)
        let long = Array((String(repeating: "x", count: 500) + "!").utf8)
        let far = SourcePlace(of: 500, in: long)
        #expect(far.column == 501 && far.text.count == 102 && far.text.hasPrefix("…"))
    }

    @Test func `a pointer leads to the offset of its value, or of the innermost one that is there`() {
        let text = Array(#"{"a": [1, {"b": "x"}], "c/d": true}"#.utf8)
        let pointers = ["", "/a", "/a/1/b", "/a/1/none/more", "/c~1d", "/none", "/a/7"].compactMap {
            JSONPointer(text: $0)
        }
        let offsets = JSONPointer.offsets(of: pointers, in: text)
        #expect(offsets == [0, 6, 16, 10, 30, 0, 6])
    }
}
