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

    @Test(arguments: [false, true], ["", "&delta=json-patch"])
    func `a stream goes on without a personal view or one with a rule`(_ hasRule: Bool, _ delta: String) throws {
        let condition = hasRule ? #""allow": "token.sub != 'eve'""# : #""where": "row.title != token.sub""#
        func withOwn(_ document: String) -> String {
            document.replacing(
                #""votes": {"from""#, with: #""own": {"from": "tasks", \#(condition)}, "votes": {"from""#)
        }
        let service = try Tracker.service()
        try put(service, withOwn)
        let streams = try [
            "/v1/spaces/main/views?view=tracker.own&view=tracker.titles&events=1\(delta)",
            "/v1/live?watch=main/tracker.own&watch=main/tracker.titles&events=1\(delta)",
        ].map { try stream(service, $0) }
        let alone = try stream(service, "/v1/spaces/main/tracker/own?events=1")
        try put(service) { $0 }
        alone.receive()
        #expect(alone.takeAll().contains("event: gone") && alone.isEnded)
        for stream in streams {
            stream.receive()
            let text = stream.takeAll()
            #expect(text.contains("event: gone") && text.contains("tracker.own") && !stream.isEnded, "\(text)")
            #expect(!text.contains("tracker.titles") && !text.contains("event: error"), "\(text)")
        }
        let body = #"{"id": "c", "title": "Third"}"#
        #expect(try service.ask("POST /v1/spaces/main/tracker/add", Tracker.root, body).status == 200)
        service.advance(seconds: 1)
        for stream in streams {
            stream.receive()
            let text = stream.takeAll()
            #expect(text.contains("Third") && !text.contains("gone") && !stream.isEnded, "\(text)")
        }
        // The view is back, with all values. It is gone again, and comes back with another rule: its readers come back.
        try put(service, withOwn)
        for stream in streams {
            stream.receive()
            let text = stream.takeAll()
            #expect(text.contains("tracker.own\":[") && text.contains("Third") && !stream.isEnded, "\(text)")
        }
        try put(service) { $0 }
        try put(service) { $0.replacing(#""votes": {"from""#, with: #""own": {"from": "tasks"}, "votes": {"from""#) }
        for stream in streams {
            stream.receive()
            #expect(stream.isEnded, "\(stream.takeAll())")
        }
    }

    /// The reader has no claim `team`, but readers who shared the rule with it may have one.
    @Test func `a rule that asks for another claim ends streams`() throws {
        let service = try Tracker.service()
        func guarded(_ rule: String) -> (String) -> String {
            { $0.replacing(#""votes": {"from""#, with: #""votes": {"allow": "\#(rule)", "from""#) }
        }
        try put(service, guarded("token.sub != 'eve'"))
        let targets = [
            "/v1/spaces/main/tracker/votes?events=1",
            "/v1/spaces/main/views?view=tracker.votes&view=tracker.titles&events=1",
            "/v1/live?watch=main/tracker.votes&watch=main/tracker.titles&events=1",
        ]
        let streams = try targets.map { try stream(service, $0) }
        try put(service, guarded("token.sub != 'eve' && !has(token.team)"))
        for stream in streams {
            stream.receive()
            #expect(stream.isEnded, "\(stream.takeAll())")
        }
    }

    @Test func `a stream goes on without a personal view whose parameters no longer fit`() throws {
        func withOwn(_ parameters: String) -> (String) -> String {
            let own = #""own": {"parameters": {\#(parameters)}, "expression": "input.id + token.sub"}"#
            return { $0.replacing(#""votes": {"from""#, with: "\(own), \"votes\": {\"from\"") }
        }
        let service = try Tracker.service()
        try put(service, withOwn(#""id": {"type": "string"}"#))
        let stream = try stream(service, "/v1/live?watch=main/tracker.own?id%3Da&watch=main/tracker.titles&events=1")
        try put(service, withOwn(#""id": {"type": "string"}, "more": {"type": "string"}"#))
        stream.receive()
        let text = stream.takeAll()
        #expect(text.contains("event: gone") && text.contains("tracker.own?id=a") && !stream.isEnded, "\(text)")
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
