/// A token with a random header, random claims and a random signature, and what a server has to make of it by the
/// standards. The model knows nothing of the server's code.
package struct RandomToken {
    /// The token as it is sent.
    package let text: String
    /// True if the server has to take it.
    package let isGood: Bool

    /// A part of the token, and true if it is right.
    private typealias Choice = (text: String, isRight: Bool)

    /// A token for a server of the issuer with all its keys and its secret, at a time in seconds.
    package init(at now: Int, _ entropy: inout Entropy) throws {
        let key = entropy.one(of: TokenIssuer.Key.allCases)
        let isSecret = entropy.isOne(in: 5)
        let claims = Self.claims(now, &entropy)
        let header = Self.header(key, isSecret: isSecret, &entropy)
        let secret = entropy.isOne(in: 6) ? "another secret" : TokenIssuer.secret
        let signer = entropy.isOne(in: 6) ? entropy.one(of: TokenIssuer.Key.allCases) : key
        var token =
            isSecret
            ? try TokenIssuer.token(claims.text, secret: Array(secret.utf8), header: header.text)
            : try TokenIssuer.token(claims.text, signer, header: header.text)
        var isGood = claims.isRight && header.isRight && (isSecret ? secret == TokenIssuer.secret : signer == key)
        if entropy.isOne(in: 6) {
            var bytes = Array(token.utf8)
            let place = entropy.below(bytes.count)
            let letter = UInt8(entropy.one(of: Array("AZaz09-_.=+/".utf8)))
            isGood = isGood && bytes[place] == letter
            bytes[place] = letter
            token = String(decoding: bytes, as: UTF8.self)
        }
        text = token
        self.isGood = isGood
    }

    private static func header(_ key: TokenIssuer.Key, isSecret: Bool, _ entropy: inout Entropy) -> Choice {
        let name = isSecret ? "HS256" : key.algorithm
        var members = ["\"alg\":\"\(name)\"", "\"kid\":\"\(key)\""]
        var isRight = true
        switch entropy.below(12) {
        case 0:
            let other = entropy.one(of: ["none", "HS256", "RS256", "ES256", "EdDSA", "HS512", ""])
            members[0] = "\"alg\":\"\(other)\""
            isRight = other == name
        case 1:
            members.append("\"\(entropy.one(of: ["jwk", "jku", "x5c", "x5u", "crit"]))\":\"x\"")
            isRight = false
        case 2:
            members[1] = "\"kid\":\"\(entropy.one(of: ["x", "rsa ", ""]))\""
            // The secret has no name.
            isRight = isSecret
        case 3:
            members.remove(at: 1)
            isRight = isSecret
        case 4:
            members.append(members[entropy.below(2)])
            isRight = false
        case 5: members.append(entropy.one(of: ["\"typ\":\"JWT\"", "\"x\":[{}]", "\"x5t\":\"a\""]))
        default: break
        }
        return ("{\(members.joined(separator: ","))}", isRight)
    }

    private static func claims(_ now: Int, _ entropy: inout Entropy) -> Choice {
        var isRight = true
        func choose(_ name: String, _ right: [String], _ wrong: [String]) -> String? {
            let isWrong = entropy.isOne(in: 12)
            if isWrong { isRight = false }
            let value = entropy.one(of: isWrong ? wrong : right)
            return value.isEmpty ? nil : "\"\(name)\":\(value)"
        }
        let claims = [
            choose("iss", ["\"\(TokenIssuer.issuer)\""], ["", "1", "\"x\"", "null", "[\"\(TokenIssuer.issuer)\"]"]),
            choose(
                "aud", ["\"headwater\"", "[\"headwater\"]", "[\"x\",\"other\"]"],
                ["", "\"x\"", "[]", "1", "null", "[\"headwater\",null]"]),
            choose(
                "exp", ["\(now + 100)", "\(now - 20)", "\(now + 1).5", "9e15"],
                ["", "\(now - 40)", "0", "-1", "\"\(now + 100)\"", "null", "true"]),
            choose("nbf", ["", "\(now)", "\(now + 20)", "-5"], ["\(now + 40)", "\"0\"", "null"]),
            choose("iat", ["", "0", "\(now)"], ["\"0\"", "{}"]),
            choose("sub", ["", "\"ada\"", "\"\"", "\"\\u0000\""], ["1", "null", "[]", "\"\\uD800\""]),
        ]
        return ("{\(claims.compactMap { $0 }.joined(separator: ","))}", isRight)
    }
}
