import HTTP
import JSON
import Sockets
import StateStore

/// The handler of usage: what a caller uses of its limits, and how large a space is.
final class UsageHandler {
    private let store: Store
    private let context: ResponseContext

    init(_ store: Store, _ context: ResponseContext) {
        (self.store, self.context) = (store, context)
    }

    /// Answers with what the subject of a request uses of its limits.
    func answer(_ responder: Responder) {
        let (use, limits, now) = (responder.account.use, context.access.limits, context.loop.now)
        func left(of limit: Int?, isPerMinute: Bool) -> JSON {
            guard let limit else { return .null }
            let left = use.actionsLeft(of: limit, isPerMinute: isPerMinute, now: now)
            return ["limit": .number(Decimal(limit)), "left": .number(Decimal(left))]
        }
        func used(_ count: Int, of limit: Int) -> JSON {
            ["limit": .number(Decimal(limit)), "used": .number(Decimal(count))]
        }
        responder.answer(now: [
            "subject": .string(responder.account.subject),
            "actionsPerMinute": left(of: limits.minuteRate, isPerMinute: true),
            "actionsPerSecond": left(of: limits.rate, isPerMinute: false),
            "streams": used(use.streamsCount, of: limits.streams),
            "trials": used(use.trialsCount, of: limits.trials),
            "space": Self.quota(store.quota),
        ])
    }

    /// Answers with the size of a space. It tells of all rows, also of those behind rules.
    func answer(of space: SpaceName, _ responder: Responder) {
        guard responder.hasRight(.admin, for: "this") else { return }
        store.measure(space) { [store] result in
            switch result {
            case .failure(let refusal): responder.answer(Problem(refusal))
            case .success(let size):
                responder.answer(now: [
                    "space": .string("\(space)"), "rows": .number(Decimal(size.rows)),
                    "bytes": .number(Decimal(size.bytes)), "limits": Self.quota(store.quota),
                ])
            }
        }
    }

    private static func quota(_ quota: SpaceQuota) -> JSON {
        [
            "rows": quota.rows.map { .number(Decimal($0)) } ?? .null,
            "bytes": quota.bytes.map { .number(Decimal($0)) } ?? .null,
        ]
    }
}
