import ClientTesting
import ClientWorld
@testable import HeadwaterClient
import JSON
import ServiceInProcess
import StateModel
import Synchronization
import Testing

/// The refusals of previews and of local spaces are those of the server: the same documents.
@MainActor @Suite struct PreviewRefusalTests {
    let service: ServiceInProcess
    let preview: PreviewServer

    init() throws {
        service = try ServiceInProcess(features: [counter.feature(), kiosk.feature()])
        preview = try PreviewServer([counter.feature(), kiosk.feature()])
    }

    private struct Reply: Equatable {
        var status = 0
        var content = JSON.null
        /// The documents of the views that a stream does not show.
        var gone = JSON.null
    }

    /// The reply of the preview to a request.
    private func previewed(_ path: String, _ body: String, _ fields: [(String, String)] = []) -> Reply {
        let events = Mutex<[WireEvent]>([])
        let request = WireRequest(path, Array(body.utf8), fields: fields.map { (name: $0.0, value: $0.1) })
        let stream = preview.start(request) { event in events.withLock { $0.append(event) } }
        defer { stream.cancel() }
        var reply = Reply()
        var bytes: [UInt8] = []
        for event in events.withLock({ $0 }) {
            switch event {
            case .head(let status, _): reply.status = status
            case .bytes(let more): bytes += more
            case .end: break
            }
        }
        return Self.content(bytes, reply)
    }

    /// The reply of the service to the same request.
    private func served(_ path: String, _ body: String, _ fields: [(String, String)] = []) throws -> Reply {
        var head = "POST /\(path) HTTP/1.0\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        for (name, value) in fields { head += "\(name): \(value)\r\n" }
        head += "Content-Length: \(body.utf8.count)\r\n\r\n"
        let answer = try service.answer(to: [Array((head + body).utf8)])
        let words = String(decoding: answer.prefix(20), as: UTF8.self).split(separator: " ")
        let end = try #require(answer.firstRange(of: Array("\r\n\r\n".utf8)))
        return Self.content(
            Array(answer[end.upperBound...]), Reply(status: Int(words[1]) ?? 0))
    }

    /// The features and views that a server has beside those of the test.
    private static let ofServer: Set<JSON> = ["headwater", "streams", "streams.definitions"]

    /// A document without what no preview has.
    private static func comparable(_ problem: JSON) -> JSON {
        guard case .object(var members) = problem else { return problem }
        if case .array(let names)? = members["allowed"] {
            members["allowed"] = .array(names.filter { !ofServer.contains($0) })
        }
        return .object(members)
    }

    private static func content(_ bytes: [UInt8], _ reply: Reply) -> Reply {
        var reply = reply
        if let content = try? JSON(parsing: bytes) {
            reply.content = comparable(content)
            return reply
        }
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") where line.hasPrefix("data: {") {
            guard let event = try? JSON(parsing: Array(line.dropFirst(6).utf8)) else { continue }
            guard case .object(let gone)? = event["_gone"] else { continue }
            reply.gone = .array(gone.map { .array([.string($0.key), comparable($0.value)]) })
        }
        return reply
    }

