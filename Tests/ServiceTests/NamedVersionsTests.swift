import ServiceInProcess
import Testing

/// Reads whose tags name versions that the server does not show.
@Suite struct NamedVersionsTests {
    /// Requests for paths of a space, with the field or the parameter that names a tag. `TAG` is a tag of a view, and
    /// `ANSWER` that of an action's answer.
    static let reads: [(line: String, fields: [String: String])] = [
        ("GET /v1/spaces/main/board/topic", ["If-None-Match": "\"TAG\""]),
        ("GET /v1/spaces/main/board/topic", ["If-None-Match": "\"x\", W/\"TAG-gzip\""]),
        ("HEAD /v1/spaces/main/board/topic", ["If-None-Match": "\"ANSWER\""]),
        ("GET /v1/spaces/main/board/topic", ["If-None-Match": "\"TAG\"", "Origin": "http://localhost"]),
        ("GET /v1/spaces/main/views?view=board.topic", ["If-None-Match": "\"TAG\""]),
        ("GET /v1/spaces/main/views", ["If-None-Match": "\"ANSWER\""]),
        ("GET /v1/spaces/main/board/topic", ["If-None-Match": "\"TAG\"", "Prefer": "wait=30"]),
        ("GET /v1/spaces/main/board/topic?since=TAG&wait=30", [:]),
        ("GET /v1/spaces/main/board/topic?at=TAG", [:]),
        ("GET /v1/spaces/main/board/topic?at=ANSWER", [:]),
        ("GET /v1/spaces/main/board/topic?at=1", ["If-None-Match": "\"TAG\""]),
        ("GET /v1/spaces/main/changes", ["If-None-Match": "\"ANSWER\""]),
        ("GET /v1/spaces/main", ["If-None-Match": "\"ANSWER\""]),
        ("GET /v1/spaces/main/board/topic/history", ["If-None-Match": "\"TAG\""]),
    ]

