// The views of a call whose views have rules.

extension Space {
    /// Returns a refusal if the rule of a view of a call does not allow the caller to read it.
    func refusal(byRulesOf call: Call) -> Refusal? {
        let allowed = allowedRules(of: call)
        for (view, rule) in zip(call.views, call.rules) where !allowed.contains(rule) {
            return .forbidden(view: ClaimedName.view(of: view))
        }
        return nil
    }

    /// The values of the views of a call, under the names that clients know. Views that the state after the action does
    /// not allow the caller to read are left out.
    func frames(of call: Call) -> ViewFrames {
        if call.rules.isEmpty { return frames(call.views) }
        let allowed = allowedRules(of: call)
        let views = zip(call.views, call.rules).filter { allowed.contains($0.1) }.map(\.0)
        return frames(views).map { (ClaimedName.view(of: $0.view), $0.frame) }
    }

    /// The names of the rules of a call that are true, and the empty text of views without a rule.
    private func allowedRules(of call: Call) -> Set<String> {
        let rules = Set(call.rules.filter { !$0.isEmpty }).sorted()
        return Set(frames(rules).filter(\.frame.isTrue).map(\.view)).union([""])
    }
}
