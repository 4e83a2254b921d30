@testable import HTTP
import Testing

/// Law H1: the contents of a head do not depend on the heads that were parsed into the same object before.
@Suite struct AgainTests {
    private static func post(_ target: String, _ body: String, _ fields: String = "") -> String {
        "POST \(target) HTTP/1.1\r\nHost: a\r\n\(fields)Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    /// Heads with the same beginning or the same length.
    private static let alike =
        [
            post("/a", "xy"), post("/a", "yx"), post("/a", "x"), post("/a", "x", "X: y\r\n"), post("/b", "xy"),
            post("/a", "xyxyxyxyxyxy"),
            // A body that is a head itself.
            post("/a", post("/a", "xy")), post("/a", "\r\n\r\n"), "\r\n" + post("/a", "xy"),
            // Heads that differ in one field only.
            post("/a", "xy", "Connection: close\r\n"), post("/a", "xy", "Connection: clove\r\n"),
            post("/a", "xy", "Expect: 100-continue\r\n"), "GET /a HTTP/1.1\r\nHost: a\r\n\r\n",
            "GET /a HTTP/1.0\r\nHost: a\r\n\r\n",
            "GET /a HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", "GET /a HTTP/1.1\r\nHost: a\r\n\n",
            "GET /a HTTP/1.1\r\nHost: a\r\n",
            "POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nxy\r\n0\r\n\r\n",
            "POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\nA: b\r\n\r\n",
            "GET http://b/a HTTP/1.1\r\nHost: a\r\n\r\n",
            post("/a", "xy", "X: \(String(repeating: "y", count: 1_100))\r\n"),
            "GET /a HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "y", count: 17_000))\r\n\r\n",
        ] + ReadingTests.accepted.map(\.text)

    @Test func `a head's contents do not depend on the heads before it`() {
        var random = SystemRandomNumberGenerator()
        let head = RequestHead(ServerLimits())
        for round in 0..<4_000 {
            // Most heads repeat the one before.
            let texts = (0..<Int.random(in: 1...4, using: &random)).map { _ in
                Self.alike.randomElement(using: &random) ?? ""
            }
            let text = round % 2 == 0 ? texts.joined() : String(repeating: texts[0], count: texts.count)
            var slices: [Int] = []
            for _ in 0..<Int.random(in: 0...4, using: &random) { slices.append(Int.random(in: 1...80, using: &random)) }
            #expect(Readings(text, slices: slices, into: head) == Readings(text), "\(text.prefix(400)) in \(slices)")
        }
    }

    @Test func `only a head with the same bytes is recognized`() throws {
        let head = RequestHead(ServerLimits())
        func read(_ text: String) throws(MessageFault) -> Bool {
            var seen = 0
            return try head.read(Array(text.utf8).span, seen: &seen)
        }
        func isKnown(_ text: String) -> Bool { head.isAgain(at: Array(text.utf8).span) }
        let text = Self.post("/a", "xy")
        #expect(!isKnown(text))
        #expect(try read(text))
        #expect(isKnown(text) && isKnown(Self.post("/a", "yx")) && isKnown(text.replacing("xy", with: "")))
        #expect(!isKnown(Self.post("/b", "xy")) && !isKnown(Self.post("/a", "x")) && !isKnown(String(text.dropLast(3))))
        // An incomplete head, a refused one and one above the limit are not recognized.
        #expect(try !read(String(text.dropLast(3))))
        #expect(!isKnown(text))
        #expect(try read(text))
        #expect((try? read(text.replacing("Host", with: "Most"))) == nil)
        #expect(!isKnown(text) && !isKnown(text.replacing("Host", with: "Most")))
        let long =
            "GET /a HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "y", count: RequestHead.rememberedBytesLimit))\r\n\r\n"
        #expect(try read(long))
        #expect(!isKnown(long) && !isKnown(text))
    }
}
