import Ground
import JSON

/// The types of a server's features, from which code for clients is written: each record once and by name, inputs apart
/// from outputs.
struct TypeModel {
    /// The type of a value.
    indirect enum ValueForm: Hashable {
        case any, null, boolean, integer, number, decimal, string
        case literal([JSON])
        case list(ValueForm)
        case map(ValueForm)
        case record(String)
        case union([ValueForm])
    }

    /// A record: an object with named members.
    struct RecordType: Hashable {
        let name: String
        let fields: [Field]
    }

    /// A member of a record.
    struct Field: Hashable {
        let name: String
        let type: ValueForm
        let isRequired: Bool
    }

    /// A view, and the record of its parameters.
    struct ViewSignature {
        let feature: String
        let name: String
        let value: ValueForm
        let parameters: [Field]
    }

    /// An action, with its input and its result.
    struct ActionSignature {
        let feature: String
        let name: String
        let input: [Field]
        let inputName: String
        let result: ValueForm
    }

    private(set) var records: [RecordType] = []
    private(set) var views: [ViewSignature] = []
    private(set) var actions: [ActionSignature] = []
    /// A digest of the actions and views.
    let hash: String
    /// The hashes of the features, as `GET /v1` has them: the definitions for which the code is made.
    private(set) var hashes: [(feature: String, hash: String)] = []
    private var names: Set<String> = []
    private var known: [[Field]: String] = [:]

    /// The features of an index, as `GET /v1` has them.
    init(_ features: [JSON]) {
        var parts: [JSON] = []
        for feature in features {
            parts.append([
                "name": feature["name"] ?? .null, "actions": feature["actions"] ?? .null,
                "views": feature["views"] ?? .null,
            ])
        }
        hash = SHA256.digest(JSON.array(parts).written).prefix(8).map { byte in
            String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
        }.joined()
        for feature in features {
            guard case .string(let name)? = feature["name"] else { continue }
            if case .string(let hash)? = feature["hash"] { hashes.append((name, hash)) }
            for view in Self.list(feature["views"]) { add(view: view, of: name) }
            for action in Self.list(feature["actions"]) { add(action: action, of: name) }
        }
    }

    /// The hash of a feature; nil if the index has none.
    func hash(of feature: String) -> String? { hashes.first { $0.feature == feature }?.hash }

    private static func list(_ json: JSON?) -> [JSON] {
        if case .array(let elements)? = json { elements } else { [] }
    }

    private mutating func add(view: JSON, of feature: String) {
        guard case .string(let name)? = view["name"] else { return }
        let stem = Self.name(feature) + Self.name(name)
        views.append(
            ViewSignature(
                feature: feature, name: name, value: form(of: view["value"] ?? [:], named: stem, isInput: false),
                parameters: fields(of: view["parameters"] ?? [:], named: stem + "Parameters", isInput: true)))
    }

    private mutating func add(action: JSON, of feature: String) {
        guard case .string(let name)? = action["name"] else { return }
        let stem = Self.name(feature) + Self.name(name)
        let input = fields(of: action["parameters"] ?? [:], named: stem + "Input", isInput: true)
        actions.append(
            ActionSignature(
                feature: feature, name: name, input: input, inputName: stem + "Input",
                result: form(of: action["result"] ?? ["type": "null"], named: stem + "Result", isInput: false)))
        names.insert(stem + "Input")
    }

    /// Returns a word that begins with a capital letter.
    static func name(_ text: String) -> String {
        let letters = text.filter { $0.isASCII && ($0.isLetter || $0.isNumber) }
        return letters.prefix(1).uppercased() + letters.dropFirst()
    }

    // MARK: Schemas

    private mutating func fields(of schema: JSON, named stem: String, isInput: Bool) -> [Field] {
        guard case .object(let properties)? = schema["properties"] else { return [] }
        let required = Self.list(schema["required"])
        return properties.map { member in
            let isThere = required.contains(.string(member.key))
            // The server fills defaults, so that an output has them.
            let hasDefault = member.value["default"] != nil
            return Field(
                name: member.key,
                type: form(of: member.value, named: stem + Self.name(member.key), isInput: isInput),
                isRequired: isInput ? isThere && !hasDefault : isThere || hasDefault)
        }
    }

    private mutating func form(of schema: JSON, named stem: String, isInput: Bool) -> ValueForm {
        if let value = schema["const"] { return .literal([value]) }
        let choices = Self.list(schema["enum"])
        if !choices.isEmpty { return .literal(choices) }
        for word in ["anyOf", "oneOf"] {
            let branches = Self.list(schema[word])
            guard !branches.isEmpty else { continue }
            var forms: [ValueForm] = []
            for (index, branch) in branches.enumerated() {
                let isAlone = branches.count(where: { $0["type"] != "null" }) == 1
                let form = form(of: branch, named: isAlone ? stem : "\(stem)\(index + 1)", isInput: isInput)
                if !forms.contains(form) { forms.append(form) }
            }
            return forms.contains(.any) ? .any : forms.count == 1 ? forms[0] : .union(forms)
        }
        switch schema["type"] {
        case .string(let type)?: return form(of: schema, type, named: stem, isInput: isInput)
        case .array(let types)?:
            var forms: [ValueForm] = []
            for case .string(let type) in types {
                let form = form(of: schema, type, named: stem, isInput: isInput)
                if !forms.contains(form) { forms.append(form) }
            }
            return forms.count == 1 ? forms[0] : .union(forms)
        default: return schema["properties"] == nil ? .any : form(of: schema, "object", named: stem, isInput: isInput)
        }
    }

    private mutating func form(of schema: JSON, _ type: String, named stem: String, isInput: Bool) -> ValueForm {
        switch type {
        case "null": return .null
        case "boolean": return .boolean
        case "string": return .string
        case "integer": return .integer
        case "number": return schema["format"] == "decimal" ? .decimal : .number
        case "array":
            return .list(schema["items"].map { form(of: $0, named: stem + "Element", isInput: isInput) } ?? .any)
        case "object":
            guard case .object(let properties)? = schema["properties"], !properties.isEmpty else {
                guard case .object? = schema["additionalProperties"], let others = schema["additionalProperties"]
                else { return .map(.any) }
                return .map(form(of: others, named: stem + "Value", isInput: isInput))
            }
            return .record(record(fields(of: schema, named: stem, isInput: isInput), named: stem))
        default: return .any
        }
    }

    /// Returns the name of the record with some fields: that of an equal one, or a new one.
    private mutating func record(_ fields: [Field], named stem: String) -> String {
        if let name = known[fields] { return name }
        var name = stem
        var number = 2
        while names.contains(name) { (name, number) = ("\(stem)\(number)", number + 1) }
        names.insert(name)
        known[fields] = name
        records.append(RecordType(name: name, fields: fields))
        return name
    }
}
