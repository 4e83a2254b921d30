import JSON
import StateStore

/// A request that performs an action.
struct ActionRequest {
    let action: ActionID
    let space: SpaceName
    let route: Route
    var responder: Responder
    /// The request as another node can get it; nil on one machine.
    var forwarded: ForwardedRequest?
    /// The time at which its action began; nil before.
    var performed: Int64?
    /// True if the request names another definition of its feature than the present one.
    var isOfEarlierDocument = false
    /// The input, if the audit log has inputs.
    var input: [UInt8]?
    /// The actions that the request lists; nil for a single action.
    var batch: ActionBatch?

    init(_ action: ActionID, in space: SpaceName, _ route: Route, _ responder: Responder) {
        self.action = action
        self.space = space
        self.route = route
        self.responder = responder
    }

    /// The right that the action needs.
    var right: Rights { Rights(toPerformIn: action.scope, defines: action.defines) }

    /// Returns the event of the action for the audit log.
    func event(_ outcome: Metrics.ActionOutcome, version: Int? = nil, _ registry: Registry) -> AuditEvent {
        var event = responder.event(.action)
        event.space = space
        event.action = action.name
        event.outcome = "\(outcome)"
        event.version = version
        // An input that is not JSON was refused.
        event.input = input.map { bytes in
            (try? JSON(parsing: bytes)).map { registry.shown($0, of: action) } ?? .null
        }
        return event
    }

    /// Returns the event of an action that was refused.
    func event(_ outcome: Metrics.ActionOutcome, of refusal: Refusal, _ registry: Registry) -> AuditEvent {
        var event = event(outcome, registry)
        let problem = Problem(refusal)
        event.problem = (problem.kind.name, problem.kind.status)
        // In an input that does not match its schema, a private part may stand in any place.
        if problem.kind == .invalid, registry.privateInput(of: action.name, input) != .none {
            event.input = event.input.map { _ in .null }
        }
        return event
    }

    /// Takes one action of the subject's rate, with a body of so many bytes, if the account has a right; or answers why
    /// not, and returns nil.
    func permitted(_ right: Rights, bytes: Int = 0) -> ActionRequest? {
        guard responder.hasRight(right, for: "this action"), let responder = responder.takingAction(bytes: bytes)
        else { return nil }
        var permitted = self
        permitted.responder = responder
        return permitted
    }
}

extension Rights {
    /// The right that an action of a feature needs. Each space derives from `common`, so its actions need `admin`.
    init(toPerformIn scope: Scope, defines: Bool) {
        self = scope == .common ? .admin : defines ? .define : .act
    }
}
