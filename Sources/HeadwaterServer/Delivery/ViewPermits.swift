import StateStore

/// The answers of the rules of views to requests that read other than the present values.
struct ViewPermits {
    let store: Store

    /// Calls `body` with the views that the rules let the client read as they are now; without `leavingOut`, answers 403
    /// if that is not all of them.
    func check(
        _ views: GuardedViews, in space: SpaceName, leavingOut: Bool = false, _ responder: Responder,
        _ body: @escaping (GuardedViews) -> Void
    ) {
        answers(of: views, in: space) { result in
            guard responder.isOpen else { return }
            switch result {
            case .failure(let refusal): responder.answer(Problem(refusal))
            case .success(let answers):
                if !leavingOut, let view = views.forbidden(by: answers) {
                    return responder.answer(Problem(Refusal.forbidden(view: view)))
                }
                body(views.permitted(by: answers))
            }
        }
    }

    /// Calls `body` with the present answers of the rules of views.
    func answers(
        of views: GuardedViews, in space: SpaceName, _ body: @escaping (Result<RuleAnswers, Refusal>) -> Void
    ) {
        let rules = views.ruleNames
        if rules.isEmpty { return body(.success(RuleAnswers())) }
        store.read(rules, in: space) { body($0.map { RuleAnswers($0.views) }) }
    }

    /// Watches the rules of views, and calls `body` with the refusal when one of them is not true. Returns nil if the
    /// views have no rules.
    func watch(_ views: GuardedViews, in space: SpaceName, _ body: @escaping (Refusal) -> Void) -> Watch? {
        let rules = views.ruleNames
        if rules.isEmpty { return nil }
        var answers = RuleAnswers()
        return store.watch(rules, in: space) { result in
            switch result {
            case .failure(let refusal): body(refusal)
            case .success(let frames):
                answers.note(frames)
                if let view = views.forbidden(by: answers) { body(.forbidden(view: view)) }
            }
        }
    }
}
