@testable import HTTP
@testable import HeadwaterServer
import Platform
import Testing

/// The answers to requests that one node performs for another.
@Suite struct ForwardedAnswerTests {
    private static func answer(_ fields: String, _ body: [UInt8]) -> [UInt8] {
        Array("HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\n\(fields)\r\n".utf8) + body
    }

    /// Returns what a node sends back if its server sends some bytes, in pieces, and closes the connection.
    private func served(_ answer: [UInt8]) throws -> [UInt8] {
        let received = Lock<[UInt8]?>(nil)
        let request = RequestInProcess.answered(Array("a request".utf8), limit: 1_000_000) { bytes in
            received.with { $0 = bytes }
        }
        var rest = answer[...]
        while !rest.isEmpty, request.take(Array(rest.prefix(70_000))) { rest = rest.dropFirst(70_000) }
        request.end()
        return try #require(received.with { $0 })
    }

    @Test func `a whole answer arrives as it is`() throws {
        let answer = Self.answer("", Array("{}".utf8))
        #expect(try served(answer) == answer)
    }

    @Test func `a request whose answer is lost counts as one that may have run`() throws {
        for answer in [[], Array("HTTP/1.1 200 OK\r\nContent-Le".utf8)] {
            let bytes = try served(answer)
            #expect(!bytes.isEmpty && ForwardedAnswer(bytes) == nil)
        }
    }

    @Test func `the outcome of a request with a too large answer is unknown and it is not run again`() throws {
        let answer = try #require(
            ForwardedAnswer(try served(Self.answer("", [UInt8](repeating: 32, count: 2_000_000)))))
        #expect(answer.isUnknown && !answer.isNotRun)
    }

    @Test func `a node writes the fields for the page of another origin itself`() throws {
        let fields =
            "Access-Control-Allow-Origin: https://a.example\r\nAccess-Control-Expose-Headers: ETag\r\nETag: \"1\"\r\n"
        let answer = try #require(ForwardedAnswer(Self.answer(fields, [])))
        let kept = String(decoding: answer.fields, as: UTF8.self)
        #expect(kept.contains("ETag: \"1\"\r\n") && !kept.contains("Access-Control"))
    }
}
