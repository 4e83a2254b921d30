import Glibc
import StateStore

/// An issuer of JSON Web Tokens for tests, with keys that are no secret. It has a folder for the server's files.
package final class TokenIssuer {
    /// A key of the issuer; its name is its `kid`.
    package enum Key: String, CaseIterable, Sendable {
        case rsa, ec, ed

        /// The name of its algorithm.
        package var algorithm: String {
            switch self {
            case .rsa: "RS256"
            case .ec: "ES256"
            case .ed: "EdDSA"
            }
        }

        /// The public key as a member of a key set, without its braces.
        package var members: String {
            switch self {
            case .rsa: #""kty":"RSA","n":"\#(TokenIssuer.modulus)","e":"AQAB""#
            case .ec:
                #""kty":"EC","crv":"P-256","x":"xdp_PvBFhEw_8JCyGYMgnId6ouQNph9AsMtkhbi-dIM","#
                    + #""y":"3OtOoLaQLObTn5FclZfGhdxQbVFaGm4wWYemOj4-pMU""#
            case .ed: #""kty":"OKP","crv":"Ed25519","x":"iYo1-OghT9UuIQjfzXYWz0Ms-3-qOcC9NAanBmQ0YV4""#
            }
        }

        fileprivate var secret: String {
            switch self {
            case .rsa: TokenIssuer.rsa
            case .ec: TokenIssuer.ec
            case .ed: TokenIssuer.ed
            }
        }
    }

    package static let issuer = "https://issuer.example"
    package static let audience = "headwater"
    /// The secret for HS256.
    package static let secret = "a secret of the tests, 32 bytes or more"

    /// A folder for the files of a server.
    package let folder: String
    private var files: [String] = []

    package init() throws {
        var template = Array("/tmp/issuer-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw NotWritten() }
        folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        for file in files { unlink(file) }
        rmdir(folder)
    }

    package struct NotWritten: Error {}

    /// Writes a file, and returns its path.
    @discardableResult
    package func write(_ name: String, _ text: String) throws -> String {
        let path = "\(folder)/\(name)"
        guard let file = fopen(path, "w") else { throw NotWritten() }
        defer { fclose(file) }
        guard fputs(text, file) >= 0 else { throw NotWritten() }
        if !files.contains(path) { files.append(path) }
        return path
    }

    /// Returns a set of keys.
    package static func keySet(_ keys: [Key] = Key.allCases) -> String {
        let members = keys.map { "{\"kid\":\"\($0)\",\"use\":\"sig\",\"alg\":\"\($0.algorithm)\",\($0.members)}" }
        return "{\"keys\":[\(members.joined(separator: ","))]}"
    }

    /// The arguments of a server that takes the tokens of this issuer and of the secret.
    package func arguments(_ grants: String..., keys: [Key] = Key.allCases) throws -> [String] {
        let keys = try write("jwks.json", Self.keySet(keys))
        let secret = try write("secret", Self.secret + "\n")
        return [
            "--jwks", keys, "--issuer", Self.issuer, "--audience", Self.audience, "--audience", "other", "--jwt-secret",
            secret,
        ] + grants.flatMap { ["--grant", $0] }
    }

    // MARK: Tokens

    /// Returns claims that the server accepts until `end`, with further ones.
    package static func claims(until end: Int, _ more: String = "") -> String {
        "{\"iss\":\"\(issuer)\",\"aud\":\"\(audience)\",\"exp\":\(end)\(more.isEmpty ? "" : ",")\(more)}"
    }

    /// Returns a token with a key's signature. `header` replaces the header.
    package static func token(_ claims: String, _ key: Key = .ec, header: String? = nil) throws -> String {
        let header = header ?? "{\"alg\":\"\(key.algorithm)\",\"kid\":\"\(key)\",\"typ\":\"JWT\"}"
        let content = text(header) + "." + text(claims)
        let signature = try Signer.shared.get().sign(
            Array(content.utf8), with: Base64URL.bytes(key.secret) ?? [], isHashed: key != .ed)
        return content + "." + Base64URL.text(key == .ec ? try halves(of: signature) : signature)
    }

    /// Returns a token of HS256 with any secret.
    package static func token(_ claims: String, secret: [UInt8], header: String = #"{"alg":"HS256"}"#) throws -> String
    {
        let content = text(header) + "." + text(claims)
        return content + "." + Base64URL.text(try Signer.shared.get().code(Array(content.utf8), secret))
    }

    /// Returns a text in base64url.
    package static func text(_ text: String) -> String { Base64URL.text(Array(text.utf8)) }

    /// Returns the signature of ECDSA in DER of a token's content, for an attack.
    package static func signatureInDER(_ content: String) throws -> [UInt8] {
        try Signer.shared.get().sign(Array(content.utf8), with: Base64URL.bytes(ec) ?? [], isHashed: true)
    }

    /// Returns the two numbers of a signature in DER, in 32 bytes each.
    private static func halves(of signature: [UInt8]) throws -> [UInt8] {
        var rest = signature.dropFirst(2)
        var halves: [UInt8] = []
        for _ in 0..<2 {
            let count = Int(rest[rest.startIndex + 1])
            let number = rest.dropFirst(2).prefix(count).drop { $0 == 0 }
            halves += [UInt8](repeating: 0, count: 32 - number.count) + number
            rest = rest.dropFirst(2 + count)
        }
        return halves
    }

    fileprivate static let modulus =
        "yZjT49EH_GQ1DEP_eCW1MfSHpvlJmjBdvZ3r41y3SjErIlii-zsiOqIx0XbdOG4igi--hccqfPWB674IJoSCuWkx"
        + "6fbS_9X4iTPMKfsjUPjF1rgQiDm0JnBLjS5Iq10RKZ-R4hqZHvPdrHB9Okp_9YA3xUzFWP2ArsmGRVicYhIhMEuL"
        + "W14HiywNwa-_XmUvfDoYC_dB2hu1bz9S7N68EFaQeptiNLHtKj_3LVzlM02uk4kizxDrZPQMPOa6xUn3oO99swoM"
        + "UHrJyDAiTm-wQa3QmBnwYDraQQvTWs-2KuQauwooiDPCFf-cslbshmPz_LDSlWRcEy2pSb2_UNlVUQ"
    fileprivate static let rsa =
        "MIIEpQIBAAKCAQEAyZjT49EH_GQ1DEP_eCW1MfSHpvlJmjBdvZ3r41y3SjErIlii-zsiOqIx0XbdOG4igi--hccq"
        + "fPWB674IJoSCuWkx6fbS_9X4iTPMKfsjUPjF1rgQiDm0JnBLjS5Iq10RKZ-R4hqZHvPdrHB9Okp_9YA3xUzFWP2A"
        + "rsmGRVicYhIhMEuLW14HiywNwa-_XmUvfDoYC_dB2hu1bz9S7N68EFaQeptiNLHtKj_3LVzlM02uk4kizxDrZPQM"
        + "POa6xUn3oO99swoMUHrJyDAiTm-wQa3QmBnwYDraQQvTWs-2KuQauwooiDPCFf-cslbshmPz_LDSlWRcEy2pSb2_"
        + "UNlVUQIDAQABAoIBABQzv_wi_Olig1xkzguUv8kvR47IiYMtmJ9BXZuttWJ2deudtUt23BHDIjnq7vVSOBwSu8V9"
        + "NXlLQwdERl3RxqXc8FcRWIixwRPCwJFubNYW8AB59pIoMjDt7OxLeJXPoEIrDvv5DWIoLw0yQqJeR99qx2v6qwYl"
        + "dUlOwaleXWGIYQmzmKTa6AZ_6oOjTPM7kwpK1INygC3YU3bGvLicWwMJEiZbc-RU0MBaJs7znbXW4WyxpMdU7Eyk"
        + "PjtIMzbVIA5sPl9_P5Hr_Fd_ngKh8o6lodl-3sMCTvTRbXMYquP3wa5e8UxEBb4A8r0NWcUWcktiPxEKRDRqtbpr"
        + "0k2yxk8CgYEA5MLtExukT0g85YHWRuUh3Wwujt0TMLTKew_tSPiuQwEO_8CU5D_wJ-gZ4ttvYyYKrtbMcRUSCfSV"
        + "vH-QmuAbAxOGaSYryObQUjhwYogZfi4RWs7Mi0cPEp_ya7l-x5v4DV1nhVB1kwlbeKLQ0unQJEnOT5lMjn-wU6BS"
        + "CRZ_3n8CgYEA4Zng9fD2-zGIMQSMhV_s1UsfwSW65jwoxj9ZYv1duUOCYPCwyQArgAYQrFZa3A7WPCcwNkdFJ_ht"
        + "Awa89BmjFJyF3_UEf_sT9KX9FWJa558X1NVqnqggdR-h3NxsqqFzhVI6mAW9IYq2yIQ518vt7_ETVfirVQYc84ti"
        + "hfhahC8CgYEApEF2Wr8BRtAWsbB9fCAwJb303C3PBqz5qk0wUrIE5iWPcIIGJrHmLbFRTPvEygtZplqjJxs6_Zz6"
        + "GwP5f8skehv96eg3jiR1NmRCBe21aE2JtotAgUz_fJ8OQN1LM-ZAwM_tceLo2S_h1wgJKzgpdLTuB2eKedMjd5ho"
        + "7w-Rtt8CgYEAqtHQA4k0CZlErRDrsaWjdxFN9vqxnNkaapnW_dwoljnmw64bveYyCdsNzuAIJi3Zy2xE1iR62bwC"
        + "FtOISTAMSnQF7kDg6mLbhlgU3Jc_i7fr3IzIEV_uS6Dq94ezhDOBfAZ6NVfLEFWu9v8fqSVRgWfBo0wJtvRNAZ-d"
        + "tyEIsKMCgYEAyMdu0sY6VJtG9tIPrTSYkEkWehh3JTlzYBdriwuTi_BfAKaTg1avdnVc7hYEFhZvviG316DX_jCw"
        + "ulFpzqMbjim_cJFTm0UB4iA3sIoyO1Z7Yeieh9MENJl42pSc20oPQunu2c3q7a4qWFcZe2NPhWNid2Dp8OmTBUfC"
        + "zf6Jfp0"
    fileprivate static let ec =
        "MHcCAQEEIOGDvntx0oJODlQmQbaiX-9jlZ551QjOSGNMBKuB65Z0oAoGCCqGSM49AwEHoUQDQgAExdp_PvBFhEw_"
        + "8JCyGYMgnId6ouQNph9AsMtkhbi-dIPc606gtpAs5tOfkVyVl8aF3FBtUVoabjBZh6Y6Pj6kxQ"
    fileprivate static let ed =
        "MC4CAQAwBQYDK2VwBCIEIPLxG6zS0zFwef6f9WA_8tz7DtBJK3LTw8FB3uL0Im_c"
}
