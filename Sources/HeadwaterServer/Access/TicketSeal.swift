import HTTP
import JSON
import StateStore

/// The writer and reader of tickets. Its keys follow from a key of the journal, so every node and every later process
/// reads them, and no ticket is stored. The writer of the marks of their streams.
///
/// A ticket is encrypted, because logs may have URLs, and it has a code that only this server can compute.
struct TicketSeal: Sendable {
    private static let digestBytes = 32
    /// The greatest length of claims. A target of 8 KiB has room for the text.
    static let claimsBytesLimit = 4_096

    private let seal: Seal
    private let streams: Seal

    init(_ key: DigestKey) {
        seal = Seal(of: "ticket", key)
        streams = Seal(of: "ticket's stream", key)
    }

    /// Returns the mark of the streams of a target that are opened with a ticket's text.
    func mark(of text: String, on target: [UInt8]) -> EventIDMark {
        EventIDMark(code: streams.code(target + text.utf8))
    }

    /// Returns the text of a ticket; nil if its claims are too large.
    func text(of ticket: Ticket) -> String? {
        var content: [UInt8] = Self.bytes(UInt64(bitPattern: ticket.made.microseconds))
        content.append(ticket.target == nil ? 0 : 1)
        content += ticket.target ?? []
        switch ticket.proof {
        case .none: content.append(0)
        case .token(let digest): content += [1] + digest
        case .jwt(let digest, let thumbprint, let claims):
            let claims = claims.written
            guard claims.count <= Self.claimsBytesLimit else { return nil }
            content += [2] + digest + thumbprint + claims
        }
        return Base64URL.text(seal.sealed(content))
    }

    /// Reads the text of a ticket; nil if this server has not made it.
    func ticket(_ text: String) -> Ticket? {
        guard text.utf8.count <= 2 * Self.claimsBytesLimit, let bytes = Base64URL.bytes(text),
            let content = seal.opened(bytes)
        else { return nil }
        return Self.read(content)
    }

    private static func read(_ content: [UInt8]) -> Ticket? {
        var rest = content[...]
        func take(_ count: Int) -> [UInt8]? {
            guard rest.count >= count else { return nil }
            defer { rest = rest.dropFirst(count) }
            return Array(rest.prefix(count))
        }
        guard let time = take(8), let isBound = take(1)?.first else { return nil }
        let target = isBound == 1 ? take(16) : nil
        guard isBound == 0 || target != nil, let kind = take(1)?.first else { return nil }
        let proof: Ticket.Proof
        switch kind {
        case 0: proof = .none
        case 1:
            guard let digest = take(digestBytes) else { return nil }
            proof = .token(digest)
        default:
            // The seal is right, so the claims are those that `text` wrote; others make no ticket.
            guard let digest = take(digestBytes), let thumbprint = take(digestBytes),
                let claims = try? JSON(parsing: Array(rest))
            else { return nil }
            proof = .jwt(digest: digest, thumbprint: thumbprint, claims: claims)
        }
        let made = time.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return Ticket(made: Timestamp(microseconds: Int64(bitPattern: made)), target: target, proof: proof)
    }

    private static func bytes(_ word: UInt64) -> [UInt8] { withUnsafeBytes(of: word.littleEndian) { Array($0) } }
}
