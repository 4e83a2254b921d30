import Expressions

/// The definitions of a document, as expressions and steps use them.
struct DocumentDefinitions: Sendable {
    /// The formulas, by name.
    var formulas: [String: Definition] = [:]
    /// The lists of steps, by name.
    var steps: [String: WrittenDefinition] = [:]
    /// The definitions with faults. Their uses are not checked.
    var faulty: Set<String> = []
}
