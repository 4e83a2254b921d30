package import JSON

/// The JSON Schema of definitions, made from the catalog of operators that reads them.
///
/// Client generators make a class of an object with members, but fail on alternatives (`oneOf`) that refer to each
/// other. So each choice is an object with exactly one of its members, and keywords that generators ignore say the
/// rest.
package enum DefinitionSchema {
    /// A definition.
    package static var definition: JSON {
        [
            "type": "object",
            "properties": [
                "id": ["type": "string", "pattern": .string(Identifier.pattern)],
                "name": ["type": ["string", "null"], "maxLength": .number(Decimal(StreamLimits.nameCharacters))],
                "description": [
                    "type": ["string", "null"], "maxLength": .number(Decimal(StreamLimits.descriptionCharacters)),
                ],
                // Client generators refuse values of two types in one `enum`.
                "begin": [
                    "anyOf": [["type": "string", "enum": ["now"]], ["type": "integer", "enum": [0]]], "default": "now",
                    "description":
                        "Where a stream that remembers begins: with its definition, or with the history of the space.",
                ],
                "stream": items,
                "source": reference("StreamSource"),
                "operators": operators,
            ],
            "required": ["id"],
            "if": ["required": ["stream"]],
            "then": ["not": ["required": ["source"]]],
            "else": ["required": ["source"]],
            "additionalProperties": false,
        ]
    }

    /// The schemas of definitions, by their names in the components of an OpenAPI document.
    package static var components: JSON.Object {
        var components = JSON.Object()
        components["StreamDefinition"] = definition
        components["StreamItem"] = [
            "type": "object", "properties": ["value": [:], "operators": operators], "required": ["value"],
            "additionalProperties": false,
        ]
        components["StreamSource"] = source
        components["StreamOperator"] = operatorSchema
        return components
    }

    private static func reference(_ name: String) -> JSON { ["$ref": .string("#/components/schemas/\(name)")] }

    private static var operators: JSON {
        ["type": "array", "maxItems": .number(Decimal(StreamLimits.operators)), "items": reference("StreamOperator")]
    }

    private static var items: JSON {
        ["type": "array", "maxItems": .number(Decimal(StreamLimits.items)), "items": reference("StreamItem")]
    }

    /// An object of some of these members; `members` bounds their number.
    private static func object(
        _ properties: JSON.Object, required: [String] = [], members: ClosedRange<Int>? = nil
    ) -> JSON {
        var schema = JSON.Object()
        schema["type"] = "object"
        schema["properties"] = .object(properties)
        if !required.isEmpty { schema["required"] = .array(required.map { .string($0) }) }
        if let members {
            schema["minProperties"] = .number(Decimal(members.lowerBound))
            schema["maxProperties"] = .number(Decimal(members.upperBound))
        }
        schema["additionalProperties"] = false
        return .object(schema)
    }

    private static var source: JSON {
        var properties = JSON.Object()
        for form in PipelineSource.forms {
            properties[form] =
                switch form {
                case "stream": items
                case "source": reference("StreamSource")
                // openapi-generator takes texts without a description for nullable ones, and sends null.
                case "view": ["type": "string", "description": "The name of a view."]
                case "ref": ["type": "string", "description": "The id of a definition."]
                case "input": ["type": "string", "description": "The name of an input."]
                case "fold": fold
                default:
                    [
                        "type": "array", "minItems": 1, "maxItems": .number(Decimal(StreamLimits.joinedSources)),
                        "items": reference("StreamSource"),
                    ]
                }
        }
        properties["operators"] = operators
        properties["parameters"] = [
            "type": "object",
            "additionalProperties": ["title": "ViewParameter", "type": ["string", "number", "boolean"]],
            "description": "The parameters of the view.",
        ]
        guard case .object(var schema) = object(properties, members: 1...2) else { return [:] }
        schema["description"] =
            "One form of a source; `operators` stands beside `stream` and `source` alone, `parameters` beside `view`."
        schema["if"] = ["required": ["operators"]]
        schema["then"] = ["anyOf": [["required": ["stream"]], ["required": ["source"]]], "minProperties": 2]
        schema["else"] = [
            "if": ["required": ["parameters"]], "then": ["required": ["view"]], "else": ["maxProperties": 1],
        ]
        return .object(schema)
    }

    private static var fold: JSON {
        let changes: JSON = [
            "type": "array", "minItems": 1, "maxItems": .number(Decimal(StreamLimits.foldedActions)),
            "items": ["type": "string"], "description": "The actions whose commits count, as `feature/action`.",
        ]
        let expression: JSON = [
            "type": "string", "maxLength": .number(Decimal(StreamLimits.expressionCharacters)),
            "description": "An expression in CEL that sees `accumulated` and `change`.",
        ]
        var over = JSON.Object()
        over["changes"] = changes
        var properties = JSON.Object()
        properties["over"] = object(over, required: ["changes"])
        properties["initialValue"] = [:]
        properties["expression"] = expression
        return object(properties, required: PipelineSource.ChangeFold.members)
    }

    /// An object with one member, the operator.
    private static var operatorSchema: JSON {
        var properties = JSON.Object()
        for name in OperatorCatalog.all.names { properties[name] = parameters(of: OperatorCatalog.all[name]) }
        guard case .object(var schema) = object(properties, members: 1...1) else { return [:] }
        schema["description"] = "One operator, by its name."
        return .object(schema)
    }

    /// Returns the schema of the parameters of an operator. Precondition: if it has several forms, each has at most one
    /// parameter.
    private static func parameters(of forms: [OperatorForm]) -> JSON {
        var properties = JSON.Object()
        for parameter in forms.flatMap(\.parameters) { properties[parameter.name] = parameter.schema }
        if forms.count == 1 {
            return object(properties, required: forms[0].parameters.filter(\.isRequired).map(\.name))
        }
        let counts = forms.map(\.parameters.count)
        return object(properties, members: (counts.min() ?? 0)...(counts.max() ?? 0))
    }
}
