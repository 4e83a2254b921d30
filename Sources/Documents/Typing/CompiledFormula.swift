import Expressions
import JSON

/// A compiled expression with the places of its inputs in a frame.
struct CompiledFormula: Sendable {
    let expression: Expression
    let places: [Int]
    let pointer: JSONPointer
    /// The parts of the names that it depends on; a read of an index is one of the state.
    let reads: [ExpressionRead]
    /// True if it reads something private, which its failures must not quote.
    var isPrivate = false

    var type: ExpressionType { expression.type }
    /// The names of the indexes that it reads.
    var indexes: [String] {
        (expression.reads ?? []).map(\.name).filter { $0.hasPrefix("index.") }.map { String($0.dropFirst(6)) }
    }

    /// Evaluates the expression.
    @inline(__always)
    func evaluate(_ frame: [ExpressionInput], steps: inout Int) throws(EvaluationFailure) -> JSON {
        try expression.evaluate(frame, at: places, steps: &steps)
    }

    /// Returns the words for a failure.
    func words(for failure: EvaluationFailure) -> String {
        isPrivate
            ? "the expression has no value; the reason is withheld, because it reads a private member"
            : failure.description
    }

    /// Evaluates a condition. A value that is no bool is a failure.
    func isTrue(_ frame: [ExpressionInput], steps: inout Int) throws -> Bool {
        switch try evaluate(frame, steps: &steps) {
        case .bool(let truth): return truth
        case let value: throw FormulaFailure("a condition is a bool, not \(value.kind.words)", at: pointer)
        }
    }
}

/// A text with formulas, and the places of the names that it may use.
struct CompiledText: Sendable {
    let template: TextTemplate
    let places: [Int]

    func text(_ frame: [ExpressionInput], steps: inout Int) throws(EvaluationFailure) -> String {
        try template.text(places.map { frame[$0] }, steps: &steps)
    }
}

/// The failure of an expression at a place of its document.
struct FormulaFailure: Error, CustomStringConvertible {
    let reason: String
    let pointer: JSONPointer

    init(_ reason: String, at pointer: JSONPointer) { (self.reason, self.pointer) = (reason, pointer) }

    var description: String { "\(pointer): \(reason)" }
}
