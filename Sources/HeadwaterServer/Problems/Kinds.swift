/// All kinds of problems.
extension Problem.Kind {
    static let badRequest = Self(400, "bad-request", "The request is not HTTP that can be accepted")
    static let notJSON = Self(400, "not-json", "The body is not JSON")
    static let unauthorized = Self(401, "unauthorized", "A token is needed")
    static let forbidden = Self(403, "forbidden", "The token does not allow this")
    static let foreignOrigin = Self(403, "foreign-origin", "Pages of this origin may not ask")
    static let noSuchPath = Self(404, "no-such-path", "There is nothing at this path")
    static let noSuchAction = Self(404, "no-such-action", "There is no such action")
    static let noSuchView = Self(404, "no-such-view", "There is no such view")
    static let noSuchSpace = Self(404, "no-such-space", "There is no such space")
    static let noSuchStream = Self(404, "no-such-stream", "There is no such stream")
    static let methodNotAllowed = Self(405, "method-not-allowed", "This method does not work here")
    static let notAcceptable = Self(406, "not-acceptable", "It cannot be had in this form")
    static let timeout = Self(408, "request-timeout", "The request took too long to arrive")
    static let conflict = Self(409, "conflict", "The state does not allow it")
    static let wrongSpace = Self(409, "wrong-space", "The action belongs to another space")
    static let contended = Self(409, "contended", "Others were first, again and again")
    static let gone = Self(410, "gone", "That is no longer kept")
    static let changed = Self(412, "changed", "It has changed since")
    static let tooLarge = Self(413, "too-large", "The body is too large")
    static let targetTooLong = Self(414, "target-too-long", "The request line is too long")
    static let notJSONType = Self(415, "unsupported-media-type", "The body has to be JSON")
    static let expectationFailed = Self(417, "expectation-failed", "The expectation cannot be met")
    static let misdirected = Self(421, "misdirected", "This server does not answer for that host")
    static let invalid = Self(422, "invalid", "The parameters are not as they must be")
    static let tryTooLarge = Self(422, "try-too-large", "The try takes more than a try may")
    static let keyReused = Self(422, "key-reused", "The idempotency key was used for something else")
    static let tooMany = Self(429, "too-many", "Too much at once")
    static let headersTooLarge = Self(431, "headers-too-large", "The header is too large")
    static let viewFailed = Self(500, "view-failed", "The view has failed")
    static let unreadable = Self(500, "unreadable", "What is kept cannot be read")
    static let cannotWrite = Self(503, "cannot-write", "Nothing can be kept just now")
    static let outcomeUnknown = Self(503, "outcome-unknown", "The outcome is unknown")
    static let notReady = Self(503, "not-ready", "The server is not ready")
    static let busy = Self(503, "busy", "Too much is under way")
    static let noRoom = Self(503, "no-room", "There are too many connections")
    static let versionNotSupported = Self(505, "version-not-supported", "This version of HTTP is not spoken here")

    /// What a status alone says, of a request that could not be read.
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
