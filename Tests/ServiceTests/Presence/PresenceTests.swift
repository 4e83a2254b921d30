import JSON
import ServiceInProcess
import StateStore
import Testing

/// Rows that exist while the streams of their clients are open.
@Suite struct PresenceTests {
    private static let here = "/v1/spaces/main/views?view=room.here&presence=room.here&events=1"

    private func open(
        _ service: ServiceInProcess, _ target: String, _ fields: [String: String] = [:]
    ) throws -> ConnectionInProcess {
        let stream = try service.connect()
        stream.send("GET \(target)", fields)
        service.settle()
        stream.receive()
        return stream
    }

    private func here(_ service: ServiceInProcess, _ fields: [String: String] = [:]) throws -> JSON {
        try service.ask("GET /v1/spaces/main/room/here", fields).json
    }

    // Law U3
    @Test func `a row is there while the stream is open, and for the grace after it`() throws {
        let service = try ServiceInProcess(features: [.room])
        let stream = try open(service, Self.here + "&as=ada&with=%7B%22x%22%3A4%7D")
        #expect(stream.takeHead()?.contains(" 200") == true)
        // The first event has the client's own row.
        #expect(stream.takeAll().contains(#"data: {"room.here":["ada:4"]}"#))
        let second = try open(service, Self.here + "&as=ada&with=%7B%22x%22%3A5%7D")
        #expect(try here(service) == ["ada:5"])
        stream.close()
        service.advance(seconds: 20)
        #expect(try here(service) == ["ada:5"])
        second.close()
        service.advance(seconds: 4)
        #expect(try here(service) == ["ada:5"])
        // A client that comes back within the grace stays.
        let third = try open(service, Self.here + "&as=ada")
        service.advance(seconds: 20)
        #expect(try here(service) == ["ada:0"])
        let departed = "GET /v1/spaces/main/room/departed"
        #expect(try service.ask(departed).json == [])
        third.close()
        service.settle()
        service.advance(seconds: 6)
        #expect(try here(service) == [])
        let left = try service.ask(departed)
        #expect(left.body == #"["ada:1"]"#, "\(left)")
        #expect(try service.ask("GET /v1/spaces/main/changes").body.contains("room/left"))
    }

    @Test(arguments: [
        ("views?view=room.here&presence=room.here&as=a", 422), ("views?presence=room.cursors&as=a&events=1", 422),
        ("views?presence=nothing&as=a&events=1", 422), ("views?as=a&events=1", 422), ("views?with=1&events=1", 422),
        ("room/here?presence=room.here&events=1", 422), ("room/here?presence=room.here&as=&events=1", 422),
        ("room/here?presence=room.here&as=a&with=%7B&events=1", 422),
        ("room/here?presence=room.here&as=a&with=%7B%22x%22%3A%22y%22%7D&events=1", 422),
        ("room/here?presence=room.here&as=a&with=%7B%22x%22%3A13%7D&events=1", 403),
        ("changes?presence=room.here&as=a&events=1", 422),
    ])
    func `a faulty request is refused, and leaves no row`(_ path: String, _ status: Int) throws {
        let service = try ServiceInProcess(features: [.room])
        let reply = try service.ask("GET /v1/spaces/main/\(path)")
        #expect(try reply.status == status && reply.json["status"] == .number(Decimal(status)), "\(reply.body)")
        #expect(try here(service) == [])
    }

    @Test func `a client is there as its subject, and as another only by the rule of the feature`() throws {
        let service = try ServiceInProcess(tokenFile: ServiceInProcess.people, features: [.room])
        let people = ["ada", "eve", "root"].map { ($0, ServiceInProcess.person($0)) }
        func status(_ person: Int, _ more: String = "") throws -> String {
            let stream = try open(service, Self.here + more, people[person].1)
            defer { stream.close() }
            return stream.takeHead()?.split(separator: " ").dropFirst().first.map(String.init) ?? ""
        }
        #expect(try status(0) == "200")
        #expect(try here(service, people[0].1) == ["ada:0"])
        #expect(try status(0, "&as=bob") == "403" && status(2, "&as=bob") == "200")
        // The right `read` is not enough.
        #expect(try status(1) == "403")
        #expect(try here(service, people[0].1) == ["ada:0", "bob:0"])
        service.advance(seconds: 6)
        #expect(try here(service, people[0].1) == [])
    }

    // Law U2
    @Test func `500 joins in a second are at most 40 frames for each watcher`() throws {
        let service = try ServiceInProcess(features: [.room])
        let watcher = try open(service, "/v1/spaces/main/room/here?events=1")
        _ = watcher.takeAll()
        var streams: [ConnectionInProcess] = []
        for index in 1...500 {
            streams.append(try open(service, Self.here + "&as=p\(index)"))
            service.advance(milliseconds: 2)
        }
        service.advance(seconds: 1)
        var frames = 0
        watcher.receive()
        var last = ""
        while let block = watcher.takeBlock() {
            if block.contains("data:") {
                frames += 1
                last = block
            }
            watcher.receive()
        }
        #expect(frames >= 10 && frames <= 41, "\(frames) frames")
        #expect(last.contains("p500:0") && last.contains("p1:0"))
        for stream in streams { stream.close() }
        service.settle()
        service.advance(seconds: 8)
        #expect(try here(service) == [])
    }
}
