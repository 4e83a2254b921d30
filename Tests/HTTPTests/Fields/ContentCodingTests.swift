@testable import HTTP
import Testing

/// The coding that the field `Accept-Encoding` asks for (RFC 9110, section 12.5.3).
@Suite struct ContentCodingTests {
    static let fields: [(fields: [String], coding: ContentCoding)] = [
        ([], .identity), ([""], .identity), (["gzip"], .gzip), (["x-gzip"], .gzip), (["GZip"], .gzip),
        (["gzip, deflate, br, zstd"], .gzip), (["br,gzip ; q=0.1"], .gzip), (["br", "gzip"], .gzip),
        (["deflate, br"], .identity), (["identity"], .identity), (["*"], .gzip), (["*;q=0.001"], .gzip),
        (["gzip;q=0"], .identity), (["gzip;q=0.000, *"], .identity), (["*;q=0, gzip"], .gzipOnly),
        (["gzip, identity;q=0"], .gzipOnly), (["*, identity;q=0"], .gzipOnly), (["identity;q=0"], .none),
        (["*;q=0"], .none), (["br, *;q=0"], .none), (["gzip;q=0, identity;q=0"], .none),
        (["identity, *;q=0"], .identity), (["identity;q=0.5, *;q=0"], .identity),
        (["gzip;q=0.5, identity"], .identity), (["gzip;q=0.5, identity;q=0.4"], .gzip), (["gzip, identity"], .gzip),
        (["gzip;q=1.000"], .gzip), (["gzip;Q=1"], .gzip), ([" , ,\tgzip\t;\tq=1 ,"], .gzip),
        // An invalid value is ignored.
        (["gzip;q=2"], .identity), (["gzip;q=1.001"], .identity), (["gzip;q=0.1234"], .identity),
        (["gzip;q="], .identity), (["gzip;q=a"], .identity), (["gzip;level=9"], .identity), (["gzip;"], .identity),
        (["gzipped"], .identity), (["g zip"], .identity),
    ]

    @Test(arguments: fields) func `a client gets gzip if it weighs no less than identity`(
        _ fields: [String], _ coding: ContentCoding
    ) throws {
        let head = RequestHead(ServerLimits())
        let lines = fields.map { "Accept-Encoding: \($0)\r\n" }.joined()
        let bytes = Array("GET / HTTP/1.1\r\nHost: a\r\n\(lines)\r\n".utf8)
        var seen = 0
        let isWhole = try head.read(bytes.span, seen: &seen)
        #expect(isWhole && head.coding == coding)
    }

    @Test func `a reused head does not keep the coding of the previous one`() throws {
        let head = RequestHead(ServerLimits())
        for (text, coding) in [("Accept-Encoding: gzip\r\n", ContentCoding.gzip), ("", .identity)] {
            let bytes = Array("GET / HTTP/1.1\r\nHost: a\r\n\(text)\r\n".utf8)
            var seen = 0
            let isWhole = try head.read(bytes.span, seen: &seen)
            #expect(isWhole && head.coding == coding)
        }
    }

    @Test func `text is worth compressing, pictures and archives are not`() {
        for type: StaticString in [
            "application/json", "application/problem+json", "application/yaml", "text/html; charset=utf-8",
            "text/javascript; charset=utf-8", "image/svg+xml", "text/plain; version=0.0.4",
        ] {
            #expect(ContentCoding.isWorthwhile(type), "\(type)")
        }
        for type: StaticString in ["application/octet-stream", "image/png", "font/woff2", "application/gzip"] {
            #expect(!ContentCoding.isWorthwhile(type), "\(type)")
        }
    }
}
