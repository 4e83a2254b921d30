import Hosting
import Documents
import JSON
import ServiceInProcess
import Testing

/// Streams of several spaces whose spaces have a commit under way.
@Suite struct BehindStreamTests {
    // Law W10
    @Test(
        arguments: [
            ("GET /v1/live?watch=main/board.topic", nil),
            ("GET /v1/live?watch=main/board.topic&watch=other/board.count", nil),
            ("POST /v1/live", #"{"watch": {"main/board.topic": null}}"#),
            ("POST /v1/live", #"{"watch": {"main/board.topic": null, "other/board.count": null}, "progress": true}"#),
        ] as [(String, String?)])
    func `a stream that waits for a commit under way is refused after three seconds`(
        _ line: String, _ body: String?
    ) throws {
        let writer = SlowWriter()
        let service = try ServiceInProcess(documents: FeatureCompiler(), features: [], journalWriter: writer)
        #expect(try service.ask("PUT /v1/features/board", [:], SteeredStreamTests.board).status == 201)
        for space in ["main", "other"] {
            #expect(try service.ask("POST /v1/spaces/\(space)/board/jot").status == 200)
        }
        writer.isStuck = true
        let action = try service.connect()
        action.send("POST /v1/spaces/main/board/jot")
        service.settle()
        let stream = try service.connect()
        let text = body ?? ""
        let lines = [
            "Host: localhost", "Accept: text/event-stream", "Content-Type: application/json",
            "Content-Length: \(text.utf8.count)",
        ]
        stream.send(bytes: Array("\(line) HTTP/1.0\r\n\(lines.joined(separator: "\r\n"))\r\n\r\n\(text)".utf8))
        service.settle()
        service.advance(milliseconds: 2_900)
        #expect(stream.receive() == 0)
        service.advance(milliseconds: 200)
        stream.receive()
        let head = try #require(stream.takeHead())
        #expect(head.contains(" 503 ") && head.contains("Retry-After: 1"), "\(head)")
        #expect(stream.takeAll().contains("/problems/behind"))
    }
}
