// The views of a call.

extension Space {
    /// Returns a refusal if the state does not define a view of a call, or a rule does not allow the caller to read it.
    func refusal(ofViewsOf call: Call) -> Refusal? {
        guard let permit = call.permit else { return nil }
        return refusal(of: permit.sources) ?? refusal(byRulesOf: permit)
    }

    /// Returns a refusal if a rule of a permit is not true.
    func refusal(byRulesOf permit: ReadPermit) -> Refusal? {
        guard permit.dependsOnReader else { return nil }
        return permit.forbidden(by: answers(of: permit)).map { .forbidden(view: $0) }
    }

    /// The values of the views of a call, under the names that clients know. Views that the state after the action does
    /// not allow the caller to read are left out.
    func frames(of call: Call) -> ViewFrames {
        guard let permit = call.permit else { return [] }
        guard permit.dependsOnReader else { return frames(permit.sources) }
        let permitted = permit.permitted(by: answers(of: permit))
        return permitted.shown(frames(permitted.sources))
    }

    private func answers(of permit: ReadPermit) -> RuleAnswers { RuleAnswers(frames(permit.ruleNames)) }
}
