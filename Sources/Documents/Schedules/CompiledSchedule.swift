import StateStore

/// A compiled schedule. It never changes, and all spaces share it.
struct CompiledSchedule: Sendable {
    let name: String
    /// The index of its table or variable in the state of the feature.
    let index: Int
    /// The time of a row.
    let at: CompiledFormula
    /// The name of the action.
    let action: String
    let program: ActionProgram
    /// The input of the action; nil for an empty one.
    let input: CompiledFormula?
    /// The variables of the feature that the time of a variable reads, with its own; none for a table.
    let variables: [(index: Int, name: String)]
}
