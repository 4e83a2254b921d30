import Ground
import JSON
import StateStore

/// One line of the audit log. It never has a token, a ticket or a query.
struct AuditEvent {
    /// The kind of an event.
    enum Kind: String {
        /// An action, performed or refused by the state.
        case action
        /// A request that was refused because of its token, its rights, its origin or a limit.
        case refusal
        case ticket
        /// A test of rules with the claims of another subject.
        case ruleTest = "rule-test"
    }

    let kind: Kind
    let at: Timestamp
    /// The subject, and the class of its account.
    let by: String
    let account: Account.Kind
    /// The name of the request, as in `X-Request-Id` and in the log.
    let request: String
    var space: SpaceName?
    /// The action, as `feature/name`.
    var action: String?
    /// The view that a test of rules read, and the subject of its claims.
    var view: String?
    var tested: String?
    /// The kind of path.
    var path: String?
    /// What came of an action.
    var outcome: String?
    var version: Int?
    /// The name of the problem, and its status.
    var problem: (name: String, status: Int)?
    /// The input of an action, if lines have it.
    var input: JSON?
    /// The number of refusals without a subject that were left out before this one.
    var omitted = 0

    var json: JSON {
        var line = JSON.Object()
        line["at"] = .string(RFC3339.text(microseconds: at.microseconds))
        line["event"] = .string(kind.rawValue)
        line["by"] = ["sub": .string(by)]
        line["class"] = .string("\(account)")
        line["request"] = .string(request)
        line["space"] = space.map { .string("\($0)") }
        line["action"] = action.map { .string($0) }
        line["view"] = view.map { .string($0) }
        line["as"] = tested.map { ["sub": .string($0)] }
        line["path"] = path.map { .string($0) }
        line["outcome"] = outcome.map { .string($0) }
        line["version"] = version.map { .number(Decimal($0)) }
        line["problem"] = problem.map { .string($0.name) }
        line["status"] = problem.map { .number(Decimal($0.status)) }
        line["input"] = input
        if omitted > 0 { line["omitted"] = .number(Decimal(omitted)) }
        return .object(line)
    }
}