    // Law PREVIEW1
    @Test(arguments: [
        ("main/kiosk/sell", "{"), ("main/kiosk/sell", "[]"), ("main/kiosk/sell", #"{"price": 1}"#),
        ("main/kiosk/sell", #"{"title": "", "price": 1}"#), ("main/kiosk/sell", #"{"title": "a", "kind": "hourly"}"#),
        ("main/kiosk/sell", #"{"title": "a", "pryce": 1}"#), ("main/kiosk/sell", #"{"title": 1}"#),
        ("main/kiosk/sell", #"{"title": "a", "price": 13}"#), ("main/kiosk/sell", #"{"title": "a", "price": 14}"#),
        ("main/kiosk/sell", #"{"title": "The Times"}"#), ("main/kiosk/close", "{}"), ("main/kiosk/count", "{}"),
        ("main/kiosk/none", "{}"), ("main/none/sell", "{}"), ("common/kiosk/sell", #"{"title": "a"}"#),
        ("main/counter/add", "{}"), ("not%20one/kiosk/sell", #"{"title": "a"}"#),
    ])
    func `a refused action has the document of the server`(_ path: String, _ body: String) throws {
        let first = #"{"title": "The Times"}"#
        #expect(try served("v1/spaces/main/kiosk/sell", first).status == 200)
        #expect(previewed("v1/spaces/main/kiosk/sell", first).status == 200)
        let theirs = Self.withoutKeys(try served("v1/spaces/\(path)", body))
        #expect(theirs.status >= 400)
        let ours = Self.withoutKeys(previewed("v1/spaces/\(path)", body))
        #expect(ours == theirs)
    }

    /// A reply without the keys of rows, which are random.
    private static func withoutKeys(_ reply: Reply) -> Reply {
        var reply = reply
        guard case .object(var members) = reply.content, members["key"] != nil else { return reply }
        (members["key"], members["other"], members["detail"]) = ("", "", "")
        reply.content = .object(members)
        return reply
    }

    // Law PREVIEW1
    @Test func `a refused place in a queue has the document of the server`() throws {
        func both(_ place: String, _ body: String) throws -> [Reply] {
            let fields = [("Headwater-Queue", place)]
            let path = "v1/spaces/main/kiosk/count"
            return [previewed(path, body, fields), try served(path, body, fields)]
        }
        let client = "AAAAAAAAAAAAAAAAAAAAAA"
        let places = [
            ("1;0", "{}"), ("3;1", "{}"), ("2;1", "{}"), ("2;1", "{}"), ("1;0", "{}"), ("2;1", #"{"a": 1}"#),
            ("2;2", "{}"),
            ("", "{}"),
        ]
        for (place, body) in places {
            let replies = try both("\(client);\(place)", body)
            #expect(replies[0] == replies[1], "\(place)")
        }
    }

    // Law PREVIEW1
    @Test(arguments: [
        "main/kiosk.none", "main/none.papers", "none", "not%20one/kiosk.papers", "common/kiosk.papers",
        "main/counter.count", "main/kiosk.ofKind?kind=hourly", "main/kiosk.ofKind", "main/kiosk.ofKind?sort=daily",
        "main/kiosk.secret", "main/kiosk.broken", "main/kiosk.papers?limit=0",
    ])
    func `a view that is not shown has the document of the server`(_ address: String) throws {
        let body = #"{"client": "AAAAAAAAAAAAAAAAAAAAAA", "watch": {"\#(address)": null}}"#
        let ours = previewed("v1/live", body)
        let theirs = try served("v1/live", body, [("Accept", "text/event-stream")])
        #expect(ours == theirs)
    }

    @Test func `a path that does not exist has the document of the server`() throws {
        let ours = previewed("v1/nothing", "{}")
        #expect(try ours.content["type"] == served("v1/nothing", "{}").content["type"] && ours.status == 404)
        let stream = "v1/live/AAAAAAAAAAAAAAAAAAAAAA"
        let steered = previewed(stream, #"{"seq": 1}"#)
        #expect(try steered == served(stream, #"{"seq": 1}"#))
    }

    // Law LOCAL2
    @Test func `a local space refuses with the document of the server`() async throws {
        let (loop, network) = (HandLoop(seed: 8), FaultyNetwork(seed: 8))
        let client = HeadwaterClient(transport: network, storage: MemoryStorage(), loop: loop) { _, answer in
            answer(.success(nil))
        }
        let here = try client.local("main", of: kiosk)
        let there = client.space("main", of: kiosk)
        let views = [here.live(\.broken), there.live(\.broken)]
        func advance() async throws {
            try network.pass(6, loop, service)
            await Task.yield()
        }
        here.perform(\.sell, Paper(title: "The Times"))
        try await advance()
        #expect(views[0].problem?.document == views[1].problem?.document && views[0].problem?.status == 500)
        let count = network.sent.count
        for body in [
            Paper(title: ""), Paper(title: "a", price: 13), Paper(title: "a", price: 14), Paper(title: "The Times"),
        ] {
            let problem = try #require(here.perform(\.sell, body).wait.outcome.problem)
            let reply = try served("v1/spaces/main/kiosk/sell", String(decoding: body.json(), as: UTF8.self))
            #expect(
                Self.withoutKeys(Reply(status: problem.status, content: problem.document)) == Self.withoutKeys(reply))
        }
        for (path, action) in [("close", \KioskService.close), ("count", \KioskService.count)] {
            let problem = try #require(here.perform(action).wait.outcome.problem)
            #expect(try problem.document == served("v1/spaces/main/kiosk/\(path)", "{}").content)
        }
        #expect(network.sent.count == count)
    }

    // Law PREVIEW1
    @Test func `a space of a preview shows the views of common`() async throws {
        let loop = HandLoop(seed: 8)
        let client = HeadwaterClient(transport: preview, storage: MemoryStorage(), loop: loop) { _, answer in
            answer(.success(nil))
        }
        let count = client.space("main", of: counter).live(\.count)
        for _ in 0..<2 {
            try preview.perform(\.add, NoInput(), of: counter, in: "common")
            loop.advance(.milliseconds(500))
            await Task.yield()
        }
        #expect(count.value == 2)
    }
}
