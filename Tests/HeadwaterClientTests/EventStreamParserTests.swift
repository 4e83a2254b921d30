@testable import HeadwaterClient
import ServiceInProcess
import Testing

@Suite struct EventStreamParserTests {
    private func parse(_ text: String) throws -> [String] {
        var parser = EventStreamParser()
        return try parser.feed(Array(text.utf8)).map { "\($0.name)|\(String(decoding: $0.data, as: UTF8.self))" }
    }

    @Test(arguments: [
        ("data: a\n\n", ["|a"]), ("event: stream\r\ndata: {}\r\n\r\n", ["stream|{}"]),
        ("data: a\rdata:b\r\r", ["|a\nb"]), (": comment\n\n", []), ("event: x\n\ndata: a\n\n", ["|a"]),
        ("\u{FEFF}data: a\n\n", ["|a"]), ("data\n\n", ["|"]), ("id: 7\nretry: 10\ndata:  a\n\n", ["| a"]),
        ("data: a\n", []), ("data: \u{FEFF}ä\n\ndata: b\n\n", ["|\u{FEFF}ä", "|b"]),
    ])
    func `lines end with CR, LF or CRLF, and an empty line ends an event`(_ text: String, _ events: [String]) throws {
        #expect(try parse(text) == events)
    }

    @Test func `bytes in pieces of any size give the same events`() throws {
        var entropy = Entropy(seed: 7)
        let letters = Array("data: \r\n:ev\u{FEFF}ent".utf8)
        for _ in 0..<2_000 {
            let bytes = (0..<entropy.below(60)).map { _ in entropy.one(of: letters) }
            var whole = EventStreamParser()
            let expected = try whole.feed(bytes)
            var pieces = EventStreamParser()
            var found: [EventStreamParser.StreamMessage] = []
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = 1 + entropy.below(rest.count)
                found += try pieces.feed(Array(rest.prefix(count)))
                rest = rest.dropFirst(count)
            }
            #expect(found == expected, "\(bytes)")
        }
    }

    @Test func `an event has a greatest size`() throws {
        var parser = EventStreamParser(bytesLimit: 100)
        _ = try parser.feed(Array("data: \(String(repeating: "a", count: 90))\n\n".utf8))
        #expect(throws: EventStreamParser.TooLong.self) {
            for _ in 0..<20 { _ = try parser.feed(Array("data: 1234567890\n".utf8)) }
        }
    }
}
