import JSON

// The parts of messages about presence, as bytes and texts.

extension PresenceRequest {
    /// The row as JSON.
    package var rowBytes: [UInt8] { Self.bytes(of: row) }

    /// The claims of the client as JSON.
    package var claimBytes: [UInt8] { Self.bytes(of: caller.claims) }

    // Both were read from JSON, so they can be written.
    private static func bytes(of json: JSON) -> [UInt8] { (try? json.json()) ?? Array("null".utf8) }

    /// Reads a request; nil if the bytes are not JSON.
    package init?(
        _ key: String, in table: String, rowBytes: [UInt8], subject: String, claimBytes: [UInt8], isServer: Bool,
        needsRule: Bool, isRepeated: Bool
    ) {
        guard let row = try? JSON(parsing: rowBytes), let claims = try? JSON(parsing: claimBytes) else { return nil }
        self.init(
            key, in: table, with: row, isServer ? .server : Caller(subject, claims: claims), needsRule: needsRule)
        self.isRepeated = isRepeated
    }
}

extension Rejection {
    /// The members and positions that lead to the fault; nil if it has no position.
    package var place: [String]? { pointer?.tokens }

    /// A rejection with the members and positions that lead to the fault.
    package init(_ kind: Kind, _ description: String, place: [String]?) {
        self.init(kind, description, at: place.map { JSONPointer($0) })
    }
}
