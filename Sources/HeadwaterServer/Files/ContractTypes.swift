import JSON

/// The types of views and actions as the contract has them, in the forms that generators of clients read best: objects
/// with members, unions and titled lists of texts are components with names, those of inputs apart from those of outputs.
struct ContractTypes {
    /// The components, by name.
    private(set) var components = JSON.Object()
    /// The names of the components that others have made.
    private let taken: Set<String>

    /// Begins with the names of other components.
    init(besides taken: Set<String>) { self.taken = taken }

    /// Returns the schema of values at a place: a reference, if it has a name. Clients tolerate unknown members of
    /// outputs, and members with a default are always there.
    mutating func type(of schema: JSON, at outer: TypePlace) -> JSON {
        guard case .object(let object) = Self.nullable(schema) else { return schema }
        let place = outer.titled(object["title"])
        var shown = JSON.Object()
        for member in object where member.key != "title" {
            shown[member.key] = part(member.key, member.value, at: place)
        }
        if !place.isInput { Self.addRequired(&shown) }
        let hasMembers = if case .object(let all)? = shown["properties"] { !all.isEmpty } else { false }
        guard hasMembers || object["discriminator"] != nil || object["title"] != nil && object["enum"] != nil else {
            return .object(shown)
        }
        if case .array? = shown["type"] {
            var named = JSON.Object()
            named["title"] = .string(place.qualified + "OrNull")
            for member in shown { named[member.key] = member.value }
            return .object(named)
        }
        return add(.object(shown), named: (object["enum"] == nil ? place : place.asOutput).qualified)
    }

    /// Adds a component, and returns a reference to it.
    mutating func add(_ schema: JSON, named wanted: String) -> JSON {
        var name = wanted
        var number = 2
        while taken.contains(name) || components[name] != nil && components[name] != schema {
            (name, number) = ("\(wanted)\(number)", number + 1)
        }
        components[name] = schema
        return ["$ref": .string("#/components/schemas/\(name)")]
    }

    private mutating func part(_ keyword: String, _ value: JSON, at place: TypePlace) -> JSON? {
        switch (keyword, value) {
        // The literal nil would be null of JSON.
        case ("additionalProperties", .bool(false)): return place.isInput ? value : JSON?.none
        case ("additionalProperties", .object): return type(of: value, at: place.adding("Value"))
        case ("items", _): return type(of: value, at: place.ofElement(value))
        case ("properties", .object(let properties)):
            var all = JSON.Object()
            for property in properties {
                all[property.key] = type(of: property.value, at: place.adding(property.key))
            }
            return .object(all)
        case ("oneOf", .array(let branches)), ("anyOf", .array(let branches)):
            let isAlone = branches.count(where: { $0["type"] != "null" }) == 1
            var all: [JSON] = []
            for (index, branch) in branches.enumerated() {
                all.append(
                    type(of: branch, at: isAlone ? place : place.adding(Self.word(of: branch) ?? "\(index + 1)")))
            }
            return .array(all)
        default: return value
        }
    }

    /// The text that tells a branch from others; nil if there is none.
    private static func word(of branch: JSON) -> String? {
        guard case .object(let properties)? = branch["properties"] else { return nil }
        for property in properties { if case .string(let text)? = property.value["const"] { return text } }
        return nil
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
    private static func nullable(_ schema: JSON) -> JSON {
        guard case .array(let branches)? = schema["anyOf"], branches.count == 2,
            let null = branches.firstIndex(of: ["type": "null"]), case .object(let other) = branches[1 - null],
            let type = other["type"], case .object(let object) = schema
        else { return schema }
        var shown = JSON.Object()
        for member in object where member.key != "anyOf" { shown[member.key] = member.value }
        for member in other { shown[member.key] = member.value }
        switch type {
        case .array(let types): shown["type"] = .array(types.contains("null") ? types : types + ["null"])
        default: shown["type"] = [type, "null"]
        }
        if case .array(let values)? = shown["enum"], !values.contains(.null) {
            shown["enum"] = .array(values + [.null])
        }
        return .object(shown)
    }
}
