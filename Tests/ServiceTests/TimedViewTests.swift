import Documents
import JSON
import ServiceInProcess
import Testing

/// Views and rules that read the time.
@Suite struct TimedViewTests {
    private static let main = "/v1/spaces/main"
    // The clock of the service is set to 22:32:00.
    private static let document = #"""
        {"feature": "todo", "home": "space",
         "state": {"tasks": {"table": {"key": {"type": "string"}, "row": {"type": "object",
           "properties": {"due": {"type": "string", "format": "date-time"}}, "required": ["due"]}}}},
         "actions": {"add": {"input": {"type": "object", "properties": {"id": {"type": "string"}, "due": {"type": "string", "format": "date-time"}}, "required": ["id", "due"]},
           "do": [{"put": "tasks", "key": "input.id", "row": "{'due': input.due}"}]}},
         "views": {
           "clock": {"expression": "now", "every": "1m"},
           "second": {"expression": "now", "every": "1s"},
           "hour": {"expression": "string(now) + ' ' + string(size(state.tasks))", "every": "1h"},
           "late": {"from": "tasks", "where": "timestamp(row.due) <= now", "every": "1m", "sort": "row.due", "select": "key"},
           "lateCount": {"expression": "size(views.late)"},
           "open": {"expression": "size(state.tasks)", "allow": "now < timestamp('2023-11-14T22:34:00Z')"}}}
        """#

    private func service() throws -> ServiceInProcess {
        let service = try ServiceInProcess(history: 100)
        let reply = try service.ask("PUT /v1/features/todo", [:], Self.document)
        #expect(reply.status == 201, "\(reply.body)")
        service.advance(seconds: 45)
        #expect(try read(service, "second").body == #""2023-11-14T22:32:00Z""#)
        return service
    }

    private func add(_ service: ServiceInProcess, _ id: String, _ due: String) throws {
        let reply = try service.ask("POST \(Self.main)/todo/add", [:], #"{"id": "\#(id)", "due": "\#(due)"}"#)
        #expect(reply.status == 200, "\(reply.body)")
    }

    private func read(_ service: ServiceInProcess, _ view: String, _ query: String = "") throws -> Reply {
        try service.ask("GET \(Self.main)/todo/\(view)\(query)")
    }

    // Law DOC24
    @Test func `a view reads the last full grain, and a tick has the same version and another tag`() throws {
        let service = try service()
        try add(service, "a", "2023-11-14T22:33:30Z")
        let first = try read(service, "clock")
        #expect(first.body == #""2023-11-14T22:32:00Z""#, "\(first.body)")
        service.advance(seconds: 59)
        let second = try read(service, "clock")
        #expect(second.body == first.body && second["etag"] == first["etag"])
        service.advance(seconds: 1)
        let third = try read(service, "clock")
        #expect(third.body == #""2023-11-14T22:33:00Z""# && third["etag"] != first["etag"])
        #expect(third["etag"]?.hasPrefix("\"1.1-") == true && first["etag"]?.hasPrefix("\"1.1-") == true)
        #expect(try read(service, "late").body == "[]" && read(service, "lateCount").body == "0")
        service.advance(seconds: 60)
        #expect(try read(service, "late").body == #"["a"]"# && read(service, "lateCount").body == "1")
        #expect(try read(service, "hour").body == #""2023-11-14T22:00:00Z 1""#)
    }

    // Law DOC24
    @Test func `a watched view follows the time without commits, and nothing ticks after the last reader`() throws {
        let service = try service()
        try add(service, "a", "2023-11-14T22:32:30Z")
        let client = try service.connect()
        client.send("GET \(Self.main)/todo/lateCount", ["Accept": "text/event-stream"])
        service.settle()
        client.receive()
        #expect(client.takeHead()?.contains("200") == true)
        #expect(client.takeAll().contains("data: 0"))
        // Changes without a version are gathered for up to 25 ms.
        service.advance(seconds: 61)
        client.receive()
        let block = client.takeAll()
        #expect(block.contains("data: 1") && block.contains("id: 1.1-"), "\(block)")
        guard case .array(let changes) = try service.ask("GET \(Self.main)/changes").json else {
            return #expect(Bool(false))
        }
        #expect(changes.count == 1)
        client.close()
        service.advance(seconds: 10)
        #expect(try read(service, "lateCount", "?at=1").body == "0")
    }

    // Law DOC24
    @Test func `the past of a view has the times of its commits`() throws {
        let service = try service()
        try add(service, "a", "2023-11-14T22:32:10Z")
        service.advance(seconds: 150)
        try add(service, "b", "2023-11-14T22:32:20Z")
        service.advance(seconds: 600)
        #expect(try read(service, "clock", "?at=1").body == #""2023-11-14T22:32:00Z""#)
        #expect(try read(service, "clock", "?at=2").body == #""2023-11-14T22:34:00Z""#)
        #expect(try read(service, "late", "?at=1").body == "[]")
        #expect(try read(service, "late", "?at=2").body == #"["a","b"]"#)
        let history = try read(service, "lateCount/history").body
        #expect(history.contains("\"value\":0") && history.contains("\"value\":2"), "\(history)")
        #expect(!history.contains("\"value\":1"))
    }

    // Law DOC24
    @Test func `a rule that reads the time ends a stream at the next full minute`() throws {
        let service = try service()
        try add(service, "a", "2023-11-14T22:32:10Z")
        let client = try service.connect()
        client.send("GET \(Self.main)/todo/open", ["Accept": "text/event-stream"])
        service.settle()
        client.receive()
        #expect(client.takeHead()?.contains("200") == true)
        #expect(client.takeAll().contains("data: 1"))
        service.advance(seconds: 119)
        client.receive()
        #expect(!client.takeAll().contains("403"))
        #expect(try read(service, "open").status == 200)
        service.advance(seconds: 2)
        client.receive()
        #expect(client.takeAll().contains("403"))
        #expect(try read(service, "open").status == 403)
    }

    // Law DOC24
    @Test func `a view that reads the time declares its grain, and nothing remembers it`() throws {
        let service = try ServiceInProcess()
        func faults(_ views: String) throws -> String {
            let reply = try service.ask(
                "PUT /v1/features/t", [:], #"{"feature": "t", "home": "space", "views": {\#(views)}}"#)
            return reply.status == 201 ? "" : reply.body
        }
        #expect(try faults(#""a": {"expression": "now"}"#).contains("every"))
        for wrong in ["0s", "61", "2d", "1w", "-1m", "1 m", ""] {
            #expect(
                try faults(#""a": {"expression": "now", "every": "\#(wrong)"}"#).contains("/views/a/every"), "\(wrong)")
        }
        let source = #""b": {"source": {"view": "t.a"}, "operators": [{"debounce": {"seconds": 5}}]}"#
        #expect(try faults(#""a": {"expression": "now", "every": "1m"}, \#(source)"#).contains("reads the time"))
        #expect(try faults(#""a": {"expression": "string(now)", "every": "30s"}"#) == "")
    }
}
