import Expressions
import JSON
import Schemas
import StateStore

/// The compiler of `migrate` expressions.
enum MigrationCompiler {
    /// Returns the migrations by the names of their variables and tables.
    static func migrations(_ document: FeatureDocument, _ faults: inout FaultList) -> [String: CompiledFormula] {
        var formulas = FormulaCompiler()
        var migrations: [String: CompiledFormula] = [:]
        for state in document.state {
            guard let written = state.migrate else { continue }
            var scope = NameScope([("old", .dyn)])
            let schema: ValueSchema
            switch state.form {
            case .value(let value, _): schema = value
            case .table(let table):
                schema = table.row
                scope = scope.adding("key", .string, at: 1)
            }
            // What was private in the old value is not known here.
            if schema.hasPrivateParts { scope = scope.hiding(["old": .whole]) }
            migrations[state.name] = formulas.formula(written, scope, expecting: schema.writtenType)
        }
        for fault in formulas.faults.all { faults.add(fault) }
        return migrations
    }
}
