import JSON
import StateStore
import Testing
import Glibc

@testable import HeadwaterServer

/// The cases of a file that `HEADWATER_VECTORS` names: keys, a token, and the verdict on its signature.
/// `Scripts/wycheproof` writes it.
@Suite(.enabled(if: getenv("HEADWATER_VECTORS") != nil, "HEADWATER_VECTORS names no file"))
struct VectorTests {
    private static let path = getenv("HEADWATER_VECTORS").map { String(cString: $0) }

    // Law ID1
    @Test func `each token has its verdict`() throws {
        let lines = try TextFile.read(Self.path ?? "").split(separator: "\n")
        try #require(LibCrypto.isAvailable && !lines.isEmpty)
        for line in lines {
            let vector = try JSON(parsing: Array(line.utf8))
            guard case .string(let name)? = vector["case"], case .bool(let isGood)? = vector["good"],
                case .string(let token)? = vector["token"]
            else {
                Issue.record("a line is no case: \(line)")
                continue
            }
            let fault = Self.fault(of: token, vector)
            print("vector \(name): \(fault?.description ?? "good")")
            #expect((fault == nil) == isGood, "\(name): \(fault?.description ?? "good")")
        }
    }

    /// Returns the reason to refuse a token with the keys of a case.
    private static func fault(of text: String, _ vector: JSON) -> TokenFault? {
        do throws(TokenFault) {
            var secret: VerificationKey?
            if case .string(let text)? = vector["secret"], let bytes = Base64URL.bytes(text) {
                secret = VerificationKey(secret: bytes)
            }
            var keys: KeySource?
            if case .string(let set)? = vector["keys"] { keys = KeySource(try KeySet(Array(set.utf8))) }
            let verifier = TokenVerifier(secret: secret, keys: keys, Claims.Demands())
            switch verifier.signer(of: try JSONWebToken(text)) {
            case .key: return nil
            case .refused(let fault): return fault
            case .pending, .unavailable: return TokenFault("the keys are missing")
            }
        } catch {
            return error
        }
    }
}
