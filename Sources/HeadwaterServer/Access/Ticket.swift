import Ground
import HTTP
import JSON
import StateStore

/// The content of a ticket, which stands in a URL in place of a token.
struct Ticket: Equatable {
    /// The time in which a ticket begins requests.
    static let seconds: Int64 = 30

    /// The proof of the account that asked for it.
    enum Proof: Equatable {
        case none
        /// The digest of a token of the file.
        case token([UInt8])
        /// The digest of a JSON Web Token, the thumbprint of its key, and its claims.
        case jwt(digest: [UInt8], thumbprint: [UInt8], claims: JSON)
    }

    let made: Timestamp
    /// The digest of the target that it is good for; nil for all.
    let target: [UInt8]?
    let proof: Proof

    /// Returns true if it may begin a request at a time: within its first seconds, or if one of its streams goes on.
    func isGood(at now: Timestamp, goesOn: Bool) -> Bool {
        let age = now.microseconds - made.microseconds
        // Clocks of other nodes may be ahead.
        return age > -Self.seconds * 1_000_000 && (goesOn || age < Self.seconds * 1_000_000)
    }

    /// The end of its time.
    var end: Timestamp { Timestamp(microseconds: made.microseconds + Self.seconds * 1_000_000) }

    /// Returns the digest of a target without the parameters that a reader adds or changes: the ticket, the id that it
    /// goes on from, and the names that are free for clients.
    static func digest(_ segments: [String], _ parameters: [(name: String, value: String)]) -> [UInt8] {
        let bound = parameters.filter { $0.name != "ticket" && $0.name != "lastEventId" && !$0.name.hasPrefix("_") }
        var bytes: [UInt8] = []
        func add(_ text: String) {
            bytes += withUnsafeBytes(of: UInt32(text.utf8.count).littleEndian) { Array($0) } + text.utf8
        }
        add("\(segments.count)")
        segments.forEach(add)
        for parameter in bound {
            add(parameter.name)
            add(parameter.value)
        }
        return Array(SHA256.digest(bytes).prefix(16))
    }
}
