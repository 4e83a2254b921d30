/// Views as one caller reads them.
package struct GuardedViews: Hashable, Sendable {
    /// The names of the views, as clients know them.
    package let names: [String]
    /// The names under which the store reads them for the caller.
    package let sources: [String]
    /// The names of their rules for the caller, in the same order; empty texts for views without a rule.
    package let rules: [String]

    package init(names: [String], sources: [String], rules: [String]) {
        self.names = names
        self.sources = sources
        self.rules = rules
    }

    /// Views that are the same for all callers.
    package init(_ names: [String]) {
        self.init(names: names, sources: names, rules: [])
    }

    /// True if a view has a rule, or is a personal one.
    package var isGuarded: Bool { !rules.isEmpty }

    /// The names under which the store reads the views and their rules.
    package var all: [String] { sources + present(rules) }

    /// The names of the rules, each once.
    package var ruleNames: [String] { present(rules) }

    private func present(_ rules: [String]) -> [String] {
        var present: [String] = []
        for rule in rules where !rule.isEmpty && !present.contains(rule) { present.append(rule) }
        return present
    }

    /// Returns the views whose rules are true.
    package func permitted(by answers: RuleAnswers) -> GuardedViews {
        guard isGuarded else { return self }
        let places = names.indices.filter { answers.allows(rules[$0]) }
        return GuardedViews(
            names: places.map { names[$0] }, sources: places.map { sources[$0] }, rules: places.map { rules[$0] })
    }

    /// Returns the name of the first view whose rule is not true; nil if all can be read.
    package func forbidden(by answers: RuleAnswers) -> String? {
        zip(names, rules).first { !answers.allows($0.1) }?.0
    }

    /// Returns the values of the views under the names that clients know, without those of rules.
    package func shown(_ frames: ViewFrames) -> ViewFrames {
        guard isGuarded else { return frames }
        var place = 0
        return frames.compactMap { name, frame in
            // The store keeps the order of the names; some may be missing.
            guard
                let index = sources.indices.first(where: { $0 >= place && sources[$0] == name })
                    ?? sources.firstIndex(of: name)
            else { return nil }
            place = index + 1
            return (names[index], frame)
        }
    }
}
