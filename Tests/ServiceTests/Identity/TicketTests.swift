import HTTP
import JSON
import ServiceInProcess
import StateStore
import Testing

@testable import HeadwaterServer

/// Tickets, which stand in URLs in place of tokens.
@Suite struct TicketTests {
    private let issuer: TokenIssuer
    /// The token `secret`, for `alice-*`.
    private static let file =
        "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b act alice-* subject=alice"
    private static let bearer = ["Authorization": "Bearer secret"]
    private static let view = "/v1/spaces/alice-1/user/title"

    init() throws {
        issuer = try TokenIssuer()
    }

    private func ticket(
        _ service: ServiceInProcess, _ body: String = "{}", _ fields: [String: String] = bearer
    ) throws -> String {
        let reply = try service.ask("POST /v1/tickets", fields, body)
        #expect(reply.status == 201 && reply["Cache-Control"] == "no-store", "\(reply)")
        guard case .string(let ticket)? = try reply.json["ticket"] else { return "" }
        return ticket
    }

    private func get(_ service: ServiceInProcess, _ target: String, _ fields: [String: String] = [:]) throws -> Int {
        try service.ask("GET \(target)", fields).status
    }

    // Law ID3
    @Test func `a ticket is good for each GET that its token may send, for 30 seconds`() throws {
        let service = try ServiceInProcess(tokenFile: Self.file)
        let made = service.now
        let reply = try service.ask("POST /v1/tickets", Self.bearer, "{}")
        #expect(try reply.json["expires"] == .string(RFC3339Text.of(seconds: made + 30)))
        let ticket = try ticket(service)
        #expect(ticket.utf8.allSatisfy { Base64URL.bytes(ticket) != nil && $0 < 0x7F } && !ticket.contains("secret"))
        for path in [Self.view, "/v1", "/v1/spaces/alice-2/views", "/v1/spaces/alice-1/changes"] {
            #expect(try get(service, "\(path)?ticket=\(ticket)") == 200, "\(path)")
        }
        #expect(try service.ask("HEAD \(Self.view)?ticket=\(ticket)").status == 200)
        #expect(try get(service, "/v1/spaces/bob/user/title?ticket=\(ticket)") == 403)
        let post = "POST /v1/spaces/alice-1/user/logIn?ticket=\(ticket)"
        #expect(try service.ask(post, [:], #"{"name": "Ada"}"#).status == 401)
        #expect(try service.ask("POST /v1/tickets?ticket=\(ticket)", [:], "{}").status == 401)
        service.advance(seconds: 29)
        #expect(try get(service, "\(Self.view)?ticket=\(ticket)") == 200)
        service.advance(seconds: 1)
        #expect(try get(service, "\(Self.view)?ticket=\(ticket)") == 401)
    }

    // Law H3
    @Test func `a ticket counts as an action of the rate`() throws {
        let service = try ServiceInProcess(tokenFile: Self.file, rate: 3)
        let replies = try (0..<4).map { _ in try service.ask("POST /v1/tickets", Self.bearer, "{}") }
        #expect(replies.map(\.status) == [201, 201, 201, 429])
        #expect(replies[3]["Retry-After"] != nil && replies[0]["RateLimit"] != nil)
    }

    @Test func `a ticket that is bound is good for its path and query only`() throws {
        let service = try ServiceInProcess(tokenFile: Self.file)
        let bound = "/v1/spaces/alice-1/views?view=user.title&view=user%2Ename"
        let ticket = try ticket(service, "{\"path\": \"\(bound)\"}")
        for target in [
            "\(bound)&ticket=\(ticket)", "\(bound)&ticket=\(ticket)&lastEventId=1-x&_x=1&_x=2",
            "/v1/spaces/alice-1/views?_=1&ticket=\(ticket)&view=user.title&view=user.name",
            "/v1/spaces/alice%2D1/views?view=user.title&view=user.name&ticket=\(ticket)",
        ] {
            #expect(try get(service, target) == 200, "\(target)")
        }
        for target in [
            "/v1/spaces/alice-1/views?ticket=\(ticket)", "/v1/spaces/alice-1/views?view=user.title&ticket=\(ticket)",
            "/v1/spaces/alice-2/views?view=user.title&view=user.name&ticket=\(ticket)",
            "\(bound)&events=1&ticket=\(ticket)", "\(Self.view)?ticket=\(ticket)", "/v1?ticket=\(ticket)",
        ] {
            #expect(try get(service, target) == 401, "\(target)")
        }
    }

    @Test(arguments: [
        ("[]", 422), ("1", 422), ("{\"path\": 1}", 422), ("{\"path\": \"\"}", 422), ("{\"path\": \"v1\"}", 422),
        ("{\"path\": \"/\"}", 422), ("{\"path\": \"/healthz\"}", 422), ("{\"path\": \"http://x/v1\"}", 422),
        ("{\"path\": \"/v1/%FF\"}", 422), ("{\"path\": \"/v1\", \"x\": 1}", 422), ("{\"x\": 1}", 422), ("{", 400),
        ("{\"path\": \"/v1\", \"path\": \"/v1\"}", 400), ("{\"path\": \"/v1\"}", 201), ("", 201),
    ])
    func `the body is an object that may name a path`(_ body: String, _ status: Int) throws {
        let service = try ServiceInProcess(tokenFile: Self.file)
        #expect(try service.ask("POST /v1/tickets", Self.bearer, body).status == status)
    }

