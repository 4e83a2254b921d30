import JSON
import StateStore

/// The verifier of JSON Web Tokens: the keys, and the demands on claims.
final class TokenVerifier: Sendable {
    /// The secret for HS256; nil for none.
    private let secret: VerificationKey?
    /// The public keys; nil for none.
    let keys: KeySource?
    private let demands: Claims.Demands

    init(secret: VerificationKey?, keys: KeySource?, _ demands: Claims.Demands) {
        self.secret = secret
        self.keys = keys
        self.demands = demands
    }

    /// The result of a verification.
    enum Verdict {
        case good(Claims, VerificationKey)
        case refused(TokenFault)
        /// The keys are being fetched.
        case pending
        /// No keys could be fetched yet.
        case unavailable
    }

    /// Verifies a token.
    func verify(_ text: String, at now: Timestamp) -> Verdict {
        do throws(TokenFault) {
            let token = try JSONWebToken(text)
            switch signer(of: token) {
            case .pending: return .pending
            case .unavailable: return .unavailable
            case .refused(let fault): return .refused(fault)
            case .key(let key): return .good(try Claims(try token.claims(), demands, at: now), key)
            }
        } catch {
            return .refused(error)
        }
    }

    /// The key that has signed a token, or the reason why none has.
    enum Signer {
        case key(VerificationKey)
        case refused(TokenFault)
        case pending
        case unavailable
    }

    /// Returns the key that has signed a token.
    func signer(of token: JSONWebToken) -> Signer {
        switch candidates(token) {
        case .pending: return .pending
        case .unavailable: return .unavailable
        case .refused(let fault): return .refused(fault)
        case .keys(let keys):
            guard let key = keys.first(where: { $0.algorithm == token.algorithm && $0.verifies(token) }) else {
                return .refused(TokenFault("the token's signature is not valid"))
            }
            return .key(key)
        }
    }

    /// Checks claims that were verified before, with the key whose thumbprint is given.
    func verify(_ members: JSON.Object, thumbprint: [UInt8], at now: Timestamp) -> Verdict {
        do throws(TokenFault) {
            let claims = try Claims(members, demands, at: now)
            if let secret, ConstantTime.areEqual(secret.thumbprint, thumbprint) { return .good(claims, secret) }
            guard let keys else { return .refused(TokenFault("the key of the ticket was withdrawn")) }
            switch keys.find(thumbprint: thumbprint) {
            case .pending: return .pending
            case .unavailable: return .unavailable
            case .refused(let fault): return .refused(fault)
            case .keys(let keys): return .good(claims, keys[0])
            }
        } catch {
            return .refused(error)
        }
    }

    private func candidates(_ token: JSONWebToken) -> KeySource.Finding {
        // A secret and a public key are never taken for each other.
        if token.algorithm == .hs256 {
            return secret.map { .keys([$0]) } ?? .refused(TokenFault("this server takes no tokens of HS256"))
        }
        return keys?.find(token) ?? .refused(TokenFault("this server takes no tokens of \(token.algorithm.rawValue)"))
    }
}
