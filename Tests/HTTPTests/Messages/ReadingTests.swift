@testable import HTTP
import Testing

/// Laws H1 and H3, for the parser alone.
@Suite struct ReadingTests {
    private static let host = "Host: a\r\n"

    static let accepted: [(text: String, body: String)] = [
        ("GET / HTTP/1.1\r\nHost: a\r\n\r\n", ""), ("\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", ""),
        ("GET / HTTP/1.0\r\n\r\n", ""),
        ("GET /a?b=%20&c=+ HTTP/1.1\r\nHost:a\r\nX-Y.z: \t v \u{e9} w \t\r\nEmpty:\r\n\r\n", ""),
        ("GET http://a:80/x HTTP/1.1\r\nHost: b\r\n\r\n", ""), ("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", ""),
        ("GET http://a?x HTTP/1.1\r\nHost: b\r\n\r\n", ""),
        ("M-SEARCH / HTTP/1.1\r\nHost: [::1]:8\r\nConnection: close\r\n\r\n", ""),
        ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello", "hello"),
        ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0005\r\n\r\nhello", "hello"),
        ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", "hello"),
        (
            "POST / HTTP/1.1\r\nHost: a\r\ntransfer-ENCODING: CHUNKED\r\n\r\n00000005;x=\"y\"\r\nhello\r\na;\r\n0123456789\r\n0;z\r\n\r\n",
            "hello0123456789"
        ),
        ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nA: b\r\nC:\r\n\r\n", ""),
        ("POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\nx", "x"),
    ]

    static let refused: [(text: String, status: Int)] =
        [
            "GET / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a, b\r\n\r\n",
            "GET / HTTP/1.1\nHost: a\n\n",
            "GET / HTTP/1.1\r\nHost: a\nX: y\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\n X: y\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\nX : y\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\nX: y\rz\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nX: \u{1}\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\nX\r\n\r\n",
            // A line that begins with a lone CR is not the empty line, which would hide the fields after it.
            "GET / HTTP/1.1\r\nHost: a\r\n\rX: y\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\n\rContent-Length: 5\r\n\r\nhello",
            "GET / HTTP/1.1\r\nHost: a\r\n: y\r\n\r\n", "GET /\u{e9} HTTP/1.1\r\nHost: a\r\n\r\n",
            "GET / / HTTP/1.1\r\nHost: a\r\n\r\n",
            "GET /\r\nHost: a\r\n\r\n",
            "GET /#a HTTP/1.1\r\nHost: a\r\n\r\n", "GET /%1 HTTP/1.1\r\nHost: a\r\n\r\n",
            "GET /%g0 HTTP/1.1\r\nHost: a\r\n\r\n",
            "GET a HTTP/1.1\r\nHost: a\r\n\r\n",
            "GET http:/// HTTP/1.1\r\nHost: a\r\n\r\n", "GET ftp://a/ HTTP/1.1\r\nHost: a\r\n\r\n",
            "G(T / HTTP/1.1\r\nHost: a\r\n\r\n",
            "\u{0}",
            "GET / HTTP/1\r\nHost: a\r\n\r\n", "GET / HTTP/11\r\nHost: a\r\n\r\n", "GET / FTTP/1.1\r\nHost: a\r\n\r\n",
            "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        ].map { ($0, 400) } + [
            ("GET / HTTP/2.0\r\nHost: a\r\n\r\n", 505), ("GET / HTTP/1.1\r\nHost: a\r\nExpect: x\r\n\r\n", 417),
            ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1048577\r\n\r\n", 413),
            (
                "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nfffff\r\n"
                    + String(repeating: "x", count: 0xFFFFF)
                    + "\r\n2\r\n", 413
            ),
            ("GET /" + String(repeating: "x", count: 8_200), 414),
            ("GET / HTTP/1.1\r\nX: " + String(repeating: "x", count: 17_000), 431),
            ("GET / HTTP/1.1\r\n" + String(repeating: "X: y\r\n", count: 101) + "\r\n", 431),
            (
                "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX: "
                    + String(repeating: "x", count: 17_000), 431
            ),
        ]

    @Test(arguments: accepted) func `an unambiguous request is parsed`(_ text: String, _ body: String) {
        let reading = Readings(text)
        #expect(reading.refusal == nil && reading.requests.count == 1, "\(reading)")
        #expect(reading.requests.first?.contains(" \(body) ") == true)
        // The bytes after it belong to the next request.
        #expect(Readings(text + text + "GET").requests == reading.requests + reading.requests)
    }

    @Test(arguments: refused) func `an ambiguous or malformed request is refused with its status`(
        _ text: String, _ status: Int
    ) {
        #expect(Readings(text).refusal?.status.code == status, "\(Readings(text))")
        #expect(Readings(text).requests.isEmpty)
    }

    @Test func `the slices of the bytes make no difference`() {
        var random = SystemRandomNumberGenerator()
        let texts = Self.accepted.map { $0.text + "GET /next HTTP/1.1\r\nHost: a\r\n\r\n" } + Self.refused.map(\.text)
        for text in texts {
            let whole = Readings(text)
            let count = text.utf8.count
            if count < 2_000 {
                #expect(Readings(text, slices: Array(repeating: 1, count: count)) == whole, "\(text.prefix(200))")
            }
            for _ in 0..<10 {
                var slices: [Int] = []
                while slices.reduce(0, +) < count {
                    slices.append(Int.random(in: 1...max(1, count / 3), using: &random))
                }
                #expect(Readings(text, slices: slices) == whole, "\(text.prefix(200)) in \(slices)")
            }
        }
    }

    @Test func `corrupted messages give the same result in any slices`() {
        var random = SystemRandomNumberGenerator()
        for round in 0..<3_000 {
            var bytes = Array(Self.accepted[round % Self.accepted.count].text.utf8)
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[place] = [0, 10, 13, 32, 58, 59, 48, 127].randomElement(using: &random) ?? 0
                case 1: bytes.remove(at: place)
                default: bytes.insert(contentsOf: bytes[place...].prefix(8), at: place)
                }
            }
            let text = String(decoding: bytes, as: UTF8.self)
            let whole = Readings(text)
            #expect(Readings(text, slices: Array(repeating: 1, count: text.utf8.count)) == whole, "\(text)")
        }
    }
}
