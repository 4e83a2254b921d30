import JSON
import Reactive
import StateStore
import Streams
import Testing

/// The limits of what a space remembers.
struct MemoryLimitTests {
    private static func stream(_ id: String, _ operators: String) -> String {
        #"{"id":"\#(id)","source":{"view":"numbers.one"},"operators":[\#(operators)]}"#
    }

    @Test func `a space has at most 100 definitions that remember, and others beside them: Law HISTORY5`() throws {
        let yard = try Yard(formulas: .byHeart)
        for number in 1...100 {
            #expect(
                yard.put(Self.stream("d\(number)", #"{"dropFirst":{"count":1}}"#)) == "\(number) streams.definitions")
        }
        let refused = yard.put(Self.stream("more", #"{"dropFirst":{"count":1}}"#))
        #expect(refused.contains("there are 100 streams over live views that remember, which is the limit"))
        #expect(yard.put(Self.stream("plain", #"{"map":{"expression":"value * 2"}}"#)) == "101 streams.definitions")
        #expect(yard.put(Self.stream("d7", #"{"dropFirst":{"count":2}}"#)) == "102 streams.definitions")
        #expect(yard.post("streams/remove", #"{"id":"d1"}"#) == "103 streams.definitions")
        #expect(yard.put(Self.stream("more", #"{"dropFirst":{"count":1}}"#)) == "104 streams.definitions")
    }

    /// A string of 4,000 letters, doubled seven times.
    private static let long =
        ([#"{"map":{"expression":"'\#(String(repeating: "x", count: 4_000))'"}}"#]
        + Array(repeating: #"{"map":{"expression":"value + value"}}"#, count: 7)).joined(separator: ",")

    @Test func `a definition that remembers more than 1 MiB fails, and the commit and the others stand: Law HISTORY5`()
        throws
    {
        let yard = try Yard(formulas: .cel)
        _ = yard.put(Self.stream("long", #"{"filter":{"expression":"true"}},\#(Self.long),{"collect":{"count":100}}"#))
        _ = yard.put(Self.stream("all", #"{"scan":{"initialValue":0,"expression":"accumulated + value"}}"#))
        for one in 2...4 { #expect(yard.post("numbers/set", "{\"one\":\(one)}") == "\(one + 1) numbers.one") }
        #expect(yard.get("streams.long").contains("remembers more than 1048576 bytes"))
        #expect(yard.get("streams.all") == "streams.all=10")
        let kept = try yard.commits(after: 3).flatMap(\.facts).filter { $0.variable == "~streams.long" }
        #expect(kept.contains { $0.entry == "end" && $0.value != nil })
        #expect(kept.allSatisfy { $0.entry == "end" || $0.value == nil })
    }

    @Test func `each definition has an equal share of the steps of a commit, whatever others take: Law HISTORY5`()
        throws
    {
        let yard = try Yard(formulas: .cel)
        // A value of about 500 KB costs about 500 steps, 16 times over. There are 8 definitions beside.
        let filter = #"{"filter":{"expression":"size(value + 'x') > 0"}}"#
        let costly = Array(repeating: filter, count: 16).joined(separator: ",")
        for id in ["a", "b"] {
            let put = yard.put(
                Self.stream(
                    id, #"{"dropFirst":{"count":1}},\#(Self.long),\#(costly),{"map":{"expression":"size(value)"}}"#))
            #expect(put.hasSuffix(" streams.definitions"))
        }
        #expect(yard.post("numbers/set", #"{"one":2}"#) == "3 numbers.one")
        #expect(["a", "b"].map { yard.get("streams.\($0)") } == ["streams.a=512000", "streams.b=512000"])
        for number in 1...6 {
            #expect(
                yard.put(Self.stream("d\(number)", #"{"dropFirst":{"count":1}}"#))
                    == "\(number + 3) streams.definitions")
        }
        #expect(yard.post("numbers/set", #"{"one":3}"#) == "10 numbers.one")
        for id in ["a", "b"] {
            let shown = yard.get("streams.\(id)")
            #expect(shown.contains("failed") && shown.contains("more than 6250 steps"), "\(shown)")
        }
        for number in 1...6 { #expect(yard.get("streams.d\(number)") == "streams.d\(number)=3") }
    }
}
