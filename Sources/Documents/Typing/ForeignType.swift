import Expressions
import JSON

extension ExpressionType {
    /// The type of the values of a schema that is not of this subset, as that of a feature in Swift. What it does not
    /// understand is `dyn`.
    init(ofForeign schema: JSON, depth: Int = 0) {
        self = depth < 16 ? Self.foreign(schema, depth) : .dyn
    }

    private static func foreign(_ schema: JSON, _ depth: Int) -> ExpressionType {
        if case .array(let forms)? = schema["anyOf"], forms.count == 2, forms[1] == ["type": "null"] {
            return ExpressionType(ofForeign: forms[0], depth: depth + 1).orNull
        }
        var names: [String] = []
        switch schema["type"] {
        case .string(let name)?: names = [name]
        case .array(let list)?:
            names = list.compactMap { if case .string(let name) = $0 { name } else { nil } }
        default: return .dyn
        }
        let kinds = names.filter { $0 != "null" }
        guard kinds.count == 1 else { return kinds.isEmpty && !names.isEmpty ? .null : .dyn }
        let type = foreign(kinds[0], schema, depth)
        return names.count > 1 ? type.orNull : type
    }

    private static func foreign(_ kind: String, _ schema: JSON, _ depth: Int) -> ExpressionType {
        switch kind {
        case "boolean": return .bool
        case "integer": return .int
        // The numbers of features in Swift are exact.
        case "number": return .decimal
        case "string":
            guard case .array(let choices)? = schema["enum"] else { return .string }
            return .text(TypeNote(choices.compactMap { if case .string(let text) = $0 { text } else { nil } }))
        case "array": return .list(schema["items"].map { ExpressionType(ofForeign: $0, depth: depth + 1) } ?? .dyn)
        case "object":
            guard case .object(let properties)? = schema["properties"], !properties.isEmpty else {
                switch schema["additionalProperties"] {
                case .object?:
                    return .map(
                        key: .string,
                        value: ExpressionType(ofForeign: schema["additionalProperties"] ?? [:], depth: depth + 1))
                default: return .map(key: .string, value: .dyn)
                }
            }
            var required: [JSON] = []
            if case .array(let names)? = schema["required"] { required = names }
            return .object(
                ObjectType(
                    properties.map {
                        ObjectType.TypedMember(
                            $0.key, ExpressionType(ofForeign: $0.value, depth: depth + 1),
                            isOptional: !required.contains(.string($0.key)))
                    }, title: schema["title"].flatMap { if case .string(let title) = $0 { title } else { nil } }))
        default: return .dyn
        }
    }
}
