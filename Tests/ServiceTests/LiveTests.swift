import GzipReading
import JSON
import ServiceInProcess
import Testing

/// `GET /v1/live`: views of several spaces on one connection.
@Suite struct LiveTests {
    private static let two = "watch=main/user.title&watch=room-7/cart.numberOfItems"
    private static let events = ["Accept": "text/event-stream"]

    /// Returns the events of a stream: the fields of each, by name.
    private func events(
        _ service: ServiceInProcess, _ query: String, _ fields: [String: String] = events
    ) throws -> [[String: String]] {
        let reply = try service.ask("GET /v1/live?\(query)", fields)
        #expect(reply.status == 200 && reply["content-type"] == "text/event-stream")
        // Chunks of text: the sizes stand on lines of their own, and no event holds such a line.
        return reply.body.split(separator: "\n\n").map { block in
            var fields: [String: String] = [:]
            for line in block.split(whereSeparator: { $0 == "\n" || $0 == "\r\n" }) {
                guard let colon = line.firstRange(of: ": ") else { continue }
                fields[String(line[..<colon.lowerBound])] = String(line[colon.upperBound...])
            }
            return fields
        }
    }

    private func values(
        _ service: ServiceInProcess, _ query: String, _ fields: [String: String] = events
    ) throws -> [[String: String]] {
        try events(service, query, fields).filter { $0["data"] != nil }
    }

    private func logIn(_ service: ServiceInProcess, _ space: String, _ name: String) throws {
        #expect(try service.ask("POST /v1/spaces/\(space)/user/logIn", [:], "{\"name\": \"\(name)\"}").status == 200)
    }

    @Test func `the first event has all values, and the versions that they show`() throws {
        let service = try ServiceInProcess()
        try logIn(service, "main", "Ada")
        let values = try values(service, Self.two + "&watch=main/user.isLoggedIn&watch=main/user.title")
        #expect(values.count == 1 && values[0]["event"] == nil)
        #expect(
            values[0]["data"]
                == #"{"main/user.isLoggedIn":true,"main/user.title":"Ada","room-7/cart.numberOfItems":0,"#
                + #""_versions":{"main":"1.0","room-7":"0.0"}}"#)
        let id = try #require(values[0]["id"])
        #expect(id.utf8.count <= 128 && id.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x22 })
    }

    @Test(arguments: [
        ("", 422, "invalid"), ("watch=", 422, "invalid"), ("watch=main", 422, "invalid"),
        ("watch=main/user.title&watch=user.title", 422, "invalid"), ("watch=-/user.title", 404, "no-such-space"),
        ("watch=main/user.nothing", 404, "no-such-view"), ("watch=main/", 404, "no-such-view"),
        ("watch=main/user.title&watch=b/no.view", 404, "no-such-view"),
        ("watch=main/user.title&view=user.title", 422, "invalid"),
        ("watch=main/user.title&delta=merge-patch", 422, "invalid"),
        ("watch=main/user.title&since=1", 422, "invalid"),
        (Array(repeating: "watch=main/user.title", count: 101).joined(separator: "&"), 422, "invalid"),
    ])
    func `a fault of a request is answered before anything else`(
        _ query: String, _ status: Int, _ problem: String
    ) throws {
        let service = try ServiceInProcess()
        for fields in query.contains("delta") ? [Self.events] : [Self.events, [:]] {
            let reply = try service.ask("GET /v1/live?\(query)", fields)
            #expect(try reply.status == status && reply.json["type"] == .string("/problems/\(problem)"))
        }
    }

    @Test(arguments: [nil, "*/*", "application/json", "text/html, */*;q=0.1"] as [String?])
    func `without a wish for events it is 406`(_ accept: String?) throws {
        let service = try ServiceInProcess()
        let reply = try service.ask("GET /v1/live?\(Self.two)", accept.map { ["Accept": $0] } ?? [:])
        #expect(try reply.status == 406 && reply.json["allowed"] == ["text/event-stream"])
        #expect(try values(service, Self.two + "&events=1", accept.map { ["Accept": $0] } ?? [:]).count == 1)
    }

    @Test func `a client that returns with the last id gets nothing, or everything if something has changed`() throws {
        let service = try ServiceInProcess()
        try logIn(service, "main", "Ada")
        let first = try #require(try values(service, Self.two).first)
        let id = try #require(first["id"])
        let others = "watch=room-7/cart.numberOfItems&watch=main/user.title"
        #expect(try values(service, others, Self.events.merging(["Last-Event-ID": id]) { $1 }).isEmpty)
        #expect(try values(service, "\(Self.two)&lastEventId=\(id)").isEmpty)
        // Another watch, and an id that nobody has given: everything, and no reset.
        for query in ["\(Self.two)&watch=main/user.name&lastEventId=\(id)", "\(Self.two)&lastEventId=18.7-abc"] {
            let again = try values(service, query)
            #expect(again.count == 1 && again[0]["event"] == nil)
        }
        try logIn(service, "main", "Grace")
        let changed = try values(service, "\(Self.two)&lastEventId=\(id)&delta=json-patch")
        #expect(changed.count == 1 && changed[0]["event"] == nil && changed[0]["data"]?.contains("room-7") ?? false)
        try logIn(service, "main", "Ada")
        #expect(try values(service, "\(Self.two)&lastEventId=\(id)").isEmpty, "equal values have equal ids")
    }

