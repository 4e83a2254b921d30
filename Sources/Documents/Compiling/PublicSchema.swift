import JSON
import Schemas

/// The schemas of a document as clients see them: with the named types in place of references, and without the words
/// that only documents have.
enum PublicSchema {
    /// Returns the JSON Schema for clients. References that go too deep become the empty schema.
    static func of(_ schema: JSON, _ types: JSON, depth: Int = 0) -> JSON {
        guard depth < SchemaLimits.nesting, case .object(let object) = schema else { return [:] }
        var shown = JSON.Object()
        if case .string(let reference)? = object["$ref"], let place = JSONPointer(text: String(reference.dropFirst())),
            place.tokens.count == 2, let type = types[place.tokens[1]],
            case .object(let named) = of(type, types, depth: depth + 1)
        {
            for member in named { shown[member.key] = member.value }
        }
        for member in object {
            switch member.key {
            case "$ref", "private", "was": break
            case "properties":
                guard case .object(let properties) = member.value else { break }
                var all = JSON.Object()
                for property in properties { all[property.key] = of(property.value, types, depth: depth + 1) }
                shown["properties"] = .object(all)
            case "oneOf":
                guard case .array(let branches) = member.value else { break }
                shown["oneOf"] = .array(branches.map { of($0, types, depth: depth + 1) })
            case "anyOf":
                guard case .array(let branches) = member.value,
                    let inner = branches.first(where: { $0 != ["type": "null"] }),
                    case .object(let named) = of(inner, types, depth: depth + 1)
                else { break }
                for member in named { shown[member.key] = member.value }
                switch named["type"] {
                case .string(let type)?: shown["type"] = [.string(type), "null"]
                case .array(let all)?: shown["type"] = .array(all.contains("null") ? all : all + ["null"])
                default: break
                }
                if let branches = named["oneOf"], case .array(let all) = branches {
                    shown["oneOf"] = .array(all + [["type": "null"]])
                }
            case "items": shown["items"] = of(member.value, types, depth: depth + 1)
            case "additionalProperties":
                if case .bool = member.value {
                    shown["additionalProperties"] = member.value
                } else {
                    shown["additionalProperties"] = of(member.value, types, depth: depth + 1)
                }
            default: shown[member.key] = member.value
            }
        }
        if object["properties"] != nil, object["additionalProperties"] == nil { shown["additionalProperties"] = false }
        return .object(shown)
    }
}
