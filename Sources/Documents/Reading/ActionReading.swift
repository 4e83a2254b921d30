import JSON
import Schemas

extension DocumentReader {
    /// Reads an action.
    mutating func action(_ name: String, _ json: JSON, at pointer: JSONPointer) -> WrittenAction? {
        guard let object = object(json, at: pointer, "the action \(name)") else { return nil }
        refuseOthers(in: object, than: Keywords.action, at: pointer)
        let empty: JSON = ["type": "object", "properties": [:]]
        let input = object["input"] ?? empty
        var action = WrittenAction(
            name: name, pointer: pointer, input: schemas.schema(input, at: pointer.appending("input")),
            inputSchema: input)
        if !Self.isObject(input) {
            faults.add(
                "the input of an action is an object: write {\"type\": \"object\", \"properties\": …}",
                at: pointer.appending("input"))
        }
        action.lets = lets(object["let"], at: pointer.appending("let"))
        action.guards = guards(object["require"], at: pointer.appending("require"))
        actionSteps = 0
        if let steps = object["do"] {
            action.steps = self.steps(steps, at: pointer.appending("do"), depth: 0)
            if actionSteps > DocumentLimits.actionSteps {
                faults.add(
                    "the action has \(actionSteps) steps; the limit is \(DocumentLimits.actionSteps)",
                    at: pointer.appending("do"))
            }
        } else {
            missing("do", at: pointer)
        }
        action.answer = expression(ifThere: object, "answer", at: pointer)
        action.allow = expression(ifThere: object, "allow", at: pointer)
        action.isPredicted = truth(object["predict"], at: pointer.appending("predict"), "predict", true)
        return action
    }

    /// Returns true if a schema permits objects only.
    private static func isObject(_ schema: JSON) -> Bool {
        if schema["$ref"] != nil { return true }
        if let type = schema["type"] { return type == "object" || type == ["object"] }
        return schema["properties"] != nil
    }

    private mutating func lets(
        _ json: JSON?, at pointer: JSONPointer
    ) -> [(name: WrittenName, value: WrittenExpression)] {
        guard let json, let elements = list(json, at: pointer, "let", limit: DocumentLimits.lets) else { return [] }
        var lets: [(name: WrittenName, value: WrittenExpression)] = []
        for (index, element) in elements.enumerated() {
            let place = pointer.appending("\(index)")
            guard let object = object(element, at: place, "a let") else { continue }
            refuseOthers(in: object, than: Keywords.binding, at: place)
            let name = variableName(object["name"], at: place.appending("name"), "name")
            guard let value = expression(object, "is", at: place), let name else { continue }
            lets.append((name, value))
        }
        return lets
    }

    /// Reads the name of a variable of expressions.
    private mutating func variableName(_ json: JSON?, at pointer: JSONPointer, _ member: String) -> WrittenName? {
        guard let name = name(json, at: pointer, member) else { return nil }
        guard !Self.ownNames.contains(name) else {
            faults.add("expressions use the name \(name) otherwise", at: pointer)
            return nil
        }
        return WrittenName(name: name, pointer: pointer)
    }

    /// Reads the name of a parameter of a definition. It may hide names of expressions, but no word of CEL.
    mutating func parameterName(_ name: String, at pointer: JSONPointer) -> String? {
        guard let name = self.name(.string(name), at: pointer, "parameter") else { return nil }
        guard name == "row" || name == "key" || name == "input" || !Self.ownNames.contains(name) else {
            faults.add("expressions use the name \(name) otherwise", at: pointer)
            return nil
        }
        return name
    }

    /// The names that no `let` and no `as` can have: those of expressions, and CEL's words.
    private static let ownNames: Set<String> = [
        "state", "given", "input", "views", "row", "key", "space", "token", "now", "newId", "joined", "old", "true",
        "false", "null", "in", "as", "break", "const", "continue", "else", "for", "function", "if", "import", "let",
        "loop", "package", "namespace", "return", "var", "void", "while", "cel", "math", "strings", "lists", "sets",
        "base64", "int", "uint", "double", "bool", "string", "bytes", "list", "map", "type", "decimal",
    ]

    /// Reads a list with at most `limit` elements.
    mutating func list(_ json: JSON, at pointer: JSONPointer, _ words: String, limit: Int) -> [JSON]? {
        guard let elements = array(json, at: pointer, words) else { return nil }
        guard elements.count <= limit else {
            faults.add("\(words) has \(elements.count) elements; the limit is \(limit)", at: pointer)
            return nil
        }
        return elements
    }

