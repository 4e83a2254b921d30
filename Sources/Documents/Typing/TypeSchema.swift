import Expressions
import JSON

extension ExpressionType {
    /// The schema of a view's values, as clients see them.
    var clientSchema: JSON { clientSchema(depth: 0) }

    private func clientSchema(depth: Int) -> JSON {
        guard depth < 16 else { return [:] }
        switch self {
        case .dyn: return [:]
        case .null: return ["type": "null"]
        case .bool: return ["type": "boolean"]
        case .int, .uint: return ["type": "integer"]
        case .double: return ["type": "number"]
        case .decimal: return ["type": "number", "format": "decimal"]
        case .text(let choices):
            guard let texts = choices.content else { return ["type": "string"] }
            return ["type": "string", "enum": .array(texts.map { .string($0) })]
        case .type, .bytes, .duration: return ["type": "string"]
        case .timestamp: return ["type": "string", "format": "date-time"]
        case .list(let element): return ["type": "array", "items": element.clientSchema(depth: depth + 1)]
        case .map(_, let value):
            return ["type": "object", "additionalProperties": value.clientSchema(depth: depth + 1)]
        // No value has these types: the rows of an index are a map where they leave an expression.
        case .index, .range: return [:]
        case .nullable(let type): return ["anyOf": [type.clientSchema(depth: depth + 1), ["type": "null"]]]
        case .object(let object) where object.union != nil:
            guard let union = object.union else { return [:] }
            var schema = JSON.Object()
            if let title = object.title.content { schema["title"] = .string(title) }
            schema["oneOf"] = .array(
                union.branches.map { branch in
                    Self.object(branch.type, [union.discriminator: branch.value], depth: depth)
                })
            schema["discriminator"] = ["propertyName": .string(union.discriminator)]
            return .object(schema)
        case .object(let object): return Self.object(object, [:], depth: depth)
        }
    }

    private static func object(_ object: ObjectType, _ constants: [String: String], depth: Int) -> JSON {
        var properties = JSON.Object()
        for member in object.members {
            properties[member.name] =
                constants[member.name].map { ["type": "string", "const": .string($0)] }
                ?? member.type.clientSchema(depth: depth + 1)
        }
        var schema = JSON.Object()
        if let title = object.title.content { schema["title"] = .string(title) }
        schema["type"] = "object"
        schema["properties"] = .object(properties)
        let required = object.members.filter { !$0.isOptional }.map { JSON.string($0.name) }
        if !required.isEmpty { schema["required"] = .array(required) }
        return .object(schema)
    }
}
