import Testing

@testable import HeadwaterServer

/// The parser of server-sent events of `headwater watch`.
@Suite struct EventParserTests {
    /// Streams, and the events of each as the HTML standard describes them.
    static let cases: [(stream: String, events: [String])] = [
        ("data: a\n\n", ["message|a"]), ("data:a\r\rdata: b\r\n\r\n", ["message|a", "message|b"]),
        ("\u{FEFF}data: bom\n\n", ["message|bom"]), ("data: a\n\u{FEFF}data: b\n\n", ["message|a"]),
        ("data\n\n", ["message|"]), ("data\ndata\n\n", ["message|\n"]), ("data:\n\n", ["message|"]),
        ("data: a\ndata: b\n\n", ["message|a\nb"]), ("data:  two\n\n", ["message| two"]),
        ("data:\tx\n\n", ["message|\tx"]),
        ("event: e\ndata: a\n\ndata: b\n\n", ["e|a", "message|b"]), ("event: e\n\ndata: b\n\n", ["message|b"]),
        ("event: e\nevent: f\ndata: a\n\n", ["f|a"]), (": comment\ndata: a\n\n", ["message|a"]),
        (":\n\n:\n\n", []), ("data: no end", []), ("data: a\n", []), ("Data: a\n\n", []), (" data: a\n\n", []),
        ("id: 7\nretry: 5\nx: y\ndata: a\n\n", ["message|a"]), ("data: a:b: c\n\n", ["message|a:b: c"]),
        ("data: \u{0}\n\n", ["message|\u{0}"]), ("data: ü€😀\n\n", ["message|ü€😀"]),
        ("\n\n\ndata: a\n\n\n\n", ["message|a"]),
    ]

    @Test(arguments: Self.cases)
    func `events are read as the standard says, in pieces of any size`(_ stream: String, _ events: [String]) {
        let bytes = Array(stream.utf8)
        for size in [bytes.count, 1, 2, 3] {
            var parser = EventParser()
            var found: [String] = []
            for start in stride(from: 0, to: bytes.count, by: max(size, 1)) {
                found += parser.take(bytes[start..<min(start + size, bytes.count)]).map { "\($0.name)|\($0.data)" }
            }
            #expect(found == events, "\(stream.debugDescription) in pieces of \(size)")
        }
    }

    @Test func `any bytes are read without a trap`() {
        for seed in 0..<200 {
            var entropy = SystemRandomNumberGenerator()
            var parser = EventParser()
            let alphabet = Array("data: event\n\r\u{FEFF}".utf8) + [0, 0xFF, 0x80]
            let bytes = (0..<200).map { _ in alphabet[Int.random(in: 0..<alphabet.count, using: &entropy)] }
            let events = parser.take(bytes)
            #expect(events.count <= 100, "\(seed): \(bytes)")
        }
    }
}
