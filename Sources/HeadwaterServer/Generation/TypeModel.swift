import Ground
import JSON

/// The types of a server's features, from which code for clients is written: each type once and by its own name, inputs
/// apart from outputs.
struct TypeModel {
    /// The type of a value.
    indirect enum ValueForm: Hashable {
        case any, null, boolean, integer, number, decimal, string
        /// One value.
        case constant(JSON)
        /// One of some values, not all of them texts.
        case literals([JSON])
        case enumeration(String)
        case list(ValueForm)
        case map(ValueForm)
        case record(String)
        case variant(String)
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

    /// A list of texts.
    struct Enumeration {
        let name: String
        let texts: [String]
    }

    /// Records that the value of one member tells apart.
    struct Variant {
        let name: String
        let member: String
        let branches: [VariantBranch]
    }

    /// One of the records of a variant.
    struct VariantBranch: Hashable {
        let value: String
        let record: String
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
    private(set) var enumerations: [Enumeration] = []
    private(set) var variants: [Variant] = []
    private(set) var views: [ViewSignature] = []
    private(set) var actions: [ActionSignature] = []
    /// A digest of the actions and views.
    let hash: String
    /// The hashes of the features, as `GET /v1` has them: the definitions for which the code is made.
    private(set) var hashes: [(feature: String, hash: String)] = []
    private var names = TypeNames()

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
        for feature in features { names.noteTitles(in: feature) }
        // The types of outputs have the names of the documents; those of inputs that differ have others.
        var results: [ValueForm] = []
        for feature in features {
            guard case .string(let name)? = feature["name"] else { continue }
            if case .string(let hash)? = feature["hash"] { hashes.append((name, hash)) }
            for view in Self.list(feature["views"]) { add(view: view, of: name) }
            for case (.string(let action)?, let result) in Self.list(feature["actions"]).map({
                ($0["name"], $0["result"])
            }) {
                results.append(form(of: result ?? ["type": "null"], at: TypePlace(name, action).adding("Result")))
            }
        }
        results.reverse()
        for feature in features {
            guard case .string(let name)? = feature["name"] else { continue }
            for case (.string(let action)?, let input) in Self.list(feature["actions"]).map({
                ($0["name"], $0["parameters"])
            }) {
                let place = TypePlace(name, action)
                actions.append(
                    ActionSignature(
                        feature: name, name: action, input: fields(of: input ?? [:], at: place.asInput),
                        inputName: names.unique(place.adding("Input")), result: results.removeLast()))
            }
        }
    }

    /// The hash of a feature; nil if the index has none.
    func hash(of feature: String) -> String? { hashes.first { $0.feature == feature }?.hash }

    /// Returns the record with a name.
    func record(_ name: String) -> RecordType? { records.first { $0.name == name } }

    private static func list(_ json: JSON?) -> [JSON] {
        if case .array(let elements)? = json { elements } else { [] }
    }

    private mutating func add(view: JSON, of feature: String) {
        guard case .string(let name)? = view["name"] else { return }
        let place = TypePlace(feature, name)
        views.append(
            ViewSignature(
                feature: feature, name: name, value: form(of: view["value"] ?? [:], at: place),
                parameters: fields(of: view["parameters"] ?? [:], at: place.asInput)))
    }

    // MARK: Schemas

    private mutating func fields(of schema: JSON, at place: TypePlace) -> [Field] {
        guard case .object(let properties)? = schema["properties"] else { return [] }
        let required = Self.list(schema["required"])
        return properties.map { member in
            let isThere = required.contains(.string(member.key))
            // The server fills defaults, so that an output has them.
            let hasDefault = member.value["default"] != nil
            return Field(
                name: member.key, type: form(of: member.value, at: place.adding(member.key)),
                isRequired: place.isInput ? isThere && !hasDefault : isThere || hasDefault)
        }
    }

    private mutating func form(of schema: JSON, at outer: TypePlace) -> ValueForm {
        let place = outer.titled(schema["title"])
        if let value = schema["const"] { return .constant(value) }
        if let choices = choices(in: schema, at: place) { return choices }
        for word in ["anyOf", "oneOf"] {
            let branches = Self.list(schema[word])
            if !branches.isEmpty { return union(of: branches, schema["discriminator"], at: place) }
        }
        switch schema["type"] {
        case .string(let type)?: return form(of: schema, type, at: place)
        case .array(let types)?:
            return Self.union(
                types.compactMap { type in
                    if case .string(let type) = type { form(of: schema, type, at: place) } else { nil }
                })
        default: return schema["properties"] == nil ? .any : form(of: schema, "object", at: place)
        }
    }

    private mutating func choices(in schema: JSON, at place: TypePlace) -> ValueForm? {
        let choices = Self.list(schema["enum"])
        guard !choices.isEmpty else { return nil }
        let texts = choices.compactMap { if case .string(let text) = $0 { text } else { nil } }
        let hasNull = choices.contains(.null)
        guard !texts.isEmpty, texts.count + (hasNull ? 1 : 0) == choices.count else { return .literals(choices) }
        let (name, isNew) = names.enumeration(texts, place)
        if isNew { enumerations.append(Enumeration(name: name, texts: texts)) }
        return hasNull ? .union([.enumeration(name), .null]) : .enumeration(name)
    }

    private static func union(_ forms: [ValueForm]) -> ValueForm {
        var all: [ValueForm] = []
        for form in forms where !all.contains(form) { all.append(form) }
        return all.contains(.any) ? .any : all.count == 1 ? all[0] : .union(all)
    }

    private mutating func union(of branches: [JSON], _ discriminator: JSON?, at place: TypePlace) -> ValueForm {
        let others = branches.filter { $0["type"] != "null" }
        let null: [ValueForm] = others.count < branches.count ? [.null] : []
        if case .string(let member)? = discriminator?["propertyName"] {
            var found: [VariantBranch] = []
            for branch in others {
                guard case .string(let value)? = branch["properties"]?[member]?["const"],
                    case .record(let name) = form(of: branch, at: place.adding(value))
                else { continue }
                found.append(VariantBranch(value: value, record: name))
            }
            if found.count == others.count {
                let (name, isNew) = names.variant(found, place)
                if isNew { variants.append(Variant(name: name, member: member, branches: found)) }
                return Self.union([.variant(name)] + null)
            }
        }
        let forms = others.enumerated().map { index, branch in
            form(of: branch, at: others.count == 1 ? place : place.adding("\(index + 1)"))
        }
        return Self.union(forms + null)
    }

    private mutating func form(of schema: JSON, _ type: String, at place: TypePlace) -> ValueForm {
        switch type {
        case "null": return .null
        case "boolean": return .boolean
        case "string": return .string
        case "integer": return schema["format"] == "decimal" ? .decimal : .integer
        case "number": return schema["format"] == "decimal" ? .decimal : .number
        case "array": return .list(schema["items"].map { form(of: $0, at: place.ofElement($0)) } ?? .any)
        case "object":
            guard case .object(let properties)? = schema["properties"], !properties.isEmpty else {
                guard case .object? = schema["additionalProperties"], let others = schema["additionalProperties"]
                else { return .map(.any) }
                return .map(form(of: others, at: place.adding("Value")))
            }
            return .record(record(fields(of: schema, at: place), at: place))
        default: return .any
        }
    }

    /// Returns the name of the record with some fields: that of an equal one, or a new one.
    private mutating func record(_ fields: [Field], at place: TypePlace) -> String {
        let (name, isNew) = names.record(fields, place)
        if isNew { records.append(RecordType(name: name, fields: fields)) }
        return name
    }
}
