/// The newest answers of some rules.
package struct RuleAnswers {
    /// The names of the rules that are true.
    private var allowed: Set<ViewKey> = []

    package init() {}

    /// The answers among some values.
    package init(_ frames: ViewFrames) {
        note(frames)
    }

    /// Takes the answers among some values.
    package mutating func note(_ frames: ViewFrames) {
        for (name, frame) in frames where name.kind == .rule {
            if frame.isTrue { allowed.insert(name) } else { allowed.remove(name) }
        }
    }

    /// Returns true if a rule is true, or if there is none.
    func allows(_ rule: ViewKey?) -> Bool { rule.map { allowed.contains($0) } ?? true }
}
