import JSON
import ServiceInProcess
import Testing

/// Tokens and tickets of any form, through the whole way of a request.
@Suite struct RandomTokensTests {
    @Test(arguments: 0..<4) func `a server takes the tokens that a model takes, and no others`(_ share: Int) throws {
        let issuer = try TokenIssuer()
        let service = try ServiceInProcess(arguments: issuer.arguments("true => read, *"))
        var entropy = Entropy(seed: UInt64(share))
        var good = 0
        for number in 0..<250 {
            let token = try RandomToken(at: service.now, &entropy)
            let reply = try service.ask("GET /v1/spaces/main/user/title", ["Authorization": "Bearer \(token.text)"])
            #expect(reply.status == (token.isGood ? 200 : 401), "number \(number) of \(share): \(token.text)\n\(reply)")
            if token.isGood { good += 1 }
        }
        #expect((40...210).contains(good))
    }

    @Test(arguments: 0..<4) func `a ticket with any change is refused`(_ share: Int) throws {
        let issuer = try TokenIssuer()
        let service = try ServiceInProcess(arguments: issuer.arguments("true => read, *"))
        var entropy = Entropy(seed: UInt64(share))
        let token = try TokenIssuer.token(TokenIssuer.claims(until: service.now + 10_000, "\"sub\":\"ada\""), .ed)
        let made = try service.ask("POST /v1/tickets", ["Authorization": "Bearer \(token)"], "{}")
        guard case .string(let ticket)? = try made.json["ticket"] else { throw ServiceInProcess.NoAnswer() }
        for number in 0..<250 {
            var bytes = Array(ticket.utf8)
            for _ in 0..<1 + entropy.below(3) {
                let place = entropy.below(bytes.count)
                switch entropy.below(4) {
                case 0: bytes.remove(at: place)
                case 1: bytes.insert(entropy.one(of: Array("Az0-_%2E=".utf8)), at: place)
                case 2: bytes.removeSubrange(place...)
                default: bytes[place] = entropy.one(of: Array("AZaz09-_".utf8))
                }
                if bytes.isEmpty { bytes = [65] }
            }
            let text = String(decoding: bytes, as: UTF8.self)
            let reply = try service.ask("GET /v1/spaces/main/user/title?ticket=\(text)")
            let allowed = text == ticket ? [200] : text.contains("%") ? [400, 401] : [401]
            #expect(allowed.contains(reply.status), "number \(number) of \(share): \(text)")
        }
    }
}
