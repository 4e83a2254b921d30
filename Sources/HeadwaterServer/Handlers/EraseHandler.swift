import HTTP
import JSON
import StateStore

/// The handler of `POST …/erase`: it erases a row from the state and from all that the journal has of it.
final class EraseHandler {
    private let actions: ActionHandler
    private let past: PastReader
    private let executor: LoopExecutor

    init(_ actions: ActionHandler, _ past: PastReader, _ executor: LoopExecutor) {
        self.actions = actions
        self.past = past
        self.executor = executor
    }

    func erase(_ request: borrowing Request, in space: SpaceName, _ route: Route, _ responder: Responder) {
        let asked = ActionRequest(Erasure.action, in: space, route, responder)
        guard let asked = asked.permitted(.admin, bytes: request.body.count),
            ActionBody.isJSON(request, asked.responder)
        else { return }
        guard let (input, object) = ActionBody.object(of: request, ["table", "key"], asked.responder) else { return }
        let row: ErasedRow
        switch Self.row(in: object) {
        case .failure(let fault): return asked.responder.answer(fault.problem)
        case .success(let found): row = found
        }
        guard let demanded = KnownTags(of: request, .ifMatch, asked.responder),
            let key = actions.key(of: request, asked.responder), let views = actions.views(of: asked)
        else { return }
        let condition = demanded.tags.map { actions.condition($0, of: space, isOfViews: views.permit != nil) }
        past.run(for: executor, by: asked.responder.asker(space)) { context throws(PastRefusal) in
            Erasure(of: row, in: space, context)
        } then: { [actions] result in
            switch result {
            case .failure(let refusal): asked.responder.answer(Problem(refusal))
            case .success(let erasure):
                actions.perform(
                    asked,
                    erasure.call(
                        input: input, .object(object), key: key.text, views: views.permit, condition: condition,
                        caller: asked.responder.account.caller))
            }
        }
    }

    private struct BodyFault: Error {
        let problem: Problem
    }

    /// Reads the row of a body: `{"table": "board.cards", "key": "a"}`.
    private static func row(in object: JSON.Object) -> Result<ErasedRow, BodyFault> {
        func fault(_ detail: ProblemText, at pointer: String) -> Result<ErasedRow, BodyFault> {
            .failure(BodyFault(problem: Problem(.invalid, detail, at: pointer)))
        }
        guard case .string(let table)? = object["table"] else {
            return fault("table is the name of a table, as in board.cards", at: "/table")
        }
        guard case .string(let key)? = object["key"] else { return fault("key is the key of a row", at: "/key") }
        return .success(ErasedRow(table: table, key: key))
    }
}
