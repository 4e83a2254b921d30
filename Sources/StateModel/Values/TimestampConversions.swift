internal import Ground
public import JSON

extension Timestamp: LosslessStringConvertible {
    /// The time in UTC as RFC 3339 writes it, with six decimals: `2026-11-21T22:00:00.000000Z`. Texts of later times
    /// are greater. A time beyond `earliest` or `latest` has the text of that limit.
    public var description: String {
        RFC3339.text(microseconds: max(.earliest, min(.latest, self)).microseconds)
    }

    /// Parses a date-time of RFC 3339, such as `2026-11-21T22:00:00Z` or `2026-11-21T23:00:00.5+01:00`; nil for another
    /// text. Digits beyond microseconds are dropped.
    public init?(_ text: String) {
        guard let instant = RFC3339.instant(text) else { return nil }
        let time = Timestamp(microseconds: instant.seconds * 1_000_000 + Int64(instant.nanoseconds / 1_000))
        guard (Self.earliest...Self.latest).contains(time) else { return nil }
        self = time
    }
}

extension Timestamp {
    /// The time that a header field of HTTP says, such as `Retry-After` (RFC 9110, section 5.6.7): `Sun, 06 Nov 1994 08:49:37
    /// GMT`. Returns nil for another text.
    public init?(httpDate text: String) {
        guard let date = HTTPDate(text) else { return nil }
        self.init(seconds: date.seconds)
    }
}

extension Timestamp: JSONConvertible, SchemaProviding {
    /// Reads the text of a time.
    public init(from reader: inout JSONReader) throws(JSONError) {
        let start = reader.offset
        guard let time = Timestamp(try reader.string()) else {
            throw JSONError(.refused("must be a date-time such as 2026-11-21T22:00:00Z"), at: start)
        }
        self = time
    }

    /// Writes the text of the time.
    public func write(to writer: inout JSONWriter) { writer.string(description) }

    /// Returns the text of the time.
    public func tree() throws(JSONError) -> JSON { .string(description) }

    /// A date-time of RFC 3339.
    public static var schema: JSON { ["type": "string", "format": "date-time"] }
}
