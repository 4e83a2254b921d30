import JSON
import StateModel

/// A kind of problem that this module makes itself, as the server makes it: the name, the title and the status.
struct ProblemKind {
    let name: String
    let title: String
    let status: Int

    private init(_ status: Int, _ name: String, _ title: String) {
        (self.status, self.name, self.title) = (status, name, title)
    }

    static let badRequest = Self(400, "bad-request", "Bad request")
    static let notJSON = Self(400, "not-json", "The body is not JSON")
    static let forbidden = Self(403, "forbidden", "The token does not allow this request")
    static let noSuchPath = Self(404, "no-such-path", "No such path")
    static let noSuchAction = Self(404, "no-such-action", "No such action")
    static let noSuchView = Self(404, "no-such-view", "No such view")
    static let noSuchSpace = Self(404, "no-such-space", "No such space")
    static let noStream = Self(404, "no-stream", "No such open stream")
    static let conflict = Self(409, "conflict", "The state does not permit the action")
    static let notUnique = Self(409, "not-unique", "A unique index has such a row")
    static let wrongSpace = Self(409, "wrong-space", "The action belongs to another space")
    static let answeredBefore = Self(410, "answered-before", "Later actions of the client were answered")
    static let invalid = Self(422, "invalid", "Invalid parameters")
    static let keyReused = Self(422, "key-reused", "The idempotency key was used for another request")
    static let outOfOrder = Self(425, "out-of-order", "Earlier actions of the client are missing")
    static let viewFailed = Self(500, "view-failed", "The view failed")
}

extension ServerProblem {
    /// A problem of a kind that the server has too, with its members in the order of the server.
    init(
        _ kind: ProblemKind, _ detail: String, at pointer: String? = nil, allowed: [String] = [],
        _ more: JSON.Object = JSON.Object()
    ) {
        var members = JSON.Object()
        members["type"] = .string("/problems/\(kind.name)")
        members["title"] = .string(kind.title)
        members["status"] = .number(JSON.Number(Int64(kind.status)))
        members["detail"] = .string(detail)
        members["pointer"] = pointer.map { .string($0) }
        if !allowed.isEmpty { members["allowed"] = .array(allowed.map { .string($0) }) }
        for member in more { members[member.key] = member.value }
        self.init(.object(members))
    }

    /// The refusal of an action by a feature that runs here.
    init(_ rejection: Rejection) {
        let kind: ProblemKind =
            switch rejection.kind {
            case .malformed: .notJSON
            case .invalid: .invalid
            case .conflict: rejection.notUnique == nil ? .conflict : .notUnique
            case .forbidden: .forbidden
            }
        var more = rejection.notUnique?.members() ?? JSON.Object()
        if !rejection.others.isEmpty {
            more["others"] = .array(
                rejection.others.map { other in
                    var members = JSON.Object()
                    members["detail"] = .string(other.description)
                    members["pointer"] = other.pointer.map { .string("\($0)") }
                    if !other.allowed.isEmpty { members["allowed"] = .array(other.allowed.map { .string($0) }) }
                    return .object(members)
                })
        }
        self.init(
            kind, rejection.description, at: rejection.pointer.map { "\($0)" }, allowed: rejection.allowed, more)
    }
}
