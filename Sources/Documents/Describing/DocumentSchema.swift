package import JSON
import Schemas

/// The JSON Schema of documents, for editors. It has a form and a description for each member that the reader knows.
package enum DocumentSchema {
    /// The path under which the server serves the schema.
    package static let path = "/schemas/feature.json"

    /// A member of a part: its form, in words that `form(of:)` reads, and its description.
    struct DescribedMember {
        let part: String
        let name: String
        let form: String
        let isRequired: Bool
        let description: String
    }

    /// The members, in the order of the lines of `lines`.
    static let members: [DescribedMember] = lines.split(separator: "\n").map { line in
        let cells = line.split(separator: "|", maxSplits: 3).map { cell in
            String(cell.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
        }
        let isRequired = cells[2].hasSuffix("!")
        return DescribedMember(
            part: cells[0], name: cells[1], form: isRequired ? String(cells[2].dropLast()) : cells[2],
            isRequired: isRequired, description: cells[3])
    }

    /// The schema.
    package static let json: JSON = {
        var definitions = JSON.Object()
        for part in Keywords.all where part.part != "document" {
            definitions[name(part.part)] = .object(object(part.part, part.names))
        }
        definitions["schema"] = .object(object("schema", SchemaReader.keywords))
        definitions["step"] = alternatives(Keywords.steps.map { "step \($0.name)" })
        definitions["sort"] = alternatives(["cel", "element of sort"])
        definitions["cel"] = [
            "type": "string", "format": "cel", "contentMediaType": "text/x-cel",
            "description": "An expression of CEL, the Common Expression Language.",
        ]
        definitions["template"] = [
            "type": "string", "format": "cel-template",
            "description": "A text in which each pair of braces holds an expression of CEL.",
        ]
        definitions["name"] = [
            "type": "string", "pattern": "^[A-Za-z][A-Za-z0-9]*$",
            "maxLength": .number(Decimal(DocumentLimits.nameLength)),
        ]
        var schema = JSON.Object()
        schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
        schema["$id"] = .string(path)
        schema["title"] = "A feature document of Headwater"
        for member in object("document", Keywords.document) { schema[member.key] = member.value }
        schema["$defs"] = .object(definitions)
        return .object(schema)
    }()

    /// Returns the schema of an object with the members of a part, and no others.
    private static func object(_ part: String, _ names: [String]) -> JSON.Object {
        let own = members.filter { $0.part == part }
        var properties = JSON.Object()
        for name in names {
            guard let member = own.first(where: { $0.name == name }) else {
                properties[name] = [:]
                continue
            }
            var form = form(of: member.form)
            form["description"] = .string(member.description)
            properties[name] = .object(form)
        }
        var object = JSON.Object()
        object["type"] = "object"
        object["properties"] = .object(properties)
        let required = own.filter { $0.isRequired && names.contains($0.name) }
        if !required.isEmpty { object["required"] = .array(required.map { .string($0.name) }) }
        object["additionalProperties"] = false
        return object
    }

    /// The forms that have a name.
    private static let simple: [String: JSON] = [
        "anything": [:], "text": ["type": "string"], "truth": ["type": "boolean"], "number": ["type": "number"],
        "count": ["type": "integer", "minimum": 0], "object": ["type": "object"],
    ]

    /// Reads a form: `text`, `truth`, `count`, `number`, `object`, `anything`; `"a" "b"`, one of some words; `[FORM]`, a
    /// list; `{FORM}`, an object by names; else the names of parts with `or` between them.
    private static func form(of words: String) -> JSON.Object {
        if case .object(let form)? = simple[words] { return form }
        var form = JSON.Object()
        let inner = String(words.dropFirst().dropLast())
        switch words.first {
        case "\"":
            let choices = words.split(separator: "\"").filter { $0 != " " }
            form["enum"] = .array(choices.map { .string(String($0)) })
        case "[":
            form["type"] = "array"
            form["items"] = .object(Self.form(of: inner))
        case "{":
            form["type"] = "object"
            form["additionalProperties"] = .object(Self.form(of: inner))
        default:
            let parts = words.split(separator: " or ").map(String.init)
            if case .object(let alternatives) = alternatives(parts) { form = alternatives }
        }
        return form
    }

    private static func alternatives(_ parts: [String]) -> JSON {
        let references = parts.map { part -> JSON in
            if let simple = simple[part] { return simple }
            if let first = part.first, "[{".contains(first) { return .object(form(of: part)) }
            return ["$ref": .string("#/$defs/\(name(part))")]
        }
        return references.count == 1 ? references[0] : ["anyOf": .array(references)]
    }

    /// Returns the name of a part's definition.
    private static func name(_ part: String) -> String {
        part.split(separator: " ").joined(separator: "-")
    }
}
