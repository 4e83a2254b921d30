import HTTP
import JSON
import StateStore

extension Problem {
    /// The answer to a client that has seen a version which this server does not show.
    static let behind = Problem(
        .behind, "this server does not show the commits that the request must see yet: try again", retryAfter: 1)

    /// The problem for a refused action or a refused read of a space.
    init(_ refusal: Refusal) {
        switch refusal {
        case .noSuchAction: self.init(.noSuchAction, "no such action: GET /v1 lists all actions")
        case .noSuchView(let view): self.init(.noSuchView, "no view \(view) in this space: GET /v1 lists all views")
        case .tooManyViews(let bytes):
            self.init(
                .tooMany,
                "the watched instances of views occupy the \(bytes) bytes that they may have, half of --space-memory: close streams, or try again",
                retryAfter: 5)
        case .noRight(let space): self.init(.forbidden, "this token has not the right to read the space \(space)")
        case .forbidden(let view):
            self.init(.forbidden, "the rules of the view \(view) do not let you read it")
            rule = .ofView(view)
        case .noView(_, let why): self.init(why.isForRuns ? .conflict : .noSuchView, ProblemText(why.description))
        case .wrongSpace(.common):
            self.init(.wrongSpace, "this feature belongs to the space common: send the action to /v1/spaces/common/…")
        case .wrongSpace(.space):
            self.init(.wrongSpace, "this feature belongs to each space: send the action to a space other than common")
        case .unmigrated(let reason):
            self.init(
                .notMigrated, "the present document of the feature cannot take its state here: \(ProblemText(reason))",
                retryAfter: 60)
        case .commonStays:
            self.init(.conflict, "the space common cannot be deleted: all other spaces derive values from it")
        case .rejected(let rejection): self.init(rejection)
        case .changed(let version):
            self.init(.changed, "the space has changed; it is at version \(version). Read it again before you retry")
        case .commitTooLarge(let bytes):
            self.init(
                .commitTooLarge,
                "the action would change \(bytes) bytes, and a commit has at most \(Facts.sizeLimit): use several actions"
            )
        case .spaceTooLarge(let bytes, let limit):
            self.init(.spaceTooLarge, Self.spaceIsFull)
            extra["bytes"] = .number(Decimal(bytes))
            extra["limit"] = .number(Decimal(limit))
        case .overQuota(let excess):
            self.init(.spaceTooLarge, ProblemText(excess.description))
            extra["quota"] = .string(excess.unit.rawValue)
            extra["limit"] = .number(Decimal(excess.limit))
        case .keyReused:
            self.init(
                .keyReused,
                "this Idempotency-Key was sent before with another action or body: use a new key for each action")
        case .numberReused:
            self.init(
                .keyReused,
                "this number of Headwater-Queue was sent before with another action or body: use the next number")
        case .answeredBefore(let last):
            self.init(
                .answeredBefore,
                "the actions of this client up to \(last) were answered, and the last answer only is kept: the action was performed, or refused"
            )
            extra["last"] = .number(Decimal(last))
        case .outOfOrder:
            self.init(
                .outOfOrder,
                "actions before this one in Headwater-Queue have not arrived: send them, and then this one again",
                retryAfter: 1)
        case .clock:
            self.init(
                .clock,
                "Headwater-Time is more than 24 hours behind the server, or more than 5 seconds ahead: set it right by Date, and predict again"
            )
        case .repeated(let repeated): self.init(repeated.refusal)
        case .noSuchRow(let row):
            self.init(
                .noSuchRow, "neither the state nor the history of the space has a row of this key in \(row.table)",
                at: "/key")
        case .past(.unreadable(let failure)):
            self.init(.conflict, "this release cannot read the state of that version: \(failure)")
        case .past(let refusal): self.init(refusal)
        case .journal(let failure): self.init(failure)
        case .elsewhere:
            self.init(
                .noOwner, "no node answers for the space at present. Nothing was changed: try again", retryAfter: 1)
        case .preparing:
            self.init(
                .busy, "the indexes that the action needs are being made: try again in a moment", retryAfter: 1)
        case .migrating:
            self.init(
                .busy, "the space is getting the form of a new document, which takes a while: try again in a moment",
                retryAfter: 1)
        case .contended:
            self.init(
                .contended, "each attempt conflicted with another commit to the same space: try again", retryAfter: 1)
        }
    }

