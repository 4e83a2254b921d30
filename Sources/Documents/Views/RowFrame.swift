import Expressions
import JSON

/// The frame of the expressions over the rows of one view in one space. It is used again for each row.
final class RowFrame {
    private var frame: [ExpressionInput]

    init(_ frame: [ExpressionInput]) { self.frame = frame }

    /// Evaluates an expression for a row.
    func evaluate(_ formula: CompiledFormula, _ key: String, _ row: JSON, _ joined: JSON?) throws -> JSON {
        frame[NamePlace.key] = .json(.string(key))
        frame[NamePlace.row] = .json(row)
        if let joined { frame[NamePlace.joined] = .json(joined) }
        var steps = 0
        do throws(EvaluationFailure) {
            return try formula.evaluate(frame, steps: &steps)
        } catch {
            throw FormulaFailure("\(error), in the row \"\(key.prefix(64))\"", at: formula.pointer)
        }
    }
}

/// A row with the rows that it is joined with. Without joins it is the row itself, so that no list is made.
struct RowCarrier {
    let hasJoins: Bool

    func row(_ carried: JSON) -> JSON { hasJoins ? carried[0] ?? .null : carried }
    func joined(_ carried: JSON) -> JSON? { hasJoins ? carried[1] : nil }
}
