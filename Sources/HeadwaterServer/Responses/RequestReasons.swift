import Ground
import Platform
import JSON
import StateStore

/// The reasons of the last refused and the last slow requests, for administrators. All loops share one object.
///
/// Those of callers without a right in the space are kept apart, so that strangers push out only each other.
/// A reason has no value of the state or of the input: only places in documents, counts and times.
final class RequestReasons: Sendable {
    /// The reasons that are kept.
    static let countLimit = 1_000
    /// The nanoseconds from which a request is slow.
    static let slowNanoseconds: Int64 = 100_000_000

    /// The reason of one request.
    struct RequestReason: Sendable {
        /// The name of the request, as in `X-Request-Id`.
        let request: String
        let at: Timestamp
        /// The kind of path, and what it named: an action or a view.
        let path: String
        var name: String?
        /// The space; nil for a path without one.
        let space: SpaceName?
        let subject: String
        let status: Int
        /// The problem; nil for a request that was slow only.
        var problem: ProblemType?
        /// The part of the input at fault.
        var pointer: String?
        /// The part of a feature that refused.
        var cause: RejectionCause?
        /// The rules of a view that may have refused, by their places.
        var rules: [String] = []
        /// The right that the caller lacks, in words; nil for other problems.
        var detail: String?
        /// The steps and the rows that the action used, if they are known and nothing refused.
        var used: (steps: Int, rows: Int)?
        /// The nanoseconds of the request, and those before its action or its views began to be computed.
        var nanoseconds: Int64 = 0
        var before: Int64?
        /// True if `before` is the time before its views.
        var isRead = false
    }

    private struct Ring {
        var reasons: [RequestReason] = []
        var next = 0
    }

    private let ring = Lock(Ring())
    private let strangers = Lock(Ring())

    /// Keeps a reason in place of the oldest.
    func note(_ reason: RequestReason, ofStranger isOfStranger: Bool = false) {
        (isOfStranger ? strangers : ring).with { ring in
            if ring.reasons.count < Self.countLimit {
                ring.reasons.append(reason)
            } else {
                ring.reasons[ring.next] = reason
            }
            ring.next = (ring.next + 1) % Self.countLimit
        }
    }

    /// Returns the newest reason of a request that `isVisible` permits.
    func reason(of request: String, where isVisible: (RequestReason) -> Bool) -> RequestReason? {
        Self.reason(of: request, in: ring, where: isVisible)
            ?? Self.reason(of: request, in: strangers, where: isVisible)
    }

    private static func reason(
        of request: String, in ring: Lock<Ring>, where isVisible: (RequestReason) -> Bool
    ) -> RequestReason? {
        ring.with { ring in
            let count = ring.reasons.count
            for step in 1...max(1, count) where count > 0 {
                let reason = ring.reasons[(ring.next - step + 2 * count) % count]
                if reason.request == request, isVisible(reason) { return reason }
            }
            return nil
        }
    }
}

extension RequestReasons.RequestReason {
    /// The reason as JSON. `text` returns the text of a place in a document, if the reader may see documents.
    func json(_ text: (String) -> String?) -> JSON {
        var object = JSON.Object()
        object["request"] = .string(request)
        object["at"] = .string(RFC3339.text(microseconds: at.microseconds))
        object["path"] = .string(path)
        object["name"] = name.map { .string($0) }
        object["space"] = space.map { .string("\($0)") }
        object["by"] = ["sub": .string(subject)]
        object["status"] = .number(Decimal(status))
        object["problem"] = problem.map { .string("/problems/\($0.name)") }
        object["title"] = problem.map { .string($0.title) }
        object["pointer"] = pointer.map { .string($0) }
        if let cause {
            object["reason"] = cause.json(text)
        } else if let rule = rules.first {
            object["reason"] = RejectionCause(.rule, at: rule).json(text)
            if rules.count > 1 {
                object["rules"] = .array(rules.map { RejectionCause(.rule, at: $0).json(text) })
            }
        }
        object["detail"] = detail.map { .string($0) }
        object["used"] =
            cause?.used
            ?? used.map { ["steps": .number(Decimal($0.steps)), "rows": .number(Decimal($0.rows))] }
        var times = JSON.Object()
        times["total"] = Self.milliseconds(nanoseconds)
        if let before {
            times["before"] = Self.milliseconds(before)
            times[isRead ? "view" : "action"] = Self.milliseconds(nanoseconds - before)
        }
        object["milliseconds"] = .object(times)
        return .object(object)
    }

    private static func milliseconds(_ nanoseconds: Int64) -> JSON {
        .number(Decimal(Double(nanoseconds / 10_000) / 100) ?? 0)
    }
}

extension RejectionCause {
    /// The cause as its kind, its feature and its pointer: `/actions/bid/require/0/that` of `auction`. `text` returns the
    /// text of a place in a document, if the reader may see documents.
    func json(_ text: (String) -> String?) -> JSON {
        var object = JSON.Object()
        object["kind"] = .string(kind.rawValue)
        let parts = place.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        object["feature"] = .string(String(parts[0].prefix { $0 != "/" }))
        if parts.count == 2 {
            object["pointer"] = .string(parts[1])
            object["text"] = text(place).map { .string($0) }
        } else {
            object["place"] = .string(place)
        }
        return .object(object)
    }

    /// The steps and the rows that were used; nil if they are not known.
    var used: JSON? {
        var used = JSON.Object()
        used["steps"] = steps.map { .number(Decimal($0)) }
        used["rows"] = rows.map { .number(Decimal($0)) }
        return used.isEmpty ? nil : .object(used)
    }
}
