import Expressions
import JSON

/// The compiler of `migrate` expressions.
enum MigrationCompiler {
    /// Returns the migrations by the names of their variables and tables.
    static func migrations(_ document: FeatureDocument, _ faults: inout FaultList) -> [String: CompiledFormula] {
        var formulas = FormulaCompiler()
        var migrations: [String: CompiledFormula] = [:]
        for state in document.state {
            guard let written = state.migrate else { continue }
            let type = state.stateType
            var scope = NameScope([("old", .dyn)])
            if type.isTable { scope = scope.adding("key", .string, at: 1) }
            migrations[state.name] = formulas.formula(written, scope, expecting: type.type)
        }
        for fault in formulas.faults.all { faults.add(fault) }
        return migrations
    }
}
