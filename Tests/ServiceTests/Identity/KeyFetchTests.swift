import ScriptedOutside
import ServiceInProcess
import Testing

/// A key set at a URL: when it is fetched, and what waits for it.
@Suite struct KeyFetchTests {
    private static let url = "https://issuer.example/keys"
    private static let view = "GET /v1/spaces/main/user/title"
    private let fetcher = ScriptedFetcher()

    private func service() throws -> ServiceInProcess {
        try ServiceInProcess(
            arguments: [
                "--jwks", Self.url, "--issuer", TokenIssuer.issuer, "--audience", TokenIssuer.audience, "--grant",
                "true => act, *",
            ], fetcher: fetcher)
    }

    private func token(_ service: ServiceInProcess, _ key: TokenIssuer.Key, kid: String? = nil) throws -> String {
        try TokenIssuer.token(
            TokenIssuer.claims(until: service.now + 3_600), key,
            header: kid.map { "{\"alg\":\"\(key.algorithm)\",\"kid\":\"\($0)\"}" })
    }

    private func send(_ service: ServiceInProcess, _ token: String) throws -> ConnectionInProcess {
        let connection = try service.connect()
        connection.send(Self.view, ["Authorization": "Bearer \(token)"])
        service.settle()
        connection.receive()
        return connection
    }

    private func status(_ connection: ConnectionInProcess) -> String? {
        connection.receive()
        return connection.takeHead()?.split(separator: " ").dropFirst().first.map(String.init)
    }

    @Test func `a request waits for the first set, and the loop goes on`() throws {
        let service = try service()
        #expect(fetcher.asked == [Self.url])
        let waiting = try [send(service, token(service, .rsa)), send(service, token(service, .ed))]
        #expect(waiting.allSatisfy { status($0) == nil } && fetcher.asked.count == 1)
        #expect(try service.ask("GET /healthz").status == 200)
        // What is wrong whatever the keys are does not wait.
        #expect(try service.ask(Self.view, ["Authorization": "Bearer e30.e30.e30"]).status == 401)
        fetcher.answer(Self.url, TokenIssuer.keySet([.rsa]))
        service.settle()
        #expect(status(waiting[0]) == "200")
        // The second names a key that the first set lacks, so the set is fetched again.
        #expect(status(waiting[1]) == nil && fetcher.asked.count == 2)
        fetcher.answer(Self.url, TokenIssuer.keySet([.rsa, .ed]))
        service.settle()
        #expect(status(waiting[1]) == "200")
    }

    @Test func `an unknown key fetches the set again, at most once a minute`() throws {
        let service = try service()
        fetcher.answer(Self.url, TokenIssuer.keySet([.rsa]))
        #expect(try service.ask(Self.view, ["Authorization": "Bearer \(token(service, .rsa))"]).status == 200)
        let known = fetcher.asked.count
        let first = try send(service, token(service, .ec, kid: "x"))
        #expect(fetcher.asked.count == known + 1)
        fetcher.answer(Self.url, TokenIssuer.keySet([.rsa]))
        service.settle()
        #expect(status(first) == "401")
        for index in 0..<20 {
            let reply = try service.ask(
                Self.view, ["Authorization": "Bearer \(token(service, .ec, kid: "x\(index)"))"])
            #expect(reply.status == 401)
        }
        #expect(fetcher.asked.count == known + 1)
        service.advance(seconds: 60)
        let rotated = try send(service, token(service, .ec))
        #expect(fetcher.asked.count == known + 2)
        fetcher.answer(Self.url, TokenIssuer.keySet([.ec]))
        service.settle()
        #expect(status(rotated) == "200")
    }

    @Test func `a key that is gone from the set ends its tokens and their streams`() throws {
        let service = try service()
        fetcher.answer(Self.url, TokenIssuer.keySet([.rsa, .ed]))
        let tokens = try [token(service, .rsa), token(service, .ed)]
        let streams = try tokens.map { token in
            let stream = try service.connect()
            stream.send("GET /v1/spaces/main/user/title?events=1", ["Authorization": "Bearer \(token)"])
            return stream
        }
        service.settle()
        _ = try send(service, token(service, .ec))
        fetcher.answer(Self.url, TokenIssuer.keySet([.ed, .ec]))
        service.settle()
        for stream in streams { stream.receive() }
        #expect(streams.map(\.isEnded) == [true, false])
        #expect(try service.ask(Self.view, ["Authorization": "Bearer \(tokens[0])"]).status == 401)
        #expect(try service.ask(Self.view, ["Authorization": "Bearer \(tokens[1])"]).status == 200)
    }

    @Test func `without a set tokens are 503, and a fault keeps the last set`() throws {
        let service = try service()
        let token = try token(service, .rsa)
        for answer in ["", "{}", "{\"keys\":[]}", "{\"keys\":[{\"kty\":\"oct\",\"k\":\"AAAA\"}]}"] {
            fetcher.answer(Self.url, answer)
            let refused = try service.ask(Self.view, ["Authorization": "Bearer \(token)"])
            #expect(refused.status == 503 && refused["Retry-After"] != nil, "\(answer)")
            service.advance(seconds: 60)
            _ = try send(service, token)
        }
        fetcher.answer(Self.url, TokenIssuer.keySet([.rsa]))
        service.settle()
        #expect(try service.ask(Self.view, ["Authorization": "Bearer \(token)"]).status == 200)
        _ = try send(service, try self.token(service, .ec))
        fetcher.answer(Self.url, "gone", status: 500)
        service.settle()
        #expect(try service.ask(Self.view, ["Authorization": "Bearer \(token)"]).status == 200)
    }

    @Test func `a connection that waits keeps the requests after it`() throws {
        let service = try service()
        let token = try token(service, .rsa)
        let request = "GET /v1/spaces/main/user/title HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(token)\r\n"
        let connection = try service.connect()
        connection.send(bytes: Array((request + "\r\n" + request + "Connection: close\r\n\r\n").utf8))
        service.settle()
        fetcher.answer(Self.url, TokenIssuer.keySet([.rsa]))
        service.settle()
        connection.receive()
        let answers = connection.takeAll()
        #expect(answers.ranges(of: "HTTP/1.1 200").count == 2, "\(answers)")
    }
}
