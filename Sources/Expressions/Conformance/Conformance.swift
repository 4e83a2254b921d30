package import JSON

/// A case of the CEL conformance suite: a formula, its bindings and the expected result. It is evaluated in the strict
/// dialect.
package struct Conformance: Sendable {
    /// The suite's file of the case.
    package let file: String
    /// The section in that file.
    package let section: String
    /// The name in that section.
    package let name: String
    private let expression: String
    private let names: [String]
    private let values: [CELValue]
    /// The expected value; nil if the evaluation must fail.
    private let expected: CELValue?

    /// Decodes a case, or returns nil if the document is not one.
    package init?(_ document: JSON) {
        guard case .string(let file)? = document["file"], case .string(let section)? = document["section"],
            case .string(let name)? = document["name"], case .string(let expression)? = document["expr"]
        else { return nil }
        var bindings: [(String, CELValue)] = []
        if let given = document["bindings"] {
            guard case .object(let object) = given else { return nil }
            for member in object {
                guard let value = CELValue(typed: member.value) else { return nil }
                bindings.append((member.key, value))
            }
        }
        var expected: CELValue?
        if document["error"] != .bool(true) {
            guard let value = document["value"].flatMap({ CELValue(typed: $0) }) else { return nil }
            expected = value
        }
        (self.file, self.section, self.name, self.expression) = (file, section, name, expression)
        (names, values, self.expected) = (bindings.map(\.0), bindings.map(\.1), expected)
    }

    /// Evaluates the case and reports if the result is the expected one; if not, the report has the actual result.
    package func report() -> JSON {
        var report = JSON.Object()
        report["file"] = .string(file)
        report["section"] = .string(section)
        report["name"] = .string(name)
        switch outcome() {
        case .success(let value):
            let isRight = expected.map { value.isSame(as: $0) } ?? false
            report["ok"] = .bool(isRight)
            if !isRight { report["got"] = value.typed }
        case .failure(let failure):
            report["ok"] = .bool(expected == nil)
            if expected != nil { report["error"] = .string(failure.description) }
        }
        return .object(report)
    }

    private func outcome() -> Result<CELValue, EvaluationFailure> {
        do throws(ExpressionFault) {
            // As in CEL without its checker: some cases use an unknown name in `… || true` and expect true.
            let expression = try Expression(expression, names: names, dialect: .strict, unknown: .failing)
            do throws(EvaluationFailure) {
                return .success(try expression.program.run(values))
            } catch {
                return .failure(error)
            }
        } catch {
            return .failure(EvaluationFailure("at character \(error.offset): \(error.description)"))
        }
    }
}
