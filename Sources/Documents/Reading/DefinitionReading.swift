import Expressions
import JSON
import Schemas

extension DocumentReader {
    /// Reads a definition: an expression, or a list of steps.
    mutating func definition(_ name: String, _ json: JSON, at pointer: JSONPointer) -> WrittenDefinition? {
        guard let object = object(json, at: pointer, "the definition \(name)") else { return nil }
        refuseOthers(in: object, than: Keywords.definition, at: pointer)
        guard let form = self.form(of: object, "the definition \(name)", among: ["is", "do"], at: pointer) else {
            return nil
        }
        if Definition.isTaken(name) {
            faults.add("expressions use the name \(name) otherwise", at: pointer)
            return nil
        }
        let parameters = parametersOfDefinition(object["of"], at: pointer.appending("of"))
        guard form == "do" else {
            return expression(object, "is", at: pointer).map {
                WrittenDefinition(name: name, pointer: pointer, parameters: parameters, form: .expression($0))
            }
        }
        actionSteps = 0
        let place = pointer.appending("do")
        let steps = steps(object["do"] ?? .null, at: place, depth: 0)
        if actionSteps > DocumentLimits.actionSteps {
            faults.add(
                "the definition has \(actionSteps) steps; the limit is \(DocumentLimits.actionSteps)", at: place)
        }
        return WrittenDefinition(name: name, pointer: pointer, parameters: parameters, form: .steps(steps))
    }

    private mutating func parametersOfDefinition(
        _ json: JSON?, at pointer: JSONPointer
    ) -> [(name: String, schema: ValueSchema)] {
        guard let json, let object = object(json, at: pointer, "of") else { return [] }
        guard object.count <= DocumentLimits.parameters else {
            faults.add("a definition has at most \(DocumentLimits.parameters) parameters", at: pointer)
            return []
        }
        return object.compactMap { member in
            let place = pointer.appending(member.key)
            guard let name = parameterName(member.key, at: place) else { return nil }
            return (name, schemas.schema(member.value, at: place))
        }
    }

    /// Reads `{"call": NAME, "with": {…}}`.
    mutating func call(_ object: JSON.Object, at pointer: JSONPointer) -> WrittenStep.WrittenStepForm? {
        let name = reference(object["call"], "call", at: pointer)
        var values: [(name: WrittenName, value: WrittenExpression)] = []
        let place = pointer.appending("with")
        if let json = object["with"], let members = self.object(json, at: place, "with") {
            for member in members {
                let place = place.appending(member.key)
                guard let value = expression(member.value, at: place, member.key) else { continue }
                values.append((WrittenName(name: member.key, pointer: place), value))
            }
        }
        return name.map { .call($0, with: values) }
    }
}
