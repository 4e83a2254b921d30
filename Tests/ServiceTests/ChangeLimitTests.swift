import JSON
import ServiceInProcess
import Testing

/// `GET …/changes?limit=`: pages back to the oldest commit.
@Suite struct ChangeLimitTests {
    private func service(commits: Int) throws -> ServiceInProcess {
        let service = try ServiceInProcess()
        for _ in 0..<commits { _ = try service.ask("POST /v1/spaces/main/cart/add", [:], #"{"productId": 1}"#) }
        return service
    }

    private func versions(_ reply: Reply) throws -> [JSON?] {
        guard case .array(let rows) = try reply.json else { throw ServiceInProcess.NoAnswer() }
        return rows.map { $0["version"] }
    }

    @Test func `an answer has as many commits as the limit, and the tag of its last one`() throws {
        let service = try service(commits: 5)
        let page = try service.ask("GET /v1/spaces/main/changes?since=1&limit=2")
        #expect(try versions(page) == [2, 3])
        let tag = try #require(page["etag"]).dropFirst().dropLast()
        #expect(tag.hasPrefix("3-"))
        #expect(try versions(try service.ask("GET /v1/spaces/main/changes?since=\(tag)&limit=2")) == [4, 5])
        #expect(try versions(try service.ask("GET /v1/spaces/main/changes?since=4&limit=10000&wait=1")) == [5])
    }

    @Test(arguments: ["limit=0", "limit=10001", "limit=a", "limit=1&limit=2", "limit=1&events=1"])
    func `a limit out of range is refused, and so is one of a stream`(query: String) throws {
        #expect(try service(commits: 1).ask("GET /v1/spaces/main/changes?since=0&\(query)").status == 422)
    }
}
