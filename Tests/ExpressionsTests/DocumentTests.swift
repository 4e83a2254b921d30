import Foundation
import JSON
import Testing

@testable import Expressions

/// The claims of `docs/expressions.md`.
struct DocumentTests {
    private static let value: JSON = [
        "name": "Sky Casual", "price": 2350.5, "count": 3, "tags": ["guitar", "koa"], "at": "2026-05-04T10:00:00Z",
    ]

    @Test func `each example has the stated result`() throws {
        var count = 0
        for line in try document() where line.hasPrefix("- `") {
            let parts = line.dropFirst(3).components(separatedBy: "` → `")
            if parts.count == 2 {
                count += 1
                // The types must be equal too, which == does not compare.
                let (formula, result) = (parts[0], parts[1].dropLast())
                #expect(
                    outcome("(\(formula)) == (\(result)) && type(\(formula)) == type(\(result))", ["value": Self.value])
                        == "true",
                    "\(line)")
            } else if line.hasSuffix("` fails") {
                count += 1
                let formula = String(line.dropFirst(3).dropLast("` fails".count))
                #expect(throws: EvaluationFailure.self, "\(line)") {
                    try Expression(formula, names: ["value"]).evaluate(Self.value)
                }
            }
        }
        #expect(count > 100)
    }

    @Test func `each function has an example`() throws {
        let text = try document().joined(separator: "\n")
        for name in Functions.allNames { #expect(text.contains("\(name)("), "\(name) has no example") }
        for name in Macro.examples.keys { #expect(text.contains(".\(name)("), "\(name) has no example") }
    }

    @Test func `the list of functions equals the signatures`() throws {
        let lines = try document()
        let start = try #require(lines.firstIndex(of: "## Functions"))
        let block = lines[start...].drop { $0 != "```" }.dropFirst().prefix { $0 != "```" }
        #expect(Array(block) == FunctionSignature.all.map(\.text))
    }

    @Test func `the limits equal those in the table`() throws {
        let text = try document().joined(separator: "\n")
        let limits = [
            ("sourceLength", ExpressionLimits.sourceLength), ("nesting", ExpressionLimits.nesting),
            ("nodes", ExpressionLimits.nodes),
            ("cost", ExpressionLimits.cost), ("assumedLength", ExpressionLimits.assumedLength),
            ("steps", ExpressionLimits.steps),
            ("memoryBytes", ExpressionLimits.memoryBytes), ("textBytes", ExpressionLimits.textBytes),
            ("resultBytes", ExpressionLimits.resultBytes),
            ("resultNesting", ExpressionLimits.resultNesting), ("patternLength", ExpressionLimits.patternLength),
            ("patternInstructions", ExpressionLimits.patternInstructions),
            ("patternRepetitions", ExpressionLimits.patternRepetitions),
            ("patternNesting", ExpressionLimits.patternNesting), ("formatPrecision", ExpressionLimits.formatPrecision),
        ]
        for (name, value) in limits { #expect(text.contains("| `\(name)` | \(value) |"), "\(name) is \(value)") }
    }

    private func document() throws -> [String] {
        var root = URL(fileURLWithPath: #filePath)
        for _ in 0..<3 { root.deleteLastPathComponent() }
        return try String(contentsOf: root.appending(path: "docs/expressions.md"), encoding: .utf8).components(
            separatedBy: "\n")
    }
}
