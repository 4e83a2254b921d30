import HTTP
import JSON
import StateStore

/// The handler of `POST …/actions`: it performs several actions in one commit, or rehearses them.
final class BatchHandler {
    private let actions: ActionHandler
    private let store: Store

    init(_ actions: ActionHandler, _ store: Store) {
        (self.actions, self.store) = (actions, store)
    }

    func act(_ request: borrowing Request, in space: SpaceName, _ route: Route, _ responder: Responder) {
        var asked = ActionRequest(ActionBatch.action, in: space, route, responder)
        let right = Rights(toPerformIn: space == .common ? .common : .space, defines: false)
        guard responder.hasRight(right, for: "a list of actions"), ActionBody.isJSON(request, responder) else { return }
        let (bytes, count) = (request.content, request.body.count)
        let body: JSON
        let batch: ActionBatch
        do {
            body = try JSON(parsing: bytes ?? Array("{}".utf8))
            batch = try ActionBatch(body, in: space, by: store.registry)
        } catch {
            // A list that cannot be read counts as one action.
            guard let responder = responder.takingAction(bytes: count) else { return }
            return responder.answer(Self.problem(of: error))
        }
        guard let counted = responder.takingAction(batch.ids.count, bytes: count) else { return }
        (asked.responder, asked.batch) = (counted, batch)
        actions.act(request, bytes, asked) { key, views, condition in
            batch.call(
                input: bytes, body, key: key, views: views, condition: condition, caller: counted.account.caller)
        }
    }

    private static func problem(of fault: any Error) -> Problem {
        switch fault {
        case ActionBatch.BatchFault.rejected(let rejection): Problem(rejection)
        case ActionBatch.BatchFault.wrongSpace(let scope, let name, let pointer):
            scope == .common
                ? Problem(
                    .wrongSpace, "\(name) exists once, in the space common: POST /v1/spaces/common/actions",
                    at: "\(pointer)", allowed: ["common"])
                : Problem(
                    .wrongSpace, "\(name) belongs to each space: send it to a space other than common",
                    at: "\(pointer)")
        case let error as JSONError: Problem(Rejection(error))
        default: Problem(.invalid, "the actions cannot be read", at: "")
        }
    }
}
