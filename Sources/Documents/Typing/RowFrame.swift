import Expressions
import Ground
import JSON
import StateModel

/// The frame of the expressions over the rows of one view in one space. It is used again for each row.
final class RowFrame {
    private var frame: [ExpressionInput]

    init(_ frame: [ExpressionInput]) { self.frame = frame }

    /// Evaluates an expression for a row.
    func evaluate(_ formula: CompiledFormula, _ key: String, _ row: JSON, _ joined: JSON?) throws -> JSON {
        frame[NamePlace.key] = .json(.string(key))
        frame[NamePlace.row] = .json(row)
        if let joined { frame[NamePlace.joined] = .json(joined) }
        guard !WorkAllowance.isSpent else { throw FormulaFailure(WorkShortage.words, at: formula.pointer) }
        var steps = 0
        defer { WorkAllowance.spend(steps + 1) }
        do throws(EvaluationFailure) {
            return try formula.evaluate(frame, steps: &steps)
        } catch {
            throw FormulaFailure("\(formula.words(for: error)), in a row", at: formula.pointer)
        }
    }
}

/// A row with the rows that it is joined with. Without joins it is the row itself, so that no list is made.
struct RowCarrier {
    let hasJoins: Bool
    /// The private parts of the row, and of the joined rows by name, that are null for the view.
    let hidden: (row: PrivateParts, joined: PrivateParts)

    func row(_ carried: JSON) -> JSON {
        let row = hasJoins ? carried[0] ?? .null : carried
        return hidden.row == .none ? row : hidden.row.masking(row)
    }

    func joined(_ carried: JSON) -> JSON? {
        guard hasJoins else { return nil }
        return hidden.joined == .none ? carried[1] : carried[1].map { hidden.joined.masking($0) }
    }
}
