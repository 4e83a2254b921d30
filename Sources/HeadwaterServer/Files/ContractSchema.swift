import JSON

/// The schemas of views and actions as the contract has them, in the forms that generators of clients read best.
enum ContractSchema {
    /// Returns the schema of an output. Clients tolerate unknown members; members with a default are always there; objects
    /// have a title, by which generators name their types.
    static func output(_ schema: JSON, title: String) -> JSON { shaped(schema, title) }

    /// Returns the schema of an input.
    static func input(_ schema: JSON) -> JSON { shaped(schema, nil) }

    /// Returns the title of a part: a word that begins with a capital letter.
    static func word(_ name: String) -> String {
        let letters = name.filter { $0.isASCII && ($0.isLetter || $0.isNumber) }
        return letters.prefix(1).uppercased() + letters.dropFirst()
    }

    /// `title` is nil for inputs.
    private static func shaped(_ schema: JSON, _ title: String?) -> JSON {
        guard case .object(let object) = schema else { return schema }
        var shown = JSON.Object()
        if let title, case .object(let properties)? = object["properties"], !properties.isEmpty {
            shown["title"] = object["title"] ?? .string(title)
        }
        for member in object {
            switch (member.key, member.value) {
            case ("title", _): shown["title"] = member.value
            case ("additionalProperties", .bool(false)) where title != nil: break
            case ("additionalProperties", _):
                shown["additionalProperties"] = shaped(member.value, title.map { $0 + "Value" })
            case ("items", _): shown["items"] = shaped(member.value, title.map { $0 + "Element" })
            case ("properties", .object(let properties)):
                var all = JSON.Object()
                for property in properties {
                    all[property.key] = shaped(property.value, title.map { $0 + word(property.key) })
                }
                shown["properties"] = .object(all)
            case ("oneOf", .array(let branches)), ("anyOf", .array(let branches)):
                let isAlone = branches.count(where: { $0["type"] != "null" }) == 1
                shown[member.key] = .array(
                    branches.enumerated().map { index, branch in
                        shaped(branch, title.map { isAlone ? $0 : "\($0)\(index + 1)" })
                    })
            default: shown[member.key] = member.value
            }
        }
        if title != nil { addRequired(&shown) }
        return .object(nullable(shown))
    }

    /// Adds the members with a default to those that are always there.
    private static func addRequired(_ schema: inout JSON.Object) {
        guard case .object(let properties)? = schema["properties"] else { return }
        var required: [JSON] = []
        if case .array(let names)? = schema["required"] { required = names }
        let all = properties.map { JSON.string($0.key) }.filter { name in
            guard case .string(let key) = name else { return false }
            return required.contains(name) || properties[key]?["default"] != nil
        }
        if !all.isEmpty { schema["required"] = .array(all) }
    }

    /// Returns `anyOf` with null as a list of types.
    private static func nullable(_ schema: JSON.Object) -> JSON.Object {
        guard case .array(let branches)? = schema["anyOf"], branches.count == 2,
            let null = branches.firstIndex(of: ["type": "null"]), case .object(let other) = branches[1 - null],
            let type = other["type"]
        else { return schema }
        var shown = JSON.Object()
        for member in schema where member.key != "anyOf" { shown[member.key] = member.value }
        for member in other { shown[member.key] = member.value }
        switch type {
        case .array(let types): shown["type"] = .array(types.contains("null") ? types : types + ["null"])
        default: shown["type"] = [type, "null"]
        }
        if case .array(let values)? = shown["enum"], !values.contains(.null) {
            shown["enum"] = .array(values + [.null])
        }
        return shown
    }
}