    @Test func `an id of a life that has ended is answered with a reset and everything`() throws {
        let service = try ServiceInProcess()
        try logIn(service, "main", "Ada")
        let id = try #require(try values(service, Self.two).first?["id"])
        #expect(try service.ask("DELETE /v1/spaces/main").status == 204)
        let again = try values(service, "\(Self.two)&lastEventId=\(id)")
        #expect(again.count == 2)
        #expect(again.first?["event"] == "reset" && again.first?["data"] == "{}" && again.first?["id"] == nil)
        #expect(again.last?["data"]?.hasPrefix(#"{"main/user.title":"Logged out""#) ?? false)
        let other = try values(service, "watch=other/user.title&lastEventId=\(id)")
        #expect(other.count == 1 && other[0]["event"] == nil)
    }

    @Test func `a token has to cover each space, and a live stream is one of its streams`() throws {
        let service = try ServiceInProcess(
            tokenFile: "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b read room-*\n")
        let fields = Self.events.merging(["Authorization": "Bearer secret"]) { $1 }
        #expect(try service.ask("GET /v1/live?\(Self.two)", fields).status == 403)
        #expect(try service.ask("GET /v1/live?\(Self.two)", Self.events).status == 401)
        #expect(try values(service, "watch=room-7/user.title&watch=room-8/user.title", fields).count == 1)
        #expect(
            try values(service, "watch=room-7/user.title&events=1&access_token=secret", [:]).count == 1)
        #expect(try service.ask("GET /v1/live?watch=common/catalog.products", fields).status == 403)
    }

    @Test func `HEAD has the fields of a stream, and OPTIONS its methods`() throws {
        let service = try ServiceInProcess()
        let head = try service.ask("HEAD /v1/live?\(Self.two)", Self.events)
        #expect(head.status == 200 && head["content-type"] == "text/event-stream" && head.body.isEmpty)
        #expect(head["cache-control"] == "no-store" && head["x-accel-buffering"] == "no")
        #expect(try service.ask("OPTIONS /v1/live")["allow"] == "GET, HEAD, POST, OPTIONS")
        #expect(try service.ask("PUT /v1/live", [:], "{}").status == 405)
        // The views of the stream are not watched any more.
        #expect(try service.ask("GET /metrics").body.contains("\nheadwater_streams_active 0\n"))
    }

    @Test func `a stream of a definition can be watched, and one that is not there is 404`() throws {
        let service = try ServiceInProcess()
        let definition = #"{"source": {"view": "user.title"}, "operators": [{"map": {"expression": "size(value)"}}]}"#
        let missing = try service.ask("GET /v1/live?watch=main/streams.length", Self.events)
        #expect(missing.status == 404)
        #expect(try service.ask("PUT /v1/spaces/main/streams/length", [:], definition).status == 200)
        try logIn(service, "main", "Ada")
        #expect(
            try values(service, "watch=main/streams.length").first?["data"]?.hasPrefix(#"{"main/streams.length":3"#)
                ?? false)
    }

    @Test func `a live stream goes in gzip to a client that asks`() throws {
        let service = try ServiceInProcess()
        let bytes = try service.answer(
            to: [
                Array(
                    "GET /v1/live?watch=main/catalog.products&events=1 HTTP/1.0\r\nHost: localhost\r\nAccept-Encoding: gzip\r\n\r\n"
                        .utf8)
            ])
        let end = try #require((0..<bytes.count - 3).first { bytes[$0..<$0 + 4].elementsEqual("\r\n\r\n".utf8) })
        let reader = GzipReader()
        reader.read(Array(bytes[(end + 4)...]))
        #expect(reader.isValid && reader.isFinished)
        #expect(String(decoding: reader.content, as: UTF8.self).contains("\"_versions\":{\"main\":\"0.0\"}"))
    }

    @Test func `a view with parameters can be watched, under the one form of its name`() throws {
        let service = try ServiceInProcess()
        for written in ["catalog.product%3Fid%3D1", "catalog.product%3Fid%3D%31"] {
            let values = try values(service, "watch=main/\(written)")
            #expect(values.first?["data"]?.hasPrefix(#"{"main/catalog.product?id=1":{"id":1,"#) ?? false)
        }
        for written in ["catalog.product%3Fid%3Da", "catalog.product", "catalog.products%3Flimit%3D0"] {
            let reply = try service.ask("GET /v1/live?watch=main/\(written)")
            #expect(try reply.status == 422 && reply.json["pointer"] != nil, "\(written)")
        }
    }
}
