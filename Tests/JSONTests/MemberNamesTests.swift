import JSON
import Testing

/// Objects with names known before reading.
struct MemberNamesTests {
    /// Returns the index of each name in document order, or the reason for refusing the document.
    private func places(_ names: [String], in document: String) -> String {
        let names = MemberNames(names)
        let bytes = Array(document.utf8)
        do throws(JSONError) {
            var places: [Int] = []
            let seen = try JSONReader.read(bytes.span) { reader throws(JSONError) in
                try reader.members(of: names) { place, reader throws(JSONError) in
                    places.append(place)
                    try reader.skip()
                }
            }
            #expect(seen == places.reduce(0 as UInt64) { $0 | 1 << UInt64($1) })
            return "\(places)"
        } catch {
            return "\(error.reason) at \(error.offset)"
        }
    }

    @Test(arguments: [
        (#"{}"#, "[]"),
        (#"{"a":1,"ab":2,"abcdefghi":3}"#, "[0, 1, 2]"),
        (#"{"abcdefghi":3,"ab":2,"a":1}"#, "[2, 1, 0]"),
        (#"{"ab":2}"#, "[1]"),
        (#" { "a" : 1 , "ab":2 , "abcdefghi" :3 } "#, "[0, 1, 2]"),
        (#"{"\u0061":1,"a\u0062":2}"#, "[0, 1]"),
        (#"{"a":"a\":","ab":"}"}"#, "[0, 1]"),
    ])
    func `names are found in any order and any notation`(document: String, told: String) {
        #expect(places(["a", "ab", "abcdefghi"], in: document) == told)
    }

    @Test func `names that need escapes are found in escaped form`() {
        let names = ["\"", "\\", "\n", "é"]
        #expect(places(names, in: #"{"\"":1,"\\":2,"\n":3,"é":4}"#) == "[0, 1, 2, 3]")
        #expect(places(names, in: #"{"\u00e9":1,"\u000A":2,"\u005c":3,"\u0022":4}"#) == "[3, 2, 1, 0]")
    }

    @Test func `a truncated, unknown or duplicate name is refused`() {
        let whole = #"{"a":1,"ab":2}"#
        for length in 0..<whole.utf8.count {
            #expect(
                places(["a", "ab"], in: String(whole.prefix(length))).hasPrefix("\(JSONError.Reason.unexpectedEnd)"),
                "\(length)")
        }
        #expect(places(["a"], in: #"{"a":1,"a":2}"#) == "\(JSONError.Reason.duplicateMember("a")) at 7")
        #expect(places(["a"], in: #"{"\u0061":1,"a":2}"#) == "\(JSONError.Reason.duplicateMember("a")) at 12")
        #expect(places(["ab"], in: #"{"a":1}"#) == "\(JSONError.Reason.unknownMember("a")) at 0")
        #expect(places([], in: #"{"a":1}"#) == "\(JSONError.Reason.unknownMember("a")) at 0")
        #expect(places(["a"], in: #"{"a"1}"#).contains("':'"))
    }

    @Test func `64 names are supported`() {
        let names = (0..<64).map { "n\($0)" }
        let document = "{" + names.reversed().map { "\"\($0)\":0" }.joined(separator: ",") + "}"
        #expect(places(names, in: document) == "\(Array((0..<64).reversed()))")
    }
}
