import ServiceInProcess
import StateStore
import Testing

/// JSON Web Tokens: whose are good, and the known attacks on their readers (RFC 8725).
@Suite struct WebTokenTests {
    private let issuer: TokenIssuer

    init() throws {
        issuer = try TokenIssuer()
    }

    private func service(_ keys: [TokenIssuer.Key] = TokenIssuer.Key.allCases) throws -> ServiceInProcess {
        try ServiceInProcess(arguments: issuer.arguments("true => act, *", keys: keys))
    }

    private func status(_ token: String, _ service: ServiceInProcess) throws -> Int {
        let reply = try service.ask("GET /v1/spaces/main/user/title", ["Authorization": "Bearer \(token)"])
        if reply.status == 401 {
            #expect(reply.body.contains("/problems/unauthorized") && reply["WWW-Authenticate"] != nil)
        }
        // No answer repeats a part of a token.
        for part in token.split(separator: ".") where part.count > 12 { #expect(!reply.body.contains(part)) }
        return reply.status
    }

    private func claims(_ service: ServiceInProcess, _ more: String = "") -> String {
        TokenIssuer.claims(until: service.now + 60, more)
    }

    // Law ID1
    @Test(arguments: TokenIssuer.Key.allCases)
    func `a token of each algorithm is good by its field and in the query`(_ key: TokenIssuer.Key) throws {
        let service = try service()
        let token = try TokenIssuer.token(claims(service), key)
        for _ in 0..<2 { #expect(try status(token, service) == 200) }
        #expect(try service.ask("GET /v1/spaces/main/user/title?access_token=\(token)").status == 200)
        let post = try service.ask(
            "POST /v1/spaces/main/user/logIn", ["Authorization": "Bearer \(token)"], #"{"name": "Ada"}"#)
        #expect(post.status == 200)
    }

    @Test func `a token of the secret is good, and one of another secret is not`() throws {
        let service = try service()
        let secret = Array(TokenIssuer.secret.utf8)
        #expect(try status(try TokenIssuer.token(claims(service), secret: secret), service) == 200)
        for wrong in [secret.dropLast(), [], secret + [10]] {
            #expect(try status(try TokenIssuer.token(claims(service), secret: Array(wrong)), service) == 401)
        }
    }

    @Test func `a token without a signature is refused, however it spells none`() throws {
        let service = try service()
        let signed = try TokenIssuer.token(claims(service))
        let signature = signed.split(separator: ".")[2]
        for name in ["none", "None", "NONE", "nOnE", ""] {
            let content = TokenIssuer.text("{\"alg\":\"\(name)\"}") + "." + TokenIssuer.text(claims(service))
            for end in [".", ".\(signature)", "", ".AA"] { #expect(try status(content + end, service) == 401) }
        }
    }

    @Test(arguments: ["HS384", "HS512", "RS384", "RS512", "PS256", "ES384", "ES256K", "es256", "RSA-OAEP", "dir"])
    func `any other algorithm is refused`(_ name: String) throws {
        let service = try service()
        for key in TokenIssuer.Key.allCases {
            let header = "{\"alg\":\"\(name)\",\"kid\":\"\(key)\"}"
            #expect(try status(try TokenIssuer.token(claims(service), key, header: header), service) == 401)
        }
    }

    @Test func `a public key is never taken for a secret`() throws {
        for key in TokenIssuer.Key.allCases {
            let service = try service()
            let publicParts = [key.members, "{\(key.members)}", TokenIssuer.keySet([key]), TokenIssuer.keySet()]
            for secret in publicParts {
                for header in [#"{"alg":"HS256"}"#, "{\"alg\":\"HS256\",\"kid\":\"\(key)\"}"] {
                    let token = try TokenIssuer.token(claims(service), secret: Array(secret.utf8), header: header)
                    #expect(try status(token, service) == 401)
                }
            }
        }
    }

    @Test func `a key is used with its own algorithm only`() throws {
        let service = try service()
        for key in TokenIssuer.Key.allCases {
            for other in TokenIssuer.Key.allCases where other != key {
                // The name of one key and the algorithm of another, in each combination.
                for header in [
                    "{\"alg\":\"\(other.algorithm)\",\"kid\":\"\(key)\"}",
                    "{\"alg\":\"\(key.algorithm)\",\"kid\":\"\(other)\"}",
                    "{\"alg\":\"\(other.algorithm)\",\"kid\":\"\(other)\"}",
                ] {
                    #expect(try status(try TokenIssuer.token(claims(service), key, header: header), service) == 401)
                }
            }
        }
    }

    @Test(arguments: ["jwk", "jku", "x5c", "x5u", "crit", "b64", "zip"])
    func `a header that brings a key or demands an extension is refused`(_ name: String) throws {
        let service = try service()
        for value in [
            "null", "[]", "\"https://evil.example\"", "{\(TokenIssuer.Key.ec.members)}", "[\"exp\"]", "false",
        ] {
            let header = "{\"alg\":\"ES256\",\"kid\":\"ec\",\"\(name)\":\(value)}"
            #expect(try status(try TokenIssuer.token(claims(service), header: header), service) == 401, "\(value)")
        }
    }

    @Test func `a token without kid needs a set of one key, and an unknown kid is refused`() throws {
        let unnamed = #"{"alg":"ES256"}"#
        let several = try service()
        #expect(try status(try TokenIssuer.token(claims(several), header: unnamed), several) == 401)
        let one = try service([.ec])
        #expect(try status(try TokenIssuer.token(claims(one), header: unnamed), one) == 200)
        for id in ["\"other\"", "\"\"", "\"EC\"", "1", "null", "[\"ec\"]", "\"../ec\"", "\"ec'--\""] {
            for service in [several, one] {
                let header = "{\"alg\":\"ES256\",\"kid\":\(id)}"
                #expect(try status(try TokenIssuer.token(claims(service), header: header), service) == 401, "\(id)")
            }
        }
    }

    @Test func `a member that is there twice is refused`() throws {
        let service = try service()
        for header in [
            #"{"alg":"none","alg":"ES256","kid":"ec"}"#, #"{"alg":"ES256","kid":"ec","kid":"ec"}"#,
            #"{"alg":"ES256","k\u0069d":"ec","kid":"ec"}"#,
        ] {
            #expect(try status(try TokenIssuer.token(claims(service), header: header), service) == 401, "\(header)")
        }
        for more in ["\"exp\":9999999999", "\"sub\":\"a\",\"sub\":\"b\"", "\"x\":{\"a\":1,\"a\":2}"] {
            #expect(try status(try TokenIssuer.token(claims(service, more)), service) == 401, "\(more)")
        }
    }

    @Test func `a signature of ECDSA is two numbers of 32 bytes, and nothing else`() throws {
        let service = try service()
        let token = try TokenIssuer.token(claims(service))
        let content = token.split(separator: ".").dropLast().joined(separator: ".")
        let der = try TokenIssuer.signatureInDER(content)
        let raw = try #require(Base64URL.bytes(token.split(separator: ".")[2]))
        let zeros = [UInt8](repeating: 0, count: 32)
        let (first, second) = (Array(raw[..<32]), Array(raw[32...]))
        let signatures: [[UInt8]] = [
            der, [], Array(raw.dropLast()), raw + [0], [0] + raw, zeros + zeros, zeros + second, first + zeros,
            second + first, raw + raw,
        ]
        for signature in signatures {
            #expect(try status("\(content).\(Base64URL.text(signature))", service) == 401)
        }
        #expect(try status(token, service) == 200)
    }

    @Test(arguments: TokenIssuer.Key.allCases)
    func `a token with any changed byte is refused`(_ key: TokenIssuer.Key) throws {
        let service = try service()
        let token = Array(try TokenIssuer.token(claims(service), key).utf8)
        for index in stride(from: 0, to: token.count, by: key == .rsa ? 41 : 7) {
            var changed = token
            changed[index] = changed[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            #expect(try status(String(decoding: changed, as: UTF8.self), service) == 401, "byte \(index)")
        }
    }

    @Test func `base64url in another spelling is refused`() throws {
        let service = try service()
        let token = try TokenIssuer.token(claims(service))
        let parts = token.split(separator: ".").map(String.init)
        // 64 bytes of signature are 86 characters, of which the last has four bits that must be 0.
        let last = try #require(parts[2].last)
        let others = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".filter { $0 != last }
        for other in others {
            #expect(try status("\(parts[0]).\(parts[1]).\(parts[2].dropLast())\(other)", service) == 401)
        }
        for spelled in [
            "\(token)=", "\(token)==", "\(parts[0])=.\(parts[1]).\(parts[2])", "\(parts[0]).\(parts[1])..\(parts[2])",
            ".\(token)", "\(token).", "\(parts[0]).\(parts[1])", parts[0], "..", ".", "\(parts[0])..\(parts[2])",
            ".\(parts[1]).\(parts[2])", "\(parts[0]).\(parts[1]).\(parts[2]).\(parts[2]).\(parts[2])",
            "\(parts[0]).\(parts[1]).+\(parts[2].dropFirst())", "\(parts[0]).\(parts[1]).%2B\(parts[2])",
        ] {
            #expect(try status(spelled, service) == 401, "\(spelled)")
        }
    }

    @Test func `a token of more than 8192 bytes is refused before it is read`() throws {
        let service = try service()
        let fitting = String(repeating: "x", count: 5_000)
        #expect(try status(try TokenIssuer.token(claims(service, "\"x\":\"\(fitting)\"")), service) == 200)
        let large = String(repeating: "x", count: 6_200)
        let token = try TokenIssuer.token(claims(service, "\"x\":\"\(large)\""))
        #expect(token.utf8.count > 8_192)
        #expect(try status(token, service) == 401)
    }

    @Test(arguments: [
        "", "[]", "null", "\"a\"", "1", "{", "{\"alg\":\"ES256\"", "{\"alg\":1,\"kid\":\"ec\"}",
        "{\"alg\":[\"ES256\"],\"kid\":\"ec\"}", "{\"kid\":\"ec\"}", "{\"alg\":\"ES256\",\"kid\":\"ec\",\"typ\":1}",
        "{\"alg\":\"ES256\",\"kid\":\"ec\",\"typ\":\"logout+jwt\"}", "{\"alg\":\"ES256\",\"kid\":\"ec\"} ,",
        "{\"alg\":\"ES256\",\"kid\":\"ec\",\"x\":\(String(repeating: "[", count: 300))}",
    ])
    func `a header that is not an object of the right members is refused`(_ header: String) throws {
        let service = try service()
        #expect(try status(try TokenIssuer.token(claims(service), header: header), service) == 401)
    }

    @Test func `a token of the forms that issuers use is good`() throws {
        let service = try service()
        for type in ["JWT", "jwt", "at+jwt", "application/at+jwt"] {
            let header = "{\"typ\":\"\(type)\",\"alg\":\"ES256\",\"kid\":\"ec\",\"x5t\":\"abc\"}"
            #expect(try status(try TokenIssuer.token(claims(service), header: header), service) == 200, "\(type)")
        }
    }
}
