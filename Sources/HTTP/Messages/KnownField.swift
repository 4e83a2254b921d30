/// A header field that the server reads.
package enum KnownField: Int, CaseIterable, Sendable {
    case host, contentLength, transferEncoding, connection, expect, contentType, accept, ifNoneMatch, ifMatch, prefer,
        authorization, origin
    case idempotencyKey, lastEventID, requestID, upgrade, accessControlRequestMethod, secFetchSite, secFetchMode
    case secFetchDest, acceptEncoding, contentEncoding, aIM, forwardedFor
    case queue, clientTime, document
    case agentVersion, agentMethod, agentName, agentSession, traceParent, traceState

    /// The name in lower case.
    @inline(__always)
    package var name: StaticString {
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
        case .secFetchSite: "sec-fetch-site"
        case .secFetchMode: "sec-fetch-mode"
        case .secFetchDest: "sec-fetch-dest"
        case .acceptEncoding: "accept-encoding"
        case .contentEncoding: "content-encoding"
        case .aIM: "a-im"
        case .forwardedFor: "x-forwarded-for"
        case .queue: "headwater-queue"
        case .clientTime: "headwater-time"
        case .document: "headwater-document"
        case .agentVersion: "mcp-protocol-version"
        case .agentMethod: "mcp-method"
        case .agentName: "mcp-name"
        case .agentSession: "mcp-session-id"
        case .traceParent: "traceparent"
        case .traceState: "tracestate"
        }
    }

    /// Returns the field with the name at `range`, without regard to case. The length selects the candidates.
    @inline(__always)
    static func named(_ bytes: Span<UInt8>, _ range: Range<Int>) -> KnownField? {
        switch range.count {
        case 4: one(.host, bytes, range) ?? one(.aIM, bytes, range)
        case 6:
            one(.accept, bytes, range) ?? one(.origin, bytes, range) ?? one(.prefer, bytes, range)
                ?? one(.expect, bytes, range)
        case 7: one(.upgrade, bytes, range)
        case 8: one(.ifMatch, bytes, range) ?? one(.agentName, bytes, range)
        case 10:
            one(.connection, bytes, range) ?? one(.agentMethod, bytes, range) ?? one(.traceState, bytes, range)
        case 11: one(.traceParent, bytes, range)
        case 12: one(.contentType, bytes, range) ?? one(.requestID, bytes, range)
        case 13: one(.ifNoneMatch, bytes, range) ?? one(.authorization, bytes, range) ?? one(.lastEventID, bytes, range)
        case 14:
            one(.contentLength, bytes, range) ?? one(.secFetchSite, bytes, range) ?? one(.secFetchMode, bytes, range)
                ?? one(.secFetchDest, bytes, range) ?? one(.clientTime, bytes, range)
                ?? one(.agentSession, bytes, range)
        case 15:
            one(.idempotencyKey, bytes, range) ?? one(.acceptEncoding, bytes, range)
                ?? one(.forwardedFor, bytes, range) ?? one(.queue, bytes, range)
        case 16: one(.contentEncoding, bytes, range)
        case 17: one(.transferEncoding, bytes, range)
        case 18: one(.document, bytes, range)
        case 20: one(.agentVersion, bytes, range)
        case 29: one(.accessControlRequestMethod, bytes, range)
        default: nil
        }
    }

    @inline(__always)
    private static func one(_ field: KnownField, _ bytes: Span<UInt8>, _ range: Range<Int>) -> KnownField? {
        Octet.are(field.name, bytes, range) ? field : nil
    }
}
