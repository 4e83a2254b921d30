import Expressions
import JSON

/// The compiler of a document's expressions. It collects their faults.
struct FormulaCompiler {
    var faults = FaultList()

    /// Compiles an expression whose value must fit a type.
    mutating func formula(
        _ written: WrittenExpression, _ scope: NameScope, expecting expected: ExpressionType = .dyn
    ) -> CompiledFormula? {
        do throws(ExpressionFaults) {
            let whole = try Expression(
                written.text, types: scope.names, expecting: expected, definitions: scope.definitions,
                assuming: scope.conditions)
            // The names that it does not use need no input.
            let used = scope.only(Set(whole.reads?.map(\.name) ?? []))
            let reads = scope.dependencies(whole.reads ?? [])
            let isPrivate = reads.contains { scope.isPrivate($0) }
            guard used.places.count < scope.places.count else {
                return CompiledFormula(
                    expression: whole, places: scope.places, pointer: written.pointer, reads: reads,
                    isPrivate: isPrivate)
            }
            let lean = try Expression(
                written.text, types: used.names, expecting: expected, definitions: scope.definitions,
                assuming: used.conditions)
            return CompiledFormula(
                expression: lean, places: used.places, pointer: written.pointer, reads: reads, isPrivate: isPrivate)
        } catch {
            add(error, at: written.pointer)
            return nil
        }
    }

    /// Compiles a text with expressions in braces.
    mutating func text(_ written: WrittenExpression, _ scope: NameScope) -> CompiledText? {
        do throws(ExpressionFaults) {
            return CompiledText(
                template: try TextTemplate(written.text, types: scope.names, definitions: scope.definitions),
                places: scope.places)
        } catch {
            add(error, at: written.pointer)
            return nil
        }
    }

    /// Notes the faults of an expression.
    mutating func add(_ error: ExpressionFaults, at pointer: JSONPointer) {
        for fault in error.all {
            let place = fault.offset > 0 ? " (at character \(fault.offset + 1))" : ""
            faults.add(fault.description + place, at: pointer, allowed: fault.allowed)
        }
    }
}
