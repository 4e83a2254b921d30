import ServiceInProcess
import Testing

/// The claims that a JSON Web Token needs.
@Suite struct ClaimTests {
    private let issuer: TokenIssuer

    init() throws {
        issuer = try TokenIssuer()
    }

    private func status(_ claims: (Int) -> String, after seconds: Int = 0) throws -> Int {
        let service = try ServiceInProcess(arguments: issuer.arguments("true => read, *"))
        let token = try TokenIssuer.token(claims(service.now))
        if seconds > 0 { service.advance(seconds: seconds) }
        return try service.ask("GET /v1", ["Authorization": "Bearer \(token)"]).status
    }

    private static let named = "\"iss\":\"\(TokenIssuer.issuer)\",\"aud\":\"\(TokenIssuer.audience)\""

    @Test func `exp and nbf are checked with a leeway of 30 seconds`() throws {
        for (exp, expected) in [(1, 200), (-29, 200), (-30, 401), (-31, 401), (-1_000_000, 401)] {
            #expect(try status { "{\(Self.named),\"exp\":\($0 + exp)}" } == expected, "\(exp)")
        }
        for (nbf, expected) in [(0, 200), (30, 200), (31, 401), (1_000_000, 401)] {
            #expect(
                try status { "{\(Self.named),\"exp\":\($0 + 60),\"nbf\":\($0 + nbf)}" } == expected, "\(nbf)")
        }
        #expect(try status { "{\(Self.named),\"exp\":\($0 + 60).5}" } == 200)
        #expect(try status { _ in "{\(Self.named),\"exp\":9e18}" } == 200)
    }

    @Test func `a remembered token ends as well`() throws {
        let service = try ServiceInProcess(arguments: issuer.arguments("true => read, *"))
        let token = try TokenIssuer.token(TokenIssuer.claims(until: service.now + 10))
        func ask() throws -> Int { try service.ask("GET /v1", ["Authorization": "Bearer \(token)"]).status }
        #expect(try ask() == 200)
        service.advance(seconds: 39)
        #expect(try ask() == 200 && ask() == 200)
        service.advance(seconds: 1)
        #expect(try ask() == 401)
    }

    @Test(arguments: [
        "\"exp\":null", "\"exp\":\"9999999999\"", "\"exp\":true", "\"exp\":[9999999999]", "\"exp\":{}", "",
        "\"exp\":9999999999,\"nbf\":\"0\"", "\"exp\":9999999999,\"nbf\":null", "\"exp\":9999999999,\"iat\":\"0\"",
        "\"exp\":9999999999,\"sub\":1", "\"exp\":9999999999,\"sub\":null", "\"exp\":9999999999,\"sub\":[\"a\"]",
        "\"exp\":9999999999,\"jti\":1", "\"exp\":1e400",
    ])
    func `a claim of a wrong type, or no exp, is refused`(_ claims: String) throws {
        #expect(try status { _ in "{\(Self.named)\(claims.isEmpty ? "" : ",")\(claims)}" } == 401)
    }

    @Test(arguments: [
        ("\"iss\":\"https://issuer.example\",\"aud\":\"headwater\"", 200),
        ("\"iss\":\"https://issuer.example\",\"aud\":[\"x\",\"other\"]", 200),
        ("\"iss\":\"https://issuer.example/\",\"aud\":\"headwater\"", 401),
        ("\"iss\":\"https://evil.example\",\"aud\":\"headwater\"", 401), ("\"aud\":\"headwater\"", 401),
        ("\"iss\":[\"https://issuer.example\"],\"aud\":\"headwater\"", 401), ("\"iss\":1,\"aud\":\"headwater\"", 401),
        ("\"iss\":\"https://issuer.example\"", 401), ("\"iss\":\"https://issuer.example\",\"aud\":\"x\"", 401),
        ("\"iss\":\"https://issuer.example\",\"aud\":[]", 401),
        ("\"iss\":\"https://issuer.example\",\"aud\":[\"headwater\",1]", 401),
        ("\"iss\":\"https://issuer.example\",\"aud\":{\"headwater\":1}", 401),
        ("\"iss\":\"https://issuer.example\",\"aud\":null", 401),
    ])
    func `a token needs the issuer and one of the audiences`(_ named: String, _ expected: Int) throws {
        #expect(try status { "{\(named),\"exp\":\($0 + 60)}" } == expected)
    }

    @Test(arguments: ["[]", "1", "null", "\"x\"", "{\"exp\":", "", "\u{FEFF}{}"])
    func `claims that are no object are refused`(_ claims: String) throws {
        #expect(try status { _ in claims } == 401)
    }
}
