/// A regular expression for texts outside of formulas, in the syntax of RE2. A match has the step limit of a formula.
package struct TextPattern: Hashable, Sendable {
    /// The source text.
    package let source: String
    private let pattern: Pattern

    /// Parses a pattern; fails with a description.
    package init(_ source: String) throws(EvaluationFailure) {
        self.source = source
        do throws(PatternFault) {
            pattern = try Pattern(source)
        } catch {
            throw EvaluationFailure(error.description)
        }
    }

    /// Returns true if the pattern matches anywhere in the text. Fails if that takes more steps than
    /// `ExpressionLimits.steps`.
    package func matches(_ text: String) throws(EvaluationFailure) -> Bool {
        // A pattern reads no slots.
        let result: Result<Bool, EvaluationFailure> = withUnsafeTemporaryAllocation(of: CELValue.self, capacity: 1) {
            guard let slots = $0.baseAddress else { return .failure(EvaluationFailure("out of memory")) }
            var context = EvaluationContext(slots: slots)
            do throws(EvaluationFailure) {
                return .success(try pattern.matches(text, &context))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    /// True if both have the same source.
    package static func == (left: TextPattern, right: TextPattern) -> Bool { left.source == right.source }

    /// Hashes the source.
    package func hash(into hasher: inout Hasher) { hasher.combine(source) }
}
