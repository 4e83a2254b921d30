import StateModel

/// A compiled schedule. It never changes, and all spaces share it.
struct CompiledSchedule: Sendable {
    /// The source of the times of a schedule.
    enum ScheduleTrigger: Sendable {
        case rows(RowTimes)
        /// A recurrence, and true if the times are skipped that pass while the server is down.
        case recurring(Recurrence, skipsMissed: Bool)
    }

    /// The times that the rows of a table, or a variable, hold.
    struct RowTimes: Sendable {
        /// The index of the table or variable in the state of the feature.
        let index: Int
        /// The time of a row.
        let at: CompiledFormula
        /// The variables of the feature that the time of a variable reads, with its own; none for a table.
        let variables: [(index: Int, name: String)]
    }

    let name: String
    let trigger: ScheduleTrigger
    /// The name of the action.
    let action: String
    let program: ActionProgram
    /// The input of the action; nil for an empty one.
    let input: CompiledFormula?

    /// The recurrence; nil for a schedule of rows.
    var recurrence: Recurrence? {
        if case .recurring(let recurrence, _) = trigger { recurrence } else { nil }
    }
}
