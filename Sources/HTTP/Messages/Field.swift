/// A header field: where its name and its value stand among the bytes of the head.
struct Field {
    let name: Range<Int>
    let value: Range<Int>
}

/// A header field that this server knows.
public enum KnownField: Int, CaseIterable, Sendable {
    case host, contentLength, transferEncoding, connection, expect, contentType, accept, ifNoneMatch, ifMatch, prefer, authorization, origin
    case idempotencyKey, lastEventID, requestID, upgrade, accessControlRequestMethod

    /// Its name, in small letters.
    var name: StaticString {
        switch self {
        case .host: "host"
        case .contentLength: "content-length"
        case .transferEncoding: "transfer-encoding"
        case .connection: "connection"
        case .expect: "expect"
        case .contentType: "content-type"
        case .accept: "accept"
        case .ifNoneMatch: "if-none-match"
        case .ifMatch: "if-match"
        case .prefer: "prefer"
        case .authorization: "authorization"
        case .origin: "origin"
        case .idempotencyKey: "idempotency-key"
        case .lastEventID: "last-event-id"
        case .requestID: "x-request-id"
        case .upgrade: "upgrade"
        case .accessControlRequestMethod: "access-control-request-method"
        }
    }

    /// The field of a name, whatever the size of its letters.
    static func named(_ bytes: Span<UInt8>, _ range: Range<Int>) -> KnownField? {
        let candidates: [KnownField] =
            switch range.count {
            case 4: Self.ofFour
            case 6: Self.ofSix
            case 7: Self.ofSeven
            case 8: Self.ofEight
            case 10: Self.ofTen
            case 12: Self.ofTwelve
            case 13: Self.ofThirteen
            case 14: Self.ofFourteen
            case 15: Self.ofFifteen
            case 17: Self.ofSeventeen
            case 29: Self.ofTwentyNine
            default: []
            }
        for field in candidates where Octet.are(field.name, bytes, range) { return field }
        return nil
    }

    private static let ofFour = [host]
    private static let ofSix = [expect, accept, prefer, origin]
    private static let ofSeven = [upgrade]
    private static let ofEight = [ifMatch]
    private static let ofTen = [connection]
    private static let ofTwelve = [contentType, requestID]
    private static let ofThirteen = [ifNoneMatch, authorization, lastEventID]
    private static let ofFourteen = [contentLength]
    private static let ofFifteen = [idempotencyKey]
    private static let ofSeventeen = [transferEncoding]
    private static let ofTwentyNine = [accessControlRequestMethod]
}
