import GzipReading
import JSON
import ServiceInProcess
import Testing

/// Answers in gzip: to clients that ask for it, of content that is worth it, under the tag of the value.
@Suite struct CompressionTests {
    private static let bodies = [
        "/v1/spaces/main/views", "/v1/spaces/main/changes", "/openapi.yaml", "/v1",
        "/metrics", "/", "/v1/spaces/main/graph", "/v1/spaces/main/streams",
    ]

    private func service() throws -> ServiceInProcess {
        let service = try ServiceInProcess()
        for number in 0..<12 {
            let body = #"{"name": "\#(String(repeating: "\(number % 10)", count: 40))"}"#
            _ = try service.ask("POST /v1/spaces/main/user/logIn", [:], body)
        }
        return service
    }

    /// Sends a request and returns the fields and the bytes of the answer's body.
    private func ask(
        _ service: ServiceInProcess, _ line: String, _ coding: String? = nil, _ more: String = ""
    ) throws -> (head: String, body: [UInt8]) {
        let field = coding.map { "Accept-Encoding: \($0)\r\n" } ?? ""
        let bytes = try service.answer(
            to: [Array("\(line) HTTP/1.1\r\nHost: localhost\r\n\(field)\(more)\r\n".utf8)])
        let end = try #require((0..<bytes.count - 3).first { bytes[$0..<$0 + 4].elementsEqual("\r\n\r\n".utf8) })
        return (String(decoding: bytes[..<end], as: UTF8.self), Array(bytes[(end + 4)...]))
    }

    private func field(_ name: String, _ head: String) -> String? {
        let lines = head.split(separator: "\r\n").filter { $0.lowercased().hasPrefix("\(name): ") }
        return lines.isEmpty ? nil : lines.map { $0.dropFirst(name.count + 2) }.joined(separator: ", ")
    }

    private func content(_ gzip: [UInt8]) -> [UInt8] {
        let reader = GzipReader()
        reader.read(gzip)
        #expect(reader.isValid && reader.isFinished)
        return reader.content
    }

    @Test(arguments: bodies) func `a body above 1 KiB goes in gzip to a client that asks, under the same tag`(
        _ path: String
    ) throws {
        let service = try service()
        let plain = try ask(service, "GET \(path)")
        let gzip = try ask(service, "GET \(path)", "gzip, deflate, br")
        #expect(plain.body.count > 1_024 && field("content-encoding", plain.head) == nil)
        #expect(field("content-encoding", gzip.head) == "gzip")
        #expect(gzip.body.count < plain.body.count && field("content-length", gzip.head) == "\(gzip.body.count)")
        // Metrics count the request before.
        if path != "/metrics" { #expect(content(gzip.body) == plain.body) }
        for head in [plain.head, gzip.head] {
            #expect(field("vary", head)?.contains("Accept-Encoding") ?? false, "\(head)")
        }
        #expect(field("etag", gzip.head) == field("etag", plain.head))
        #expect(field("content-type", gzip.head) == field("content-type", plain.head))
    }

    @Test(arguments: bodies.filter { $0 != "/metrics" })
    func `HEAD says of a body in gzip what GET says`(_ path: String) throws {
        let service = try service()
        for coding in ["gzip", "identity"] {
            let get = try ask(service, "GET \(path)", coding)
            let head = try ask(service, "HEAD \(path)", coding)
            #expect(head.body.isEmpty)
            for name in ["content-length", "content-encoding", "etag", "vary", "content-type"] {
                #expect(field(name, head.head) == field(name, get.head), "\(name)")
            }
        }
    }

    @Test func `a tag is good in every coding, and with the suffix of a proxy`() throws {
        let service = try service()
        let tag = try #require(field("etag", try ask(service, "GET /v1/spaces/main/views", "gzip").head))
        for known in [tag, "W/\(tag)", "\(tag.dropLast())-gzip\"", "\(tag.dropLast());gzip\""] {
            for coding in ["gzip", "identity"] {
                let answer = try ask(
                    service, "GET /v1/spaces/main/views", coding, "If-None-Match: \(known)\r\n")
                #expect(answer.head.hasPrefix("HTTP/1.1 304") && field("content-encoding", answer.head) == nil)
            }
        }
    }

    @Test(arguments: ["gzip;q=0", "identity", "br", "gzip;q=0.5, identity", "deflate, *;q=0, identity"])
    func `a client that prefers content as it is gets that`(_ coding: String) throws {
        let answer = try ask(try service(), "GET /v1/spaces/main/views", coding)
        #expect(answer.head.hasPrefix("HTTP/1.1 200") && field("content-encoding", answer.head) == nil)
    }

    @Test func `a small body goes as it is, unless the client refuses that`() throws {
        let service = try service()
        let small = try ask(service, "GET /v1/spaces/main/cart/numberOfItems", "gzip")
        #expect(field("content-encoding", small.head) == nil && small.body == Array("0".utf8))
        let refusing = try ask(service, "GET /v1/spaces/main/cart/numberOfItems", "gzip, identity;q=0")
        #expect(field("content-encoding", refusing.head) == "gzip" && content(refusing.body) == Array("0".utf8))
    }

    @Test(arguments: ["identity;q=0", "*;q=0", "gzip;q=0, identity;q=0"])
    func `a client that accepts no coding of the server gets 406, and its action is not performed`(
        _ coding: String
    ) throws {
        let service = try ServiceInProcess()
        let read = try service.ask("GET /v1", ["Accept-Encoding": coding])
        #expect(try read.status == 406 && read.json["type"] == "/problems/not-acceptable")
        let acting = try service.ask(
            "POST /v1/spaces/main/user/logIn", ["Accept-Encoding": coding], #"{"name": "Ada"}"#)
        #expect(acting.status == 406)
        #expect(try service.ask("GET /v1/spaces/main").json["version"] == 0)
    }

    @Test func `an action's answer with large views goes in gzip`() throws {
        let service = try service()
        let body = #"{"name": "Ada"}"#
        let more = "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
        let line = "POST /v1/spaces/main/user/save?view=luthier.options&view=catalog.products&view=luthier.guitar"
        let bytes = try ask(service, line, "gzip", more)
        #expect(field("content-encoding", bytes.head) == "gzip")
        #expect(try JSON(parsing: content(bytes.body))["views"] != nil)
    }

    @Test(arguments: [("gzip", 415), ("identity", 200), ("Identity", 200), ("identity, gzip", 415), ("br", 415)])
    func `a body in a content coding is refused with 415`(_ coding: String, _ status: Int) throws {
        let service = try ServiceInProcess()
        for (line, body) in [
            ("POST /v1/spaces/main/user/logIn", #"{"name": "Ada"}"#),
            ("PUT /v1/spaces/main/streams/a", #"{"stream": [{"value": 1}]}"#),
            ("POST /v1/spaces/main/streams:test", #"{"stream": [{"value": 1}]}"#),
        ] {
            let answer = try service.ask(line, ["Content-Encoding": coding], body)
            if status == 415 {
                #expect(try answer.status == 415 && answer.json["type"] == "/problems/unsupported-coding")
                #expect(answer["accept-encoding"] == "identity")
            } else {
                #expect(answer.status != 415, "\(line)")
            }
        }
    }
}
