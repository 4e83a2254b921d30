import Expressions
import JSON
import Schemas
import StateModel

/// The compiler of `migrate` expressions.
enum MigrationCompiler {
    /// The compiled `from` of a table.
    struct CompiledSource: Sendable {
        let table: String
        let condition: CompiledFormula?
        let row: CompiledFormula?
        let key: CompiledFormula?

        /// Returns the key and the row that a row becomes; nil for none.
        func make(_ key: String, _ row: JSON) throws -> (key: String, row: JSON)? {
            let frame: [ExpressionInput] = [.json(row), .json(.string(key))]
            if let condition, try Self.value(condition, frame) != .bool(true) { return nil }
            let made = try self.row.map { try Self.value($0, frame) } ?? row
            guard let formula = self.key else { return (key, made) }
            guard case .string(let text) = try Self.value(formula, frame) else {
                throw FormulaFailure("a key is a string", at: formula.pointer)
            }
            return (text, made)
        }

        private static func value(_ formula: CompiledFormula, _ frame: [ExpressionInput]) throws -> JSON {
            var steps = 0
            do throws(EvaluationFailure) {
                return try formula.evaluate(frame, steps: &steps)
            } catch {
                throw FormulaFailure(formula.words(for: error), at: formula.pointer)
            }
        }
    }

    /// Returns the sources of rows by the names of their tables.
    static func sources(_ document: FeatureDocument, _ faults: inout FaultList) -> [String: CompiledSource] {
        var formulas = FormulaCompiler()
        var sources: [String: CompiledSource] = [:]
        for state in document.state {
            guard let source = state.source, case .table(let table) = state.form else { continue }
            var scope = NameScope([("row", .dyn), ("key", .string)])
            if let other = document.state.first(where: { $0.name == source.table.name }) {
                guard case .table(let otherTable) = other.form, other.name != state.name else {
                    faults.add("\(source.table.name) is no other table", at: source.table.pointer)
                    continue
                }
                scope = NameScope([("row", otherTable.row.type), ("key", .string)])
            }
            if table.row.hasPrivateParts { scope = scope.hiding(["row": .whole]) }
            sources[state.name] = CompiledSource(
                table: source.table.name, condition: source.condition.flatMap { formulas.formula($0, scope) },
                row: source.row.flatMap { formulas.formula($0, scope, expecting: table.row.writtenType) },
                key: source.key.flatMap { formulas.formula($0, scope) })
        }
        for fault in formulas.faults.all { faults.add(fault) }
        return sources
    }

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
