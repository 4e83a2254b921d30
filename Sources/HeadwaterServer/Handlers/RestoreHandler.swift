import HTTP
import JSON
import StateStore

/// The handler of `POST …/restore`: it returns a space to a past state, in one commit.
final class RestoreHandler {
    private let actions: ActionHandler
    private let tags: ViewTags
    private let past: PastReader
    private let executor: LoopExecutor

    init(_ actions: ActionHandler, _ tags: ViewTags, _ past: PastReader, _ executor: LoopExecutor) {
        self.actions = actions
        self.tags = tags
        self.past = past
        self.executor = executor
    }

    func restore(_ request: borrowing Request, in space: SpaceName, _ route: Route, _ responder: Responder) {
        let asked = ActionRequest(Restoration.action, in: space, route, responder)
        guard let asked = asked.permitted(.admin, bytes: request.body.count),
            ActionBody.isJSON(request, asked.responder)
        else { return }
        if let problem = Self.problem(of: space, route) { return asked.responder.answer(problem) }
        guard let (input, object) = ActionBody.object(of: request, Self.members, asked.responder) else { return }
        let point: PointParameter
        switch Self.point(in: object, of: space) {
        case .failure(let fault): return asked.responder.answer(fault.problem)
        case .success(let found): point = found
        }
        guard let demanded = KnownTags(of: request, .ifMatch, asked.responder),
            let key = actions.key(of: request, asked.responder), let views = actions.views(of: asked)
        else { return }
        let condition = demanded.tags.map { actions.condition($0, of: space, isOfViews: views.permit != nil) }
        past.run(for: executor, by: asked.responder.asker(space)) { [tags] context throws(PastRefusal) in
            guard point.isOfThisLife(space, tags, context.journal.lives) else {
                return Restoration(.gone(space, oldest: try context.journal.oldestVersion(of: space)))
            }
            return Restoration(of: space, to: point.point, context)
        } then: { [actions] result in
            switch result {
            case .failure(let refusal): asked.responder.answer(Problem(refusal))
            case .success(let restoration):
                actions.perform(
                    asked,
                    restoration.call(
                        input: input, .object(object), key: key.text, views: views.permit, condition: condition,
                        caller: asked.responder.account.caller))
            }
        }
    }

    /// Returns the reason why a space cannot be restored by this request.
    private static func problem(of space: SpaceName, _ route: Route) -> Problem? {
        guard let value = route["common"] else {
            guard space == .common else { return nil }
            return Problem(
                .conflict,
                "every other space derives values from common: send common=yes in the query to restore it all the same")
        }
        guard space == .common else {
            return Problem(.invalid, "the parameter common is for restoring the space common only")
        }
        return value == "yes" ? nil : Problem(.conflict, "common is restored with common=yes only", allowed: ["yes"])
    }

    /// The members of a body.
    private static let members = ["version", "at"]

    private struct BodyFault: Error {
        let problem: Problem
    }

    /// Reads the point of a body: `{"version": 17}` or `{"at": …}`.
    private static func point(in object: JSON.Object, of space: SpaceName) -> Result<PointParameter, BodyFault> {
        func fault(
            _ detail: ProblemText, at pointer: String, _ allowed: [String] = []
        ) -> Result<PointParameter, BodyFault> {
            .failure(BodyFault(problem: Problem(.invalid, detail, at: pointer, allowed: allowed)))
        }
        guard object.count == 1 else { return fault("send either version or at", at: "", members) }
        if let version = object["version"] {
            guard case .number(let number) = version, let point = PointParameter("\(number)", of: space),
                case .version = point.point, point.tag == nil
            else { return fault("version must be a whole number from 0 on", at: "/version") }
            return .success(point)
        }
        if case .number(let number)? = object["at"], let point = PointParameter("\(number)", of: space) {
            return .success(point)
        }
        guard case .string(let text)? = object["at"], let point = PointParameter(text, of: space) else {
            return fault("at is \(PointParameter.forms)", at: "/at")
        }
        return .success(point)
    }
}
