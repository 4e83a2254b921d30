import Expressions
import JSON

/// An index as expressions see it.
struct StateIndex: Sendable {
    let index: CompiledIndex
    /// The table, by its place in the state and by its name.
    let table: Int
    let label: String
    let type: IndexType
    /// The private parts of rows that its expressions name, as reads of the state.
    let privateReads: [ExpressionRead]
    /// True if the groups follow from private parts.
    let hasPrivateGroups: Bool

    /// The name in expressions.
    var name: String { type.name }

    /// Returns a read of the index as reads of the state: of the rows of its table, and of the private parts that it names.
    func stateReads(_ read: ExpressionRead) -> [ExpressionRead] {
        [ExpressionRead("state", [.member(label)] + read.steps, read.steps.isEmpty ? .value : read.extent)]
            + privateReads
    }
}

extension ExpressionType {
    /// True if values can name groups of an index.
    var isGroup: Bool {
        switch withoutNull {
        case .dyn, .null, .bool, .int, .string: true
        default: false
        }
    }

    /// True if values have an order, also if some are null.
    var isSortable: Bool {
        switch withoutNull {
        case .dyn, .null, .bool, .int, .uint, .double, .decimal, .string, .timestamp: true
        default: false
        }
    }
}
