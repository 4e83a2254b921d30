public import JSON

/// The JSON Schema of definitions, from the same list that they are read by.
public enum DefinitionSchema {
    /// A definition.
    public static var definition: JSON {
        [
            "type": "object",
            "properties": [
                "id": ["type": "string", "pattern": .string(Identifier.pattern)],
                "name": ["type": ["string", "null"], "maxLength": .number(Decimal(Limits.nameCharacters))],
                "description": ["type": ["string", "null"], "maxLength": .number(Decimal(Limits.descriptionCharacters))],
                "stream": items,
                "source": reference("StreamSource"),
                "operators": operators,
            ],
            "required": ["id"],
            "oneOf": [["required": ["stream"]], ["required": ["source"]]],
            "additionalProperties": false,
        ]
    }

    /// The schemas that a definition's refers to, by their names among an OpenAPI document's components.
    public static var components: JSON.Object {
        var components = JSON.Object()
        components["StreamDefinition"] = definition
        components["StreamSource"] = source
        components["StreamOperator"] = operatorSchema
        return components
    }

    private static func reference(_ name: String) -> JSON { ["$ref": .string("#/components/schemas/\(name)")] }

    private static var operators: JSON {
        ["type": "array", "maxItems": .number(Decimal(Limits.operators)), "items": reference("StreamOperator")]
    }

    private static var items: JSON {
        let item: JSON = [
            "type": "object", "properties": ["value": [:], "operators": operators], "required": ["value"], "additionalProperties": false,
        ]
        return ["type": "array", "maxItems": .number(Decimal(Limits.items)), "items": item]
    }

    private static func object(_ properties: JSON.Object, required: [String]) -> JSON {
        var schema = JSON.Object()
        schema["type"] = "object"
        schema["properties"] = .object(properties)
        if !required.isEmpty { schema["required"] = .array(required.map { .string($0) }) }
        schema["additionalProperties"] = false
        return .object(schema)
    }

    private static func only(_ name: String, _ schema: JSON) -> JSON {
        var properties = JSON.Object()
        properties[name] = schema
        return object(properties, required: [name])
    }

    private static var source: JSON {
        var forms: [JSON] = []
        for form in Source.forms {
            switch form {
            case "stream": forms.append(pipeline(from: "stream", items))
            case "source": forms.append(pipeline(from: "source", reference("StreamSource")))
            case "view", "ref", "input": forms.append(only(form, ["type": "string"]))
            default:
                forms.append(
                    only(
                        form,
                        [
                            "type": "array", "minItems": 1, "maxItems": .number(Decimal(Limits.joinedSources)),
                            "items": reference("StreamSource"),
                        ]))
            }
        }
        return ["oneOf": .array(forms)]
    }

    private static func pipeline(from name: String, _ schema: JSON) -> JSON {
        var properties = JSON.Object()
        properties[name] = schema
        properties["operators"] = operators
        return object(properties, required: [name])
    }

    /// Each form of each operator.
    private static var operatorSchema: JSON {
        let forms = OperatorForm.all.map { form -> JSON in
            var properties = JSON.Object()
            for parameter in form.parameters { properties[parameter.name] = parameter.schema }
            return only(form.name, object(properties, required: form.parameters.filter(\.isRequired).map(\.name)))
        }
        return ["oneOf": .array(forms)]
    }
}
