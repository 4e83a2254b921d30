import Expressions
import JSON
import StateModel

/// The state of a feature that clients may hold, compiled. It never changes, and all spaces share it.
final class CompiledReplica: Sendable {
    /// The name of the view inside the server that has the replica. No client can send it as the name of a view.
    static let label = "~replica"

    /// The rows of a table that one alternative of a condition selects for a caller.
    struct Alternative: Sendable {
        /// The way to the rows.
        enum Candidates: Sendable {
            /// All rows.
            case all
            /// The rows of groups of an index, whose values stand in the order of `by`.
            case groups(CompiledIndex, [CallerValue])
            /// The rows of some keys.
            case keys(CallerValue)
        }

        /// A value that reads no row: one key or member of a group, or a list of them.
        struct CallerValue: Sendable {
            let view: ExpressionView
            let isMembership: Bool
        }

        /// The conditions that read no row. While one is not true, the alternative selects nothing.
        let gates: [ExpressionView]
        let candidates: Candidates
        /// The other conditions, over the row, the key, the claims and the space.
        let conditions: [CompiledFormula]

        /// The values that read no row.
        var values: [CallerValue] {
            switch candidates {
            case .all: []
            case .groups(_, let values): values
            case .keys(let value): [value]
            }
        }
    }

    /// The rows that belong to rows of another table.
    struct Belonging: Sendable {
        /// The place of the other table in `parts`.
        let parent: Int
        /// An index by the key of the row there.
        let index: CompiledIndex
    }

    /// A variable or a table.
    struct HeldState: Sendable {
        /// The place in the state.
        let place: Int
        let label: String
        let isTable: Bool
        /// The private parts of the value, or of each row, which clients never have.
        let privateParts: PrivateParts
        /// The alternatives; nil for all rows.
        let alternatives: [Alternative]?
        let belonging: Belonging?

        /// True if callers hold a part of the rows.
        var isPartial: Bool { alternatives != nil || belonging != nil }
    }

    /// The parts, each after the one that it belongs to.
    let parts: [HeldState]
    /// The claims that the conditions read; nil for none.
    let claims: ClaimSet?
    /// The rule of the feature; nil without one.
    let rule: ViewRule?
    /// The ways to the rows, for the plan.
    let reads: [PlannedRead]

    init(_ parts: [HeldState], claims: ClaimSet?, rule: ViewRule?, reads: [PlannedRead]) {
        (self.parts, self.claims, self.rule, self.reads) = (parts, claims, rule, reads)
    }

    /// Returns the part of a variable or a table; nil if clients do not hold it.
    func part(_ label: String) -> HeldState? { parts.first { $0.label == label } }
}
