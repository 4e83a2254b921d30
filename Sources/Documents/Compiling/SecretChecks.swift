import Expressions
import JSON
import StateModel

/// Checks of identifiers that serve as secrets. The client of a queued action knows those of `newId()` before, and readers
/// can compute them; `newSecret()` is for what only some may know.
struct SecretChecks {
    private let document: FeatureDocument
    private let types: StateTypes
    private var warnings: [DocumentFault] = []
    /// The places of the state that hold a value of `newId()`: the name and the path of the member.
    private var kept: Set<[String]> = []

    /// The warnings of a document with some rules: for each private member that keeps a value of `newId()`, and for each
    /// rule that compares one.
    static func warnings(
        of document: FeatureDocument, _ types: StateTypes, rules: [CompiledFormula]
    ) -> [DocumentFault] {
        var checks = SecretChecks(document, types)
        for action in document.actions {
            var names: Set<String> = []
            for value in action.lets where checks.makesID(value.value, names) { names.insert(value.name.name) }
            checks.check(action.steps, names, depth: 0)
        }
        for rule in rules { checks.check(rule) }
        return checks.warnings
    }

    private init(_ document: FeatureDocument, _ types: StateTypes) {
        (self.document, self.types) = (document, types)
    }

    private func paths(_ written: WrittenExpression, _ names: Set<String>) -> Set<[String]> {
        MadeMembers(of: written.text, calling: "newId", orNaming: names, types.definitions.formulas).paths
    }

    private func makesID(_ written: WrittenExpression, _ names: Set<String>) -> Bool {
        !paths(written, names).isEmpty
    }

    private mutating func check(_ steps: [WrittenStep], _ names: Set<String>, depth: Int) {
        for step in steps {
            switch step.form {
            case .set(let name, let value): note(paths(value, names), in: name.name, value)
            case .put(let name, _, let row), .update(let name, _, let row): note(paths(row, names), in: name.name, row)
            case .remove, .clear: break
            case .choice(_, let then, let otherwise): check(then + otherwise, names, depth: depth)
            case .each(let list, let name, let inner):
                check(inner, makesID(list, names) ? names.union([name.name]) : names, depth: depth)
            case .call(let name, let values):
                guard depth < DocumentLimits.calledSteps, let definition = types.definitions.steps[name.name] else {
                    break
                }
                let given = values.filter { makesID($0.value, names) }.map(\.name.name)
                check(definition.steps, Set(given), depth: depth + 1)
            }
        }
    }

    private mutating func note(_ paths: Set<[String]>, in label: String, _ written: WrittenExpression) {
        guard let state = document.state.first(where: { $0.name == label })?.stateType else { return }
        for path in paths.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            kept.insert([label] + path)
            let parts = path.reduce(state.privateParts) { $0[$1] }
            guard parts != .none else { continue }
            warn(
                "\(([label] + path).joined(separator: ".")) is private and keeps newId(), which its client knows before: use newSecret()",
                at: written.pointer)
        }
    }

    /// Looks at a rule: it compares an identifier if it reads one that the state keeps, or makes one.
    private mutating func check(_ rule: CompiledFormula) {
        guard rule.expression.source.contains("==") || rule.expression.source.contains(" in ") else { return }
        if !MadeMembers(of: rule.expression.source, calling: "newId", types.definitions.formulas).paths.isEmpty {
            warn("the rule compares newId(), which the client knows before: use newSecret()", at: rule.pointer)
        }
        for read in rule.reads where read.name == "state" {
            guard let label = read.path.first ?? nil, let state = document.state.first(where: { $0.name == label })
            else { continue }
            // The key of a row is no part of the value.
            let path = read.path.dropFirst(state.stateType.isTable ? 2 : 1).compactMap(\.self)
            guard kept.contains([label] + path) else { continue }
            warn(
                "the rule compares \(([label] + path).joined(separator: ".")), which keeps newId(): use newSecret()",
                at: rule.pointer)
        }
    }

    private mutating func warn(_ words: String, at pointer: JSONPointer) {
        guard !warnings.contains(where: { $0.pointer == pointer && $0.detail == words }) else { return }
        warnings.append(DocumentFault(words, at: pointer))
    }
}
