public import JSON

/// A case of the CEL conformance suite: a formula, what it is computed with, and what must come out. It is computed strictly after CEL.
public struct Conformance: Sendable {
    /// The file of the suite that it comes from.
    public let file: String
    /// The section in that file.
    public let section: String
    /// Its name in that section.
    public let name: String
    private let expression: String
    private let names: [String]
    private let values: [CELValue]
    /// Nil where it must fail.
    private let expected: CELValue?

    /// Reads a case; nil where the document is none.
    public init?(_ document: JSON) {
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

    /// Computes the case, and says whether what came out is what must; where it is not, what did.
    public func report() -> JSON {
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
            // As in CEL without its checker: the suite has cases in which an unknown name is made up for by `|| true`.
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
