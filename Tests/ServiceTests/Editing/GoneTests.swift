import Documents
import JSON
import ServiceInProcess
import Testing

/// Streams of views that a new document drops, or changes so that their parameters no longer fit.
@Suite struct GoneTests {
    private func stream(_ service: ServiceInProcess, _ target: String) throws -> ConnectionInProcess {
        let stream = try service.connect()
        stream.send("GET \(target)", Tracker.root)
        service.settle()
        stream.receive()
        #expect(stream.takeHead()?.contains(" 200") == true)
        _ = stream.takeAll()
        return stream
    }

    private func put(_ service: ServiceInProcess, _ change: (String) -> String) throws {
        let reply = try service.ask(
            "PUT /v1/features/tracker", Tracker.root.merging(Tracker.commented) { $1 }, change(Tracker.document))
        #expect(reply.status == 200, "\(reply)")
        service.advance(seconds: 1)
    }

    private static func withoutVotes(_ document: String) -> String {
        document.replacing(#""votes": {"from": "tasks", "sum": "row.votes"},"#, with: "")
    }

    @Test(arguments: [
        ("/v1/spaces/main/tracker/votes?events=1", "tracker.votes"),
        ("/v1/spaces/main/tracker/votes?events=1&delta=json-patch", "tracker.votes"),
        ("/v1/live?watch=main/tracker.votes&events=1", "main/tracker.votes"),
    ])
    func `a stream of one view ends with the event gone`(_ target: String, _ name: String) throws {
        let service = try Tracker.service()
        let stream = try stream(service, target)
        try put(service, Self.withoutVotes)
        stream.receive()
        let text = stream.takeAll()
        #expect(text.contains("event: gone") && text.contains("\"view\":\"\(name)\""), "\(text)")
        #expect(text.contains("/problems/no-such-view") && !text.contains("event: error"))
        #expect(stream.isEnded)
    }

    @Test(arguments: ["", "&delta=json-patch"]) func `a stream of several views goes on`(_ delta: String) throws {
        let service = try Tracker.service()
        let streams = try [
            "/v1/spaces/main/views?view=tracker.votes&view=tracker.titles&events=1\(delta)",
            "/v1/live?watch=main/tracker.votes&watch=main/tracker.titles&events=1\(delta)",
        ].map { try stream(service, $0) }
        try put(service, Self.withoutVotes)
        for stream in streams {
            stream.receive()
            let text = stream.takeAll()
            #expect(text.contains("event: gone") && text.contains("tracker.votes") && !stream.isEnded, "\(text)")
            #expect(!text.contains("event: error") && !text.contains("null"))
        }
        let body = #"{"id": "c", "title": "Third"}"#
        #expect(try service.ask("POST /v1/spaces/main/tracker/add", Tracker.root, body).status == 200)
        service.advance(seconds: 1)
        for stream in streams {
            stream.receive()
            let text = stream.takeAll()
            #expect(text.contains("Third") && !text.contains("gone") && !stream.isEnded, "\(text)")
        }
        // The view is back, with all values.
        try put(service) { $0 }
        for stream in streams {
            stream.receive()
            let text = stream.takeAll()
            #expect(text.contains("tracker.votes\":0") && text.contains("Third"), "\(text)")
        }
    }

    @Test func `a view whose parameters no longer fit is gone`() throws {
        let service = try Tracker.service()
        let stream = try stream(service, "/v1/spaces/main/tracker/task?id=a&events=1")
        try put(service) {
            $0.replacing(
                #""parameters": {"id": {"type": "string"}}"#,
                with: #""parameters": {"id": {"type": "string"}, "more": {"type": "string"}}"#)
        }
        stream.receive()
        let text = stream.takeAll()
        #expect(text.contains("event: gone") && stream.isEnded, "\(text)")
    }
}
