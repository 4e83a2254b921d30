import ServiceInProcess
import Testing

/// The end of a token while a stream or a long poll is open.
@Suite struct TokenEndTests {
    private let issuer: TokenIssuer

    init() throws {
        issuer = try TokenIssuer()
    }

    private static let paths = [
        "/v1/spaces/main/user/title?events=1", "/v1/spaces/main/views?events=1", "/v1/spaces/main/changes?events=1",
        "/v1/live?watch=main/user.title&events=1", "/v1/spaces/main/streams/s/values",
        "/v1/spaces/main/streams/s/values?shared=1",
        "/v1/changes?events=1",
    ]

    private func bearer(_ service: ServiceInProcess, _ seconds: Int) throws -> [String: String] {
        let token = try TokenIssuer.token(TokenIssuer.claims(until: service.now + seconds))
        return ["Authorization": "Bearer \(token)"]
    }

    // Law ID2
    @Test(arguments: paths) func `each kind of stream ends with its token, without a further event`(
        _ path: String
    ) throws {
        let service = try ServiceInProcess(arguments: issuer.arguments("true => admin, *"))
        let long = try bearer(service, 100_000)
        let definition = #"{"name": "s", "source": {"view": "user.title"}, "operators": []}"#
        #expect(try service.ask("PUT /v1/spaces/main/streams/s", long, definition).status == 200)
        let stream = try service.connect()
        stream.send("GET \(path)", try bearer(service, 10))
        service.settle()
        stream.receive()
        #expect(stream.takeHead()?.contains(" 200") == true)
        service.advance(seconds: 39)
        #expect(try service.ask("POST /v1/spaces/main/user/logIn", long, #"{"name": "Ada"}"#).status == 200)
        service.settle()
        stream.receive()
        #expect(stream.takeAll().contains("Ada") && !stream.isEnded)
        // The commit and the end fall into one turn, and the end is first.
        service.jump(seconds: 1)
        #expect(try service.ask("POST /v1/spaces/main/user/logIn", long, #"{"name": "Eve"}"#).status == 200)
        service.settle()
        stream.receive()
        #expect(!stream.takeAll().contains("Eve") && stream.isEnded)
    }

    @Test(arguments: ["user/title", "views", "changes"])
    func `a long poll ends with its token`(_ path: String) throws {
        let service = try ServiceInProcess(arguments: issuer.arguments("true => act, *"))
        let fields = try bearer(service, -20)
        let tag = try service.ask("GET /v1/spaces/main/\(path)", fields)["ETag"] ?? ""
        let poll = try service.connect()
        poll.send("GET /v1/spaces/main/\(path)", fields.merging(["If-None-Match": tag, "Prefer": "wait=60"]) { $1 })
        service.settle()
        poll.receive()
        #expect(poll.takeHead() == nil)
        service.advance(seconds: 10)
        poll.receive()
        #expect(poll.takeHead()?.contains(" 304") == true)
    }

    @Test func `a request with the same bytes is refused after the end`() throws {
        let service = try ServiceInProcess(arguments: issuer.arguments("true => act, *"))
        let fields = try bearer(service, -20)
        let line = "GET /v1/spaces/main/user/title"
        #expect(try service.ask(line, fields).status == 200 && service.ask(line, fields).status == 200)
        service.advance(seconds: 10)
        #expect(try service.ask(line, fields).status == 401)
    }
}