    private static let spaceIsFull: ProblemText =
        "the space has about as many bytes in memory as one space may have, a quarter of --space-memory: remove rows, which is allowed, or divide the space"

    init(_ rejection: Rejection) {
        let kind: ProblemType =
            switch rejection.kind {
            case .malformed: .notJSON
            case .invalid: .invalid
            case .conflict: rejection.notUnique == nil ? .conflict : .notUnique
            case .forbidden: .forbidden
            }
        self.init(
            kind, ProblemText(rejection.description), at: rejection.pointer.map { "\($0)" }, allowed: rejection.allowed)
        rule = rejection.rule.map { .ofAction($0) }
        if let rows = rejection.notUnique { extra = rows.members() }
        cause = rejection.cause
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

    /// The data of the event `gone` for a view that does not exist any more.
    static func gone(_ view: String, _ failure: ViewFailure) -> [UInt8] { gone(view, Problem(failure, of: view)) }

    private static func gone(_ view: String, _ problem: Problem) -> [UInt8] {
        let members: JSON = ["view": .string(view), "problem": problem.json]
        return members.written
    }

    /// The event `gone` that ends the stream of one view.
    static func goneEvent(_ view: String, _ failure: ViewFailure) -> Piece {
        .event(name: "gone", data: gone(view, failure))
    }

    /// The events `gone` of views that no document has any more; nil for none.
    static func goneEvents(_ views: [String]) -> Piece? {
        guard !views.isEmpty else { return nil }
        var text: [UInt8] = []
        for view in views {
            let problem = Problem(.noSuchView, "there is no view \(view) any more: GET /v1 lists all views")
            EventText.event(name: "gone", data: gone(view, problem), appendingTo: &text)
        }
        return Piece(text)
    }

    init(_ failure: ViewFailure, of view: String) {
        if failure.isUnmigrated {
            self.init(.unmigrated(failure.description))
        } else if failure.isGone {
            self.init(.noSuchView, ProblemText(failure.description))
        } else if failure.isShortage {
            self.init(.tooMuchWork, "the view \(view): \(ProblemText(WorkShortage.words))", retryAfter: 1)
        } else {
            self.init(.viewFailed, "the view \(view) failed: \(ProblemText(failure.description))")
        }
    }

    init(_ failure: JournalFailure) {
        switch failure.kind {
        case .cannotWrite, .locked:
            self.init(
                .cannotWrite,
                "the journal cannot be written: see the server's log. Nothing was changed, and reads still work",
                retryAfter: 2)
        case .outcomeUnknown:
            self.init(
                .outcomeUnknown,
                "the commit may be on disk or not: see the log. Repeat the request with its Idempotency-Key",
                retryAfter: 2)
        case .elsewhere: self.init(.elsewhere as Refusal)
        case .awaitsUpgrade:
            self.init(.cannotWrite, ProblemText(failure.description), retryAfter: 30)
            // No fault of this node's disk.
            return
        case .damaged:
            self.init(
                .damaged,
                "stored data is damaged: the server's log says where. Versions before the damage are read with ?at=; \(ProgramName.text) repair saves what is readable",
                retryAfter: 60)
        case .tooLarge: self.init(.spaceTooLarge, "\(ProblemText(failure.description))")
        case .noRoom, .notYet: self.init(.busy, ProblemText(failure.description), retryAfter: 2)
        case .newer, .unusable:
            self.init(.unreadable, "the stored data cannot be read; the server's log has the reason")
        }
        reason = failure.description
    }
}

extension Problem {
    /// The problem of everything that needs a damaged space `common`.
    static func damagedCommon(_ failure: JournalFailure?) -> Problem {
        var problem = Problem(
            .damaged,
            "the space common is damaged, and every other space derives from it: stop the server, save what is readable with \(ProgramName.text) repair, and start it on that",
            retryAfter: 60)
        problem.reason = failure?.description
        return problem
    }

    /// The problem of a stream that is not open.
    static let missingStream = Problem(.noStream, "there is no such stream any more: open one with POST /v1/live")
}
