import JSON
import StateStore

extension Problem {
    /// Why an action, or a look at a space, was refused.
    init(_ refusal: Refusal) {
        switch refusal {
        case .noSuchAction: self.init(.noSuchAction, "there is no such action: GET /v1 lists all there are")
        case .noSuchView(let view): self.init(.noSuchView, "there is no view \(view) here: GET /v1 lists all there are")
        case .noView(_, let why): self.init(.noSuchView, why.description)
        case .wrongSpace(.common):
            self.init(.wrongSpace, "this feature lives in the space common, once for all: post the action to /v1/spaces/common/…")
        case .wrongSpace(.space):
            self.init(.wrongSpace, "this feature lives in each space: post the action to a space of your own, not to common")
        case .commonStays: self.init(.conflict, "the space common cannot be forgotten: every other space derives from it")
        case .rejected(let rejection): self.init(rejection)
        case .changed(let version):
            self.init(.changed, "it has changed: the space is at version \(version) now. Read it again, then decide anew")
        case .keyReused:
            self.init(
                .keyReused, "this Idempotency-Key was sent before with another action or another body: choose a new key for a new action")
        case .journal(let failure): self.init(failure)
        case .contended: self.init(.contended, "others changed the same space each time this was tried: try again", retryAfter: 1)
        }
    }

    init(_ rejection: Rejection) {
        let kind: Kind =
            switch rejection.kind {
            case .malformed: .notJSON
            case .invalid: .invalid
            case .conflict: .conflict
            }
        self.init(kind, rejection.description, at: rejection.pointer.map { "\($0)" }, allowed: rejection.allowed)
        guard !rejection.others.isEmpty else { return }
        extra["others"] = .array(
            rejection.others.map { other in
                var object = JSON.Object()
                object["detail"] = .string(other.description)
                object["pointer"] = other.pointer.map { .string("\($0)") }
                if !other.allowed.isEmpty { object["allowed"] = .array(other.allowed.map { .string($0) }) }
                return .object(object)
            })
    }

    init(_ failure: ViewFailure, of view: String) {
        if failure.isGone {
            self.init(.noSuchView, failure.description)
        } else {
            self.init(.viewFailed, "the view \(view) has failed: \(failure)")
        }
    }

    init(_ failure: JournalFailure) {
        switch failure.kind {
        case .cannotWrite, .locked:
            self.init(
                .cannotWrite, "nothing can be kept just now, as the server's log says. Nothing was changed; reading goes on", retryAfter: 2)
        case .outcomeUnknown:
            self.init(
                .outcomeUnknown,
                "the commit may be kept or not, as the server's log says: repeat the request with its Idempotency-Key to find out",
                retryAfter: 2)
        case .damaged, .newer, .unusable: self.init(.unreadable, "what is kept cannot be read; the server's log says why")
        }
        reason = failure.description
    }
}
