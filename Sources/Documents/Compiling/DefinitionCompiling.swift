import Expressions
import JSON
import Schemas
import StateModel

/// The compiler of the definitions of a document. It checks each where it is declared.
struct DefinitionCompiler {
    private let document: FeatureDocument
    private var formulas = FormulaCompiler()
    private var definitions = DocumentDefinitions()

    /// Returns the definitions without those that have faults.
    static func definitions(
        _ document: FeatureDocument, _ types: StateTypes, without faulty: Set<String>, _ faults: inout FaultList
    ) -> DocumentDefinitions {
        guard !document.definitions.isEmpty else { return DocumentDefinitions() }
        var sound = document
        sound.definitions.removeAll { faulty.contains($0.name) }
        var compiler = DefinitionCompiler(document: sound)
        compiler.definitions.faulty = faulty
        compiler.compileFormulas(types)
        compiler.compileSteps(types)
        for fault in compiler.formulas.faults.all { faults.add(fault) }
        return compiler.definitions
    }

    private init(document: FeatureDocument) { self.document = document }

    private mutating func compileFormulas(_ types: StateTypes) {
        var parsed: [String: (written: WrittenExpression, definition: Definition)] = [:]
        for written in document.definitions {
            guard case .expression(let expression) = written.form else { continue }
            do throws(ExpressionFaults) {
                parsed[written.name] = (
                    expression,
                    try Definition(
                        written.name, written.parameters.map { ($0.name, $0.schema.type) }, expression.text,
                        at: "\(written.pointer.appending("is"))")
                )
            } catch {
                formulas.add(error, at: expression.pointer)
                definitions.faulty.insert(written.name)
            }
        }
        let order = order(
            parsed.mapValues { $0.definition.calls.filter { parsed[$0] != nil } }, words: "reads itself")
        for name in order {
            guard let (written, definition) = parsed[name] else { continue }
            guard definition.calls.isDisjoint(with: definitions.faulty) else {
                definitions.faulty.insert(name)
                continue
            }
            var scope = Self.openScope(types)
            scope.definitions = definitions.formulas
            for parameter in definition.parameters {
                scope = scope.adding(parameter.name, parameter.type, at: 0)
            }
            if formulas.formula(written, scope) == nil {
                definitions.faulty.insert(name)
            } else {
                definitions.formulas[name] = definition
            }
        }
    }

    /// The names that the uses of a definition may have. Those whose types depend on the use have any type.
    private static func openScope(_ types: StateTypes) -> NameScope {
        NameScope([
            ("state", types.ownType), ("given", types.givenType), ("input", .map(key: .string, value: .dyn)),
            ("space", .string), ("token", ActionCompiler.tokenType), ("now", .timestamp), ("newId()", .string),
            ("newSecret()", .string), ("row", .dyn), ("key", .string), ("joined", .dyn),
            ("views", .map(key: .string, value: .dyn)),
        ]).adding(types.indexes)
    }

    private mutating func compileSteps(_ types: StateTypes) {
        var lists: [String: WrittenDefinition] = [:]
        for written in document.definitions {
            if case .steps = written.form { lists[written.name] = written }
        }
        let order = order(
            lists.mapValues { list in Set(list.steps.flatMap(\.calls)).filter { lists[$0] != nil } },
            words: "calls itself")
        var types = types
        types.definitions = definitions
        for name in order {
            guard let written = lists[name] else { continue }
            guard Set(written.steps.flatMap(\.calls)).isDisjoint(with: definitions.faulty) else {
                definitions.faulty.insert(name)
                continue
            }
            types.definitions = definitions
            var compiler = ActionCompiler(document, types, rule: nil)
            let faults = compiler.faults(of: written)
            for fault in faults { formulas.faults.add(fault) }
            if faults.isEmpty { definitions.steps[name] = written } else { definitions.faulty.insert(name) }
        }
    }

    /// Returns the names, each after those that it uses, without those that use themselves, which are faulty.
    private mutating func order(_ uses: [String: Set<String>], words: String) -> [String] {
        var order: [String] = []
        var waiting = uses
        while !waiting.isEmpty {
            let ready = waiting.filter { $0.value.isDisjoint(with: waiting.keys) }.keys.sorted()
            guard !ready.isEmpty else { break }
            order += ready
            for name in ready { waiting[name] = nil }
        }
        for name in waiting.keys.sorted() {
            definitions.faulty.insert(name)
            guard let written = document.definitions.first(where: { $0.name == name }) else { continue }
            let others = (uses[name] ?? []).intersection(waiting.keys).sorted().joined(separator: ", ")
            formulas.faults.add(
                "\(name) \(words) by way of \(others): a definition cannot be recursive", at: written.pointer)
        }
        return order
    }
}

extension WrittenDefinition {
    /// The steps; none for an expression.
    var steps: [WrittenStep] { if case .steps(let steps) = form { steps } else { [] } }
}

extension WrittenStep {
    /// The names of the definitions that it calls.
    var calls: [String] {
        switch form {
        case .call(let name, _): [name.name]
        case .choice(_, let then, let otherwise): (then + otherwise).flatMap(\.calls)
        case .each(_, _, let steps): steps.flatMap(\.calls)
        case .set, .put, .update, .remove, .clear: []
        }
    }
}