    /// A service with one commit, and the tags of a view and of an answer at `version`.
    private func service(at version: String) throws -> (ServiceInProcess, tag: String, answer: String) {
        let service = try SteeredStreamTests.service()
        let answer = try SteeredStreamTests.act(service, "rename", #"{"topic": "a"}"#)["etag"] ?? ""
        let tag = try service.ask("GET /v1/spaces/main/board/topic")["etag"] ?? ""
        let numbers = version.split(separator: ".")
        func moved(_ tag: String, to numbers: some StringProtocol) -> String {
            "\(numbers)" + tag.dropFirst().dropLast().drop { $0 != "-" }
        }
        return (service, moved(tag, to: version), moved(answer, to: numbers[0]))
    }

    private func send(
        _ read: (line: String, fields: [String: String]), _ tag: String, _ answer: String,
        to service: ServiceInProcess
    ) throws -> ConnectionInProcess {
        func filled(_ text: String) -> String { text.replacing("TAG", with: tag).replacing("ANSWER", with: answer) }
        let connection = try service.connect()
        connection.send(filled(read.line), read.fields.mapValues(filled))
        service.settle()
        connection.receive()
        return connection
    }

    private func status(_ connection: ConnectionInProcess) -> (code: Int, head: String) {
        connection.receive()
        let head = connection.takeHead() ?? ""
        return (head.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0, head)
    }

    // Law W10
    @Test(arguments: reads.indices)
    func `a read with a tag beyond its space waits three seconds, and is then 503`(index: Int) throws {
        let (service, tag, answer) = try service(at: "4.1")
        let connection = try send(Self.reads[index], tag, answer, to: service)
        #expect(status(connection).code == 0)
        service.advance(milliseconds: 2_900)
        #expect(status(connection).code == 0)
        service.advance(milliseconds: 200)
        let (code, head) = status(connection)
        #expect(code == 503 && head.contains("Retry-After: 1"), "\(head)")
        #expect(connection.takeAll().contains("/problems/behind") || Self.reads[index].line.hasPrefix("HEAD"))
    }

    // Law W10
    @Test(arguments: reads.indices)
    func `a read with a tag beyond its space is answered once the space is there`(index: Int) throws {
        let (service, tag, answer) = try service(at: "4.1")
        let connection = try send(Self.reads[index], tag, answer, to: service)
        for topic in ["b", "c"] { _ = try SteeredStreamTests.act(service, "rename", #"{"topic": "\#(topic)"}"#) }
        service.advance(milliseconds: 500)
        #expect(status(connection).code == 0)
        _ = try SteeredStreamTests.act(service, "rename", #"{"topic": "d"}"#)
        service.advance(milliseconds: 500)
        let (code, head) = status(connection)
        // A whole tag that no value has is no past. The tags of the answer, and of the value at 1, are still current.
        let line = Self.reads[index].line
        let isCurrent = line == "GET /v1/spaces/main" || line.hasSuffix("at=1")
        let expected = line.contains("at=TAG") ? 410 : isCurrent ? 304 : 200
        #expect(code == expected || line.hasSuffix("changes") && code == 304, "\(head)")
        if line.hasPrefix("GET"), code == 200, !line.contains("changes") {
            #expect(connection.takeAll().contains("\"d\""))
        }
    }

    // Law W10
    @Test(arguments: reads.indices)
    func `a read whose tag names versions of now, or of another life, does not wait`(index: Int) throws {
        let (service, tag, answer) = try service(at: "1.1")
        let wait = Self.reads[index].line.contains("wait") || Self.reads[index].fields["Prefer"] != nil
        if !wait { #expect(status(try send(Self.reads[index], tag, answer, to: service)).code > 0) }
        #expect(try service.ask("DELETE /v1/spaces/main").status == 204)
        let (later, afterwards) = ("9" + tag.drop { $0 != "." }, "9" + answer.drop { $0 != "-" })
        let (code, head) = status(try send(Self.reads[index], later, afterwards, to: service))
        #expect(code > 0 && code != 503, "\(head)")
    }

    // Law W10
    @Test func `numbers without a tag, events and atLeast do not wait on one server`() throws {
        let (service, tag, answer) = try service(at: "4.1")
        #expect(try service.ask("GET /v1/spaces/main/board/topic?at=9").status == 404)
        #expect(try service.ask("GET /v1/spaces/main/board/topic?atLeast=\(answer)").status == 200)
        for fields in [["Last-Event-ID": tag], ["If-None-Match": "\"\(tag)\""]] {
            let accept = ["Accept": "text/event-stream"].merging(fields) { $1 }
            let stream = try send(("GET /v1/spaces/main/board/topic", accept), tag, answer, to: service)
            #expect(status(stream).code == 200)
        }
    }

    // Law W10
    @Test func `a tag with a version of common waits for common`() throws {
        let (service, tag, answer) = try service(at: "1.2")
        let connection = try send(Self.reads[0], tag, answer, to: service)
        service.advance(seconds: 1)
        #expect(status(connection).code == 0)
        let other = SteeredStreamTests.board.replacing("\"feature\": \"board\"", with: "\"feature\": \"other\"")
        #expect(try service.ask("PUT /v1/features/other", [:], other).status == 201)
        service.advance(seconds: 1)
        #expect(status(connection).code == 304)
    }

    // Law W10
    @Test func `many reads on one connection wait in their order`() throws {
        let (service, tag, answer) = try service(at: "2.1")
        let connection = try service.connect()
        let request = "GET /v1/spaces/main/board/topic HTTP/1.1\r\nHost: localhost\r\nIf-None-Match: \"\(tag)\"\r\n\r\n"
        connection.send(bytes: Array(String(repeating: request, count: 3).utf8))
        service.settle()
        #expect(status(connection).code == 0 && !answer.isEmpty)
        _ = try SteeredStreamTests.act(service, "rename", #"{"topic": "b"}"#)
        service.advance(seconds: 1)
        connection.receive()
        #expect(connection.takeAll().split(separator: "HTTP/1.1 200 OK").count == 3)
    }
}