    @Test func `a ticket needs a token, and a JSON body`() throws {
        let service = try ServiceInProcess(tokenFile: Self.file)
        #expect(try service.ask("POST /v1/tickets", [:], "{}").status == 401)
        #expect(try service.ask("GET /v1/tickets", Self.bearer).status == 405)
        let text = Self.bearer.merging(["Content-Type": "text/plain"]) { $1 }
        #expect(try service.ask("POST /v1/tickets", text, "{}").status == 415)
        #expect(try service.ask("POST /v1/tickets?path=1", Self.bearer, "{}").status == 422)
        // An open server makes tickets too, so that clients need not know; such a ticket is of no use elsewhere.
        let open = try ServiceInProcess()
        let ticket = try ticket(open, "{}", [:])
        #expect(try get(open, "\(Self.view)?ticket=\(ticket)") == 200 && get(service, "/v1?ticket=\(ticket)") == 401)
    }

    // Law ID2
    @Test func `a ticket of a JSON Web Token ends with it, also while it streams`() throws {
        let service = try ServiceInProcess(arguments: issuer.arguments("token.sub == 'ada' => act, *"))
        let token = try TokenIssuer.token(TokenIssuer.claims(until: service.now + 100, "\"sub\":\"ada\""))
        let ticket = try ticket(service, "{}", ["Authorization": "Bearer \(token)"])
        let stream = try service.connect()
        stream.send("GET \(Self.view)?events=1&ticket=\(ticket)")
        service.settle()
        stream.receive()
        #expect(stream.takeHead()?.contains("200") == true)
        let opening = StreamBlock(try #require(stream.takeBlock()))
        let last = ["Last-Event-ID": try #require(opening.id)]
        service.advance(seconds: 129)
        stream.receive()
        #expect(!stream.isEnded)
        #expect(try get(service, "\(Self.view)?events=1&ticket=\(ticket)", last) == 200)
        service.advance(seconds: 1)
        stream.receive()
        #expect(stream.isEnded)
        #expect(try get(service, "\(Self.view)?events=1&ticket=\(ticket)", last) == 401)
    }

    @Test func `every server with the journal's key reads a ticket, and no other`() throws {
        let claims = JSON.object(JSON.Object())
        let proofs: [Ticket.Proof] = [
            .none, .token([UInt8](repeating: 7, count: 32)),
            .jwt(
                digest: [UInt8](repeating: 1, count: 32), thumbprint: [UInt8](repeating: 2, count: 32),
                claims: ["sub": "ada", "roles": ["a", "b"]]),
            .jwt(
                digest: [UInt8](repeating: 1, count: 32), thumbprint: [UInt8](repeating: 2, count: 32), claims: claims),
        ]
        let seal = TicketSeal(DigestKey(1, 2))
        for proof in proofs {
            for target in [nil, [UInt8](repeating: 9, count: 16)] {
                let ticket = Ticket(made: Timestamp(microseconds: 1_700_000_000_123_456), target: target, proof: proof)
                let text = try #require(seal.text(of: ticket))
                #expect(TicketSeal(DigestKey(1, 2)).ticket(text) == ticket)
                for other in [DigestKey(1, 3), DigestKey(2, 2), DigestKey(2, 1)] {
                    #expect(TicketSeal(other).ticket(text) == nil)
                }
                #expect(
                    !text.contains("ada")
                        && !String(decoding: Base64URL.bytes(text) ?? [], as: UTF8.self).contains("ada"))
            }
        }
        let large = String(repeating: "x", count: TicketSeal.claimsBytesLimit)
        let digest = [UInt8](repeating: 1, count: 32)
        let proof = Ticket.Proof.jwt(digest: digest, thumbprint: digest, claims: ["x": .string(large)])
        #expect(seal.text(of: Ticket(made: Timestamp(microseconds: 0), target: nil, proof: proof)) == nil)
    }

    @Test func `a withdrawn token ends its tickets`() throws {
        let access = AccessControl(
            tokens: try TokenFile.parse(Self.file), isClosed: true, origins: [], AccessControl.Limits(), verifier: nil,
            grants: [], clock: { Timestamp(microseconds: 0) })
        guard case .account(let account) = access.admit("secret") else { throw ServiceInProcess.NoAnswer() }
        let ticket = access.ticket(for: account, target: nil)
        func isGood() -> Bool {
            if case .account(let found) = access.admit(ticket, target: { [] }, goesOn: true) {
                return found === account
            }
            return false
        }
        #expect(isGood())
        access.replace(tokens: try TokenFile.parse(Self.file + "\n"))
        #expect(isGood())
        access.replace(tokens: [])
        #expect(!isGood() && account.isWithdrawn)
    }
}

/// The text of a time in answers.
private enum RFC3339Text {
    static func of(seconds: Int) -> String {
        let text = AuditEvent(
            kind: .ticket, at: Timestamp(microseconds: Int64(seconds) * 1_000_000), by: "", account: .open, request: ""
        ).json["at"]
        if case .string(let text)? = text { return text }
        return ""
    }
}
