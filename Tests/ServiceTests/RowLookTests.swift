import ServiceInProcess
import Testing

/// Requests for rows in their order: the commits of a space, those of all spaces, the history of a view.
@Suite struct RowLookTests {
    private static let roads = [
        "/v1/spaces/main/changes?since=0", "/v1/changes?since=", "/v1/spaces/main/cart/numberOfItems/history?since=0",
    ]

    private static func service(commits: Int, _ writer: SlowWriter? = nil) throws -> ServiceInProcess {
        let service = try ServiceInProcess(journalWriter: writer)
        for _ in 0..<commits { try add(service) }
        return service
    }

    private static func add(_ service: ServiceInProcess) throws {
        #expect(try service.ask("POST /v1/spaces/main/cart/add", [:], #"{"productId": 1}"#).status == 200)
    }

    /// Sends a request that waits for up to 30 s if it has what `known` names.
    private static func wait(
        _ path: String, _ known: String, _ service: ServiceInProcess
    ) throws -> ConnectionInProcess {
        let connection = try service.connect()
        connection.send("GET \(path)", ["If-None-Match": known, "Prefer": "wait=30"])
        service.settle()
        return connection
    }

    private static func status(_ connection: ConnectionInProcess) -> String? {
        connection.receive()
        return connection.takeHead().map { String($0.split(separator: " ")[1]) }
    }

    @Test(arguments: [roads[0], roads[2]])
    func `a client that has a full page waits for nothing until its time is over`(_ road: String) throws {
        let service = try Self.service(commits: 1)
        // A stream that hears of the next commits.
        let stream = try service.connect()
        stream.send("GET /v1/spaces/main/changes?events=1")
        service.settle()
        for _ in 0..<3 { try Self.add(service) }
        let page = try service.ask("GET \(road)&limit=1")
        #expect(page.status == 200)
        let connection = try Self.wait("\(road)&limit=1", page["etag"] ?? "", service)
        try Self.add(service)
        service.advance(seconds: 29)
        #expect(Self.status(connection) == nil)
        service.advance(seconds: 2)
        #expect(Self.status(connection) == "304")
    }

    @Test(arguments: roads, [true, false])
    func `a client that has all rows waits for the next one, and gets all`(_ road: String, _ namesAny: Bool) throws {
        let service = try Self.service(commits: 2)
        let rows = try service.ask("GET \(road)")
        let connection = try Self.wait(road, namesAny ? "*" : rows["etag"] ?? "", service)
        #expect(Self.status(connection) == nil)
        service.advance(seconds: 10)
        #expect(Self.status(connection) == nil)
        try Self.add(service)
        service.settle()
        #expect(Self.status(connection) == "200")
        let body = connection.takeAll()
        #expect(try body == service.ask("GET \(road)").body && body.count > rows.body.count)
    }

    @Test(arguments: [roads[0], roads[1]], [true, false])
    func `a row that comes during the first read is not missed, nor are those before it`(
        _ road: String, _ namesAny: Bool
    ) throws {
        let writer = SlowWriter()
        let service = try Self.service(commits: 2, writer)
        let rows = try service.ask("GET \(road)")
        writer.holdsReads = true
        let connection = try Self.wait(road, namesAny ? "*" : rows["etag"] ?? "", service)
        try Self.add(service)
        writer.tellReads()
        service.settle()
        #expect(Self.status(connection) == "200")
        let body = connection.takeAll()
        #expect(try body == service.ask("GET \(road)").body && body.count > rows.body.count)
    }

    @Test(arguments: [roads[0], roads[2]])
    func `news that bring no row leave a client waiting, until its time is over`(_ road: String) throws {
        let service = try Self.service(commits: 2)
        let rows = try service.ask("GET \(road)")
        let connection = try Self.wait(road, rows["etag"] ?? "", service)
        for number in 0..<5 {
            let body = #"{"id": 900, "name": "Drum", "price": \#(number)}"#
            #expect(try service.ask("POST /v1/spaces/common/catalog/put", [:], body).status == 200)
            service.advance(seconds: 5)
            #expect(Self.status(connection) == nil)
        }
        service.advance(seconds: 6)
        #expect(Self.status(connection) == "304")
    }

    @Test(arguments: [roads[0], roads[2]])
    func `a space that is deleted ends a wait with 410`(_ road: String) throws {
        let service = try Self.service(commits: 2)
        let connection = try Self.wait(road, try service.ask("GET \(road)")["etag"] ?? "", service)
        #expect(try service.ask("DELETE /v1/spaces/main").status == 204)
        service.settle()
        #expect(Self.status(connection) == "410")
    }

    @Test(arguments: ["/v1/spaces/main/changes?since=3", "/v1/changes?since="])
    func `a commit that comes while a page is on its way follows it at once`(_ path: String) throws {
        let writer = SlowWriter()
        let service = try Self.service(commits: 3, writer)
        let stream = try service.connect()
        writer.holdsReads = true
        stream.send("GET \(path)&events=1")
        service.settle()
        // The stream has begun; its first page, without the next commit, is on its way.
        writer.tellReads(holdingNext: true)
        service.settle()
        try Self.add(service)
        writer.tellReads()
        service.settle()
        stream.receive()
        #expect(stream.takeAll().contains("\"version\":4,"))
    }

    @Test func `a page that was read before its space was deleted does not move the stream`() throws {
        let writer = SlowWriter()
        let service = try Self.service(commits: 3, writer)
        let stream = try service.connect()
        writer.holdsReads = true
        stream.send("GET /v1/spaces/main/changes?events=1")
        service.settle()
        // The stream has begun; its first page is on its way.
        writer.tellReads(holdingNext: true)
        service.settle()
        #expect(try service.ask("DELETE /v1/spaces/main").status == 204)
        writer.tellReads()
        try Self.add(service)
        service.settle()
        stream.receive()
        let text = stream.takeAll()
        let ids = text.split(separator: "\n").filter { $0.hasPrefix("id: ") }
            .map { $0.dropFirst(4).prefix { $0 != "-" } }
        #expect(text.contains("event: reset") && ids == ["1"], "\(text)")
    }

    @Test(arguments: roads)
    func `a client that goes away ends its wait`(_ road: String) throws {
        let service = try Self.service(commits: 2)
        func waiting() throws -> Bool {
            let text = try service.ask("GET /metrics").body
            return text.split(separator: "\n").contains("headwater_polls_waiting 1")
        }
        let connection = try Self.wait(road, "*", service)
        #expect(try waiting())
        connection.close()
        service.settle()
        #expect(try !waiting())
    }
}
