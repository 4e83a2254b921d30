/// A problem type (RFC 9457, section 3.1.1): the name, which is part of the contract, the title and the status.
struct ProblemType: Hashable {
    let name: String
    let title: String
    let status: Int

    init(_ status: Int, _ name: String, _ title: String) {
        self.name = name
        self.title = title
        self.status = status
    }
}

/// All problem types.
extension ProblemType {
    static let badRequest = Self(400, "bad-request", "Bad request")
    static let notJSON = Self(400, "not-json", "The body is not JSON")
    static let unauthorized = Self(401, "unauthorized", "Token required")
    static let forbidden = Self(403, "forbidden", "The token does not allow this request")
    static let foreignOrigin = Self(403, "foreign-origin", "Origin not allowed")
    static let noSuchPath = Self(404, "no-such-path", "No such path")
    static let noSuchAction = Self(404, "no-such-action", "No such action")
    static let noSuchView = Self(404, "no-such-view", "No such view")
    static let noSuchSpace = Self(404, "no-such-space", "No such space")
    static let noSuchVersion = Self(404, "no-such-version", "No such version")
    static let noSuchRow = Self(404, "no-such-row", "No such row")
    static let noSuchRequest = Self(404, "no-such-request", "No such request")
    static let noSuchStream = Self(404, "no-such-stream", "No such stream")
    static let noStream = Self(404, "no-stream", "No such open stream")
    static let noSuchSession = Self(404, "no-such-session", "No such session")
    static let noSuchFeature = Self(404, "no-such-feature", "No such feature")
    static let noSuchHook = Self(404, "no-such-hook", "No such hook")
    static let methodNotAllowed = Self(405, "method-not-allowed", "Method not allowed")
    static let notAcceptable = Self(406, "not-acceptable", "Not acceptable")
    static let timeout = Self(408, "request-timeout", "The request did not arrive in time")
    static let conflict = Self(409, "conflict", "The state does not permit the action")
    static let notUnique = Self(409, "not-unique", "A unique index has such a row")
    static let wrongSpace = Self(409, "wrong-space", "The action belongs to another space")
    static let changedDocument = Self(409, "changed-document", "The feature has changed")
    static let missingSteps = Self(409, "missing-steps", "Earlier changes of the stream are missing")
    static let notKept = Self(409, "not-kept", "The view has no past")
    static let contended = Self(409, "contended", "Too many conflicting commits")
    static let gone = Self(410, "gone", "No longer available")
    static let answeredBefore = Self(410, "answered-before", "Later actions of the client were answered")
    static let changed = Self(412, "changed", "Precondition failed: the resource has changed")
    static let tooLarge = Self(413, "too-large", "Body too large")
    static let commitTooLarge = Self(413, "commit-too-large", "The changes are too large")
    static let targetTooLong = Self(414, "target-too-long", "Request line too long")
    static let notJSONType = Self(415, "unsupported-media-type", "The body must be JSON")
    static let codedBody = Self(415, "unsupported-coding", "The body must not be compressed")
    static let expectationFailed = Self(417, "expectation-failed", "Expectation failed")
    static let misdirected = Self(421, "misdirected", "This server does not serve that host")
    static let invalid = Self(422, "invalid", "Invalid parameters")
    static let trialTooLarge = Self(422, "try-too-large", "The trial exceeds a limit")
    static let keyReused = Self(422, "key-reused", "The idempotency key was used for another request")
    static let clock = Self(422, "clock", "The client's time is too far from the server's")
    static let outOfOrder = Self(425, "out-of-order", "Earlier actions of the client are missing")
    static let tooMany = Self(429, "too-many", "Too many requests")
    static let headersTooLarge = Self(431, "headers-too-large", "Header fields too large")
    static let tooMuchWork = Self(503, "too-much-work", "The request takes too much work")
    static let viewFailed = Self(500, "view-failed", "The view failed")
    static let unreadable = Self(500, "unreadable", "The stored data cannot be read")
    static let cannotWrite = Self(503, "cannot-write", "The journal cannot be written")
    static let damaged = Self(503, "damaged", "The stored data is damaged")
    static let outcomeUnknown = Self(503, "outcome-unknown", "The outcome is unknown")
    static let noOwner = Self(503, "no-owner", "No node answers for the space")
    static let behind = Self(503, "behind", "The node is behind")
    static let notMigrated = Self(503, "not-migrated", "The state could not be migrated")
    static let notReady = Self(503, "not-ready", "The server is not ready")
    static let busy = Self(503, "busy", "The server is busy")
    static let noRoom = Self(503, "no-room", "Too many connections")
    static let spaceTooLarge = Self(507, "space-too-large", "The space is too large")
    static let versionNotSupported = Self(505, "version-not-supported", "HTTP version not supported")

    /// The type for a request that could not be read, by its status.
    static func of(status: Int) -> Self {
        switch status {
        case 408: timeout
        case 413: tooLarge
        case 414: targetTooLong
        case 417: expectationFailed
        case 431: headersTooLarge
        case 503: noRoom
        case 505: versionNotSupported
        default: badRequest
        }
    }
}
