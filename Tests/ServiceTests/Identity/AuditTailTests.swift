import Glibc
import JSON
import ServiceInProcess
import Testing

@testable import HeadwaterServer

/// `GET /v1/audit`: the last lines of the audit file.
@Suite struct AuditTailTests {
    private let folder: TokenIssuer

    init() throws {
        folder = try TokenIssuer()
    }

    private func pages(_ service: ServiceInProcess, limit: Int) throws -> [JSON] {
        var found: [JSON] = []
        var next: String? = "/v1/audit?limit=\(limit)"
        var count = 0
        while let path = next, count < 500 {
            let reply = try service.ask("GET \(path)")
            #expect(reply.status == 200, "\(reply)")
            guard case .array(let events)? = try reply.json["events"] else { throw ServiceInProcess.NoAnswer() }
            #expect(events.count <= limit)
            found += events
            next = if case .string(let path)? = try reply.json["next"] { path } else { nil }
            count += 1
        }
        return found
    }

    @Test func `the newest event comes first, and pages lead back to the oldest`() throws {
        let path = try folder.write("audit", "")
        let service = try ServiceInProcess(arguments: ["--audit", path])
        for _ in 0..<7 { _ = try service.ask("POST /v1/spaces/main/cart/add", [:], #"{"productId": 1}"#) }
        let versions: [JSON] = (1...7).reversed().map { .number(Decimal($0)) }
        for limit in [1, 2, 3, 7, 100] {
            let found = try pages(service, limit: limit)
            #expect(found.map { $0["version"] } == versions, "limit \(limit)")
        }
    }

    @Test func `lines that are no JSON are left out, and so is a line without its end`() throws {
        let path = try folder.write("audit", "{\"a\": 1}\nhalf {\n\n{\"a\": 2}\n\u{1}\n{\"a\": 3}\n{\"a\"")
        let service = try ServiceInProcess(arguments: ["--audit", path])
        for limit in [1, 2, 100] {
            #expect(try pages(service, limit: limit).map { $0["a"] } == [3, 2, 1], "limit \(limit)")
        }
    }

    @Test func `a file larger than one answer reads is paged to its beginning`() throws {
        let line = "{\"a\": \"" + String(repeating: "x", count: 3_000) + "\"}\n"
        // A line longer than one answer reads is left out.
        let long = "{\"a\": \"" + String(repeating: "y", count: 2 * AuditTail.bytesLimit) + "\"}\n"
        let path = try folder.write(
            "audit", String(repeating: line, count: 500) + long + String(repeating: line, count: 500))
        let service = try ServiceInProcess(arguments: ["--audit", path])
        #expect(try pages(service, limit: 1_000).count == 1_000)
        #expect(try pages(service, limit: 333).count == 1_000)
    }

    @Test(arguments: [
        ("limit=0", 422), ("limit=1001", 422), ("after=x", 422), ("after=-1", 422),
        ("after=99999999999999999999", 422), ("after=999999999999999999", 200), ("after=0", 200), ("after=1", 200),
        ("before=1", 422),
    ])
    func `any place can be named`(query: String, status: Int) throws {
        let path = try folder.write("audit", "{\"a\": 1}\n{\"a\": 2}\n")
        let service = try ServiceInProcess(arguments: ["--audit", path])
        #expect(try service.ask("GET /v1/audit?\(query)").status == status)
    }

    @Test func `without a log, and with one that is no file, it is 404`() throws {
        let none = try ServiceInProcess().ask("GET /v1/audit")
        #expect(none.status == 404 && none.body.contains("--audit"))
        let device = try ServiceInProcess(arguments: ["--audit", "/dev/null"]).ask("GET /v1/audit")
        #expect(device.status == 404 && !device.body.contains("/dev"))
    }

    @Test func `an empty file and a removed one have no events`() throws {
        let path = try folder.write("audit", "")
        let service = try ServiceInProcess(arguments: ["--audit", path])
        #expect(try pages(service, limit: 10).isEmpty)
        unlink(path)
        let reply = try service.ask("GET /v1/audit")
        #expect(reply.status == 500 && !reply.body.contains(path))
    }
}
