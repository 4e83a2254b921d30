import JSON
import StateStore

extension Problem {
    /// The problem of a read of the past.
    init(_ refusal: PastRefusal) {
        switch refusal {
        case .gone(let space, let oldest):
            self.init(.gone, "this past of the space \(space) is no longer available: the oldest version is \(oldest)")
            extra["oldest"] = .number(JSON.Number(oldest))
        case .future(let space, let newest):
            self.init(.noSuchVersion, "the space \(space) has not reached this version: the newest is \(newest)")
            extra["newest"] = .number(JSON.Number(newest))
        case .forbidden(let view): self.init(Refusal.forbidden(view: view))
        case .notKept(let view):
            self.init(.notKept, "\(view) derives from what is in memory only, so it has no past: read it as it is now")
        case .noView(let view, let why):
            self.init(
                .noSuchView, why.map { ProblemText($0.description) } ?? "there was no view \(view) at this version")
        case .unreadable(let failure):
            self.init(.unreadable, "this version cannot be read by this release; the server's log has the reason")
            reason = failure.description
        case .journal(let failure): self.init(failure)
        case .busy:
            self.init(
                .busy, "too many requests for the past are being computed: try again in a moment", retryAfter: 1)
        }
    }

    /// The problem of a parameter that names no point of the past.
    static func unreadablePoint(_ name: String) -> Problem {
        Problem(.invalid, "\(name) is \(PointParameter.forms)")
    }
}