    private mutating func guards(_ json: JSON?, at pointer: JSONPointer) -> [WrittenGuard] {
        guard let json, let elements = list(json, at: pointer, "require", limit: DocumentLimits.guards) else {
            return []
        }
        var guards: [WrittenGuard] = []
        for (index, element) in elements.enumerated() {
            let place = pointer.appending("\(index)")
            guard let object = object(element, at: place, "a guard") else { continue }
            refuseOthers(in: object, than: Keywords.guarding, at: place)
            let that = expression(object, "that", at: place)
            guard let json = object["else"] else {
                missing("else", at: place)
                continue
            }
            guard let refusal = refusal(json, at: place.appending("else")), let that else { continue }
            guards.append(
                WrittenGuard(that: that, status: refusal.status, detail: refusal.detail, pointer: refusal.pointer))
        }
        return guards
    }

    private mutating func refusal(
        _ json: JSON, at pointer: JSONPointer
    ) -> (status: Int, detail: WrittenExpression, pointer: JSONPointer?)? {
        guard let object = object(json, at: pointer, "else") else { return nil }
        refuseOthers(in: object, than: Keywords.refusal, at: pointer)
        var status = 409
        if let json = object["status"] {
            if case .number(let number) = json, let code = number.int64, [403, 409, 422].contains(code) {
                status = Int(code)
            } else {
                faults.add(
                    "the status of a refusal is 403, 409 or 422", at: pointer.appending("status"),
                    allowed: ["403", "409", "422"])
            }
        }
        var place: JSONPointer?
        if let json = object["pointer"], let text = text(json, at: pointer.appending("pointer"), "pointer") {
            place = JSONPointer(text: text)
            if place == nil {
                faults.add("a pointer is empty or begins with /, as in /id", at: pointer.appending("pointer"))
            }
        }
        guard let detail = expression(object, "detail", at: pointer) else { return nil }
        return (status, detail, place)
    }

    // MARK: Steps

    /// Reads a list of steps.
    mutating func steps(_ json: JSON, at pointer: JSONPointer, depth: Int) -> [WrittenStep] {
        guard let elements = array(json, at: pointer, "do") else { return [] }
        guard depth < DocumentLimits.stepNesting else {
            faults.add("steps are nested more than \(DocumentLimits.stepNesting) deep", at: pointer)
            return []
        }
        var steps: [WrittenStep] = []
        for (index, element) in elements.enumerated() {
            actionSteps += 1
            // The fault is added once, after all steps are counted.
            guard actionSteps <= DocumentLimits.actionSteps else { continue }
            let place = pointer.appending("\(index)")
            guard let object = object(element, at: place, "a step") else { continue }
            if let form = step(object, at: place, depth: depth) {
                steps.append(WrittenStep(pointer: place, form: form))
            }
        }
        return steps
    }

    private mutating func step(
        _ object: JSON.Object, at pointer: JSONPointer, depth: Int
    ) -> WrittenStep.WrittenStepForm? {
        guard let (name, members) = Keywords.steps.first(where: { object[$0.name] != nil }) else {
            let names = Keywords.steps.map(\.name)
            if let member = object.first {
                faults.unknown("step", member.key, names, at: pointer.appending(member.key))
            } else {
                faults.add("a step has one of \(names.joined(separator: ", "))", at: pointer, allowed: names)
            }
            return nil
        }
        refuseOthers(in: object, than: members, at: pointer)
        switch name {
        case "set":
            guard let target = reference(object["set"], "set", at: pointer),
                let value = expression(object, "to", at: pointer)
            else { return nil }
            return .set(target, to: value)
        case "put", "update", "remove":
            let target = reference(object[name], name, at: pointer)
            let key = expression(object, "key", at: pointer)
            let member = name == "put" ? "row" : "with"
            let value = name == "remove" ? nil : expression(object, member, at: pointer)
            guard let target, let key else { return nil }
            if name == "remove" { return .remove(target, key: key) }
            guard let value else { return nil }
            return name == "put" ? .put(target, key: key, row: value) : .update(target, key: key, with: value)
        case "clear": return reference(object["clear"], "clear", at: pointer).map { .clear($0) }
        case "when":
            let condition = expression(object, "when", at: pointer)
            if object["do"] == nil { missing("do", at: pointer) }
            let then = object["do"].map { steps($0, at: pointer.appending("do"), depth: depth + 1) } ?? []
            let otherwise = object["else"].map { steps($0, at: pointer.appending("else"), depth: depth + 1) } ?? []
            return condition.map { .choice(when: $0, then: then, otherwise: otherwise) }
        case "call": return call(object, at: pointer)
        default:
            let list = expression(object, "each", at: pointer)
            let name = variableName(object["as"], at: pointer.appending("as"), "as")
            if object["do"] == nil { missing("do", at: pointer) }
            let body = object["do"].map { steps($0, at: pointer.appending("do"), depth: depth + 1) } ?? []
            guard let list, let name else { return nil }
            return .each(list, name: name, steps: body)
        }
    }
}
