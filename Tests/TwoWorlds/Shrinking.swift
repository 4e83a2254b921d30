import JSON

extension Scenario {
    /// The greatest number of runs of a search.
    private static let runsLimit = 400

    /// Returns the scenario with only those steps and parts of documents without which a difference is not there any more.
    package func shrunk(to difference: TwoWorlds.Difference) throws -> Scenario {
        var search = Search(
            scenario: self, road: difference.road, request: difference.request, left: Self.runsLimit)
        search.cut(after: difference.causeNumber)
        var size = max(1, search.scenario.steps.count / 2)
        while size >= 1 {
            try search.removeSteps(of: size)
            size /= 2
        }
        try search.removeParts()
        try search.removeSteps(of: 1)
        return search.scenario
    }

    /// The search for a smaller scenario.
    private struct Search {
        var scenario: Scenario
        let road: String
        let request: String
        var left: Int

        /// Takes a scenario if it still has the difference.
        private mutating func take(_ smaller: Scenario) throws -> Bool {
            guard left > 0 else { return false }
            left -= 1
            let run = try TwoWorlds(smaller)
            guard run.differences.contains(where: { $0.road == road && $0.request == request }) else { return false }
            scenario = smaller
            return true
        }

        mutating func cut(after number: Int) {
            scenario.steps.removeAll { $0.number > number || $0.isControl }
        }

        /// Removes runs of steps of a length.
        mutating func removeSteps(of size: Int) throws {
            var end = scenario.steps.count
            while end > 0 {
                var smaller = scenario
                smaller.steps.removeSubrange(max(0, end - size)..<end)
                if try !take(smaller) { end -= size }
                end = min(end, scenario.steps.count)
            }
        }

        /// Removes views, actions, state and schedules of documents.
        mutating func removeParts() throws {
            for index in scenario.steps.indices {
                guard case .deploy(let plan, let edition) = scenario.steps[index].work else { continue }
                var now = plan
                func step(_ plan: DocumentPlan) -> Scenario {
                    var smaller = scenario
                    smaller.steps[index] = Step(
                        number: scenario.steps[index].number, work: .deploy(plan, edition: edition))
                    return smaller
                }
                for view in plan.views {
                    let smaller = now.without(view: view.name)
                    if try take(step(smaller)) { now = smaller }
                }
                for action in plan.actions {
                    let smaller = now.without(action: action.name)
                    if try take(step(smaller)) { now = smaller }
                }
                for state in plan.states {
                    let smaller = now.without(state: state.name)
                    if try take(step(smaller)) { now = smaller }
                }
                let plain = now.plain
                if try take(step(plain)) { now = plain }
            }
        }
    }
}

extension DocumentPlan {
    func without(view: String) -> DocumentPlan { changed(views: views.filter { $0.name != view }) }
    func without(action: String) -> DocumentPlan { changed(actions: actions.filter { $0.name != action }) }
    func without(state: String) -> DocumentPlan { changed(states: states.filter { $0.name != state }) }

    /// The document without schedules and presence.
    var plain: DocumentPlan { changed(isPlain: true) }

    private func changed(
        states: [StatePlan]? = nil, views: [ViewPlan]? = nil, actions: [ActionPlan]? = nil, isPlain: Bool = false
    ) -> DocumentPlan {
        DocumentPlan(
            name: name, isCommon: isCommon, posture: posture, given: given, states: states ?? self.states,
            views: views ?? self.views, actions: actions ?? self.actions, rule: rule, secretRule: secretRule,
            hasSchedules: hasSchedules && !isPlain, hasPresence: hasPresence && !isPlain, initial: initial)
    }
}
