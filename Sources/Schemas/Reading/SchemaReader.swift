import Expressions
internal import Ground
package import JSON

/// The reader of schemas. It collects all faults; a schema with faults must not be used.
package struct SchemaReader {
    /// The state of a named type.
    private enum NamedType {
        case unread(JSON)
        case underway
        case read(ValueSchema)
    }

    /// The faults, in the order in which they were found.
    package private(set) var faults: [SchemaFault] = []
    private var types: [String: NamedType] = [:]
    private let typeNames: [String]
    private let typesPointer: JSONPointer
    private var depth = 0

    /// Reads the named types, to which `$ref` refers as `#/types/NAME`. `pointer` is their place in the document.
    package init(types: JSON.Object = JSON.Object(), at pointer: JSONPointer = JSONPointer(["types"])) {
        typeNames = types.map(\.key)
        typesPointer = pointer
        for member in types { self.types[member.key] = .unread(member.value) }
        for name in typeNames {
            let before = faults.count
            guard let schema = type(name), faults.count == before, schema.isBounded else { continue }
            if let fault = Self.defaultFault(schema, at: pointer.appending(name)) { add(fault) }
        }
    }

    /// Reads a schema at a place in the document.
    package mutating func schema(_ json: JSON, at pointer: JSONPointer = JSONPointer()) -> ValueSchema {
        let before = faults.count
        let schema = read(json, at: pointer)
        if faults.count == before {
            if schema.weight > SchemaLimits.parts {
                add("the schema has more than \(SchemaLimits.parts) parts, with those of its types", at: pointer)
            } else if !schema.isBounded {
                addFilling("the schema", at: pointer)
            } else if let fallback = Self.defaultFault(schema, at: pointer) {
                add(fallback)
            }
        }
        return schema
    }

    private mutating func addFilling(_ what: String, at pointer: JSONPointer) {
        add("the defaults of \(what) put more than \(SchemaLimits.filling) values in place of one", at: pointer)
    }

    /// Returns the named type, or nil if there is none, or if it is being read.
    private mutating func type(_ name: String) -> ValueSchema? {
        switch types[name] {
        case .unread(let json):
            types[name] = .underway
            let schema = read(json, at: typesPointer.appending(name))
            types[name] = .read(schema)
            if schema.weight > SchemaLimits.parts {
                add("the type has more than \(SchemaLimits.parts) parts", at: typesPointer.appending(name))
            } else if !schema.isBounded {
                addFilling("the type", at: typesPointer.appending(name))
            }
            return schema
        case .read(let schema): return schema
        case .underway, nil: return nil
        }
    }

    private mutating func read(_ json: JSON, at pointer: JSONPointer) -> ValueSchema {
        var parts = SchemaParts()
        guard case .object(let object) = json else {
            add("a schema is an object such as {\"type\": \"string\"}, not \(json.kind.rawValue)", at: pointer)
            return ValueSchema(parts)
        }
        guard depth < SchemaLimits.nesting else {
            add("schemas are nested more than \(SchemaLimits.nesting) deep", at: pointer)
            return ValueSchema(parts)
        }
        depth += 1
        defer { depth -= 1 }
        for member in object { keyword(member.key, member.value, at: pointer.appending(member.key), &parts) }
        if !parts.properties.isEmpty || object["properties"] != nil, object["additionalProperties"] == nil {
            parts.additional = .refused
        }
        if object["oneOf"] != nil, !parts.branches.isEmpty {
            parts.union = readUnion(object, at: pointer, parts.branches)
        } else if object["discriminator"] != nil, object["oneOf"] == nil {
            add("discriminator is for oneOf", at: pointer.appending("discriminator"))
        }
        checkTogether(parts, at: pointer)
        return ValueSchema(parts)
    }

    private mutating func keyword(_ name: String, _ value: JSON, at pointer: JSONPointer, _ parts: inout SchemaParts) {
        switch name {
        case "$ref": reference(value, at: pointer, &parts)
        case "type": parts.kinds = kinds(value, at: pointer)
        case "properties": parts.properties = properties(value, at: pointer)
        case "required": parts.required = names(value, at: pointer)
        case "additionalProperties":
            switch value {
            case .bool(let truth): parts.additional = truth ? .anything : .refused
            default: parts.additional = .values(read(value, at: pointer))
            }
        case "items": parts.items = read(value, at: pointer)
        case "enum":
            if case .array(let values) = value, !values.isEmpty {
                parts.choices = values
            } else {
                add("enum takes a list of one or more values", at: pointer)
            }
        case "const": parts.constant = value
        case "minimum": parts.numbers.minimum = number(value, name, at: pointer)
        case "maximum": parts.numbers.maximum = number(value, name, at: pointer)
        case "exclusiveMinimum": parts.numbers.exclusiveMinimum = number(value, name, at: pointer)
        case "exclusiveMaximum": parts.numbers.exclusiveMaximum = number(value, name, at: pointer)
        case "multipleOf":
            parts.numbers.multipleOf = number(value, name, at: pointer)
            if let factor = parts.numbers.multipleOf, factor <= 0 {
                add("multipleOf takes a number greater than 0", at: pointer)
                parts.numbers.multipleOf = nil
            }
        case "minLength": parts.texts.least = count(value, name, at: pointer)
        case "maxLength": parts.texts.most = count(value, name, at: pointer)
        case "pattern": parts.texts.pattern = pattern(value, at: pointer)
        case "minItems": parts.lists.least = count(value, name, at: pointer)
        case "maxItems": parts.lists.most = count(value, name, at: pointer)
        case "uniqueItems": parts.lists.isUnique = truth(value, name, at: pointer)
        case "format": parts.format = format(value, at: pointer)
        case "default": parts.defaultValue = value
        case "private": parts.isPrivate = truth(value, name, at: pointer)
        case "oneOf":
            guard case .array(let branches) = value, !branches.isEmpty else {
                return add("oneOf takes a list of schemas", at: pointer)
            }
            for (index, branch) in branches.enumerated() {
                parts.branches.append(read(branch, at: pointer.appending("\(index)")))
            }
        case "anyOf": parts.nullable = nullable(value, at: pointer)
        case "discriminator": break
        case "was":
            if case .string(let was) = value, !was.isEmpty {
                parts.was = was
            } else {
                add("was takes the earlier name of the member", at: pointer)
            }
        default: unknown("keyword", name, Self.keywords, at: pointer)
        }
    }

    /// The keywords, in the order of the documentation.
    package static let keywords = [
        "type", "properties", "required", "additionalProperties", "items", "enum", "const", "minimum", "maximum",
        "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "pattern", "minItems",
        "maxItems", "uniqueItems", "format", "default", "private", "was", "oneOf",
        "discriminator", "anyOf", "$ref",
    ]

    private mutating func reference(_ value: JSON, at pointer: JSONPointer, _ parts: inout SchemaParts) {
        guard case .string(let text) = value, let place = JSONPointer(text: String(text.dropFirst())),
            text.hasPrefix("#/types/"), place.tokens.count == 2
        else {
            return add("$ref takes the place of a named type, as #/types/Card", at: pointer)
        }
        let name = place.tokens[1]
        if case .underway? = types[name] {
            return add("the type \(name) contains itself; write {} where any value may be", at: pointer)
        }
        guard let schema = type(name) else { return unknown("type", name, typeNames, at: pointer) }
        if depth + schema.depth > SchemaLimits.nesting {
            return add("schemas are nested more than \(SchemaLimits.nesting) deep, with their types", at: pointer)
        }
        parts.reference = (name, schema)
    }

    /// Reads `anyOf` of a schema and null.
    private mutating func nullable(_ value: JSON, at pointer: JSONPointer) -> ValueSchema? {
        guard case .array(let branches) = value, branches.count == 2,
            let null = branches.firstIndex(of: ["type": "null"])
        else {
            add("anyOf takes a schema and {\"type\": \"null\"}", at: pointer)
            return nil
        }
        return read(branches[1 - null], at: pointer.appending("\(1 - null)"))
    }

    private mutating func properties(_ value: JSON, at pointer: JSONPointer) -> [ValueSchema.Property] {
        guard case .object(let object) = value else {
            add("properties takes an object with a schema for each name", at: pointer)
            return []
        }
        var properties: [ValueSchema.Property] = []
        for member in object {
            properties.append(.init(name: member.key, schema: read(member.value, at: pointer.appending(member.key))))
        }
        var known: Set<String> = []
        for property in properties {
            guard let was = property.schema.was else { continue }
            let place = pointer.appending(property.name).appending("was")
            if object[was] != nil { add("\"\(was.prefix(64))\" is a member of this schema too", at: place) }
            if !known.insert(was).inserted { add("two members were \"\(was.prefix(64))\"", at: place) }
        }
        return properties
    }

    /// True if one more fault would be listed. A suggestion compares many names, so it is not made without need.
    package var listsFaults: Bool { faults.count < SchemaLimits.faults }

    mutating func unknown(_ what: String, _ name: String, _ allowed: [String], at pointer: JSONPointer) {
        guard listsFaults else { return }
        let hint = Spelling.nearest(to: name, among: allowed).map { "; did you mean \($0)?" } ?? ""
        add("there is no \(what) \"\(name.prefix(64))\"\(hint)", at: pointer, allowed: allowed)
    }

    mutating func add(_ description: String, at pointer: JSONPointer, allowed: [String] = []) {
        add(SchemaFault(description, at: pointer, allowed: allowed))
    }

    private mutating func add(_ fault: SchemaFault) {
        if listsFaults { faults.append(fault) }
    }
}

extension SchemaReader {
    /// Checks `oneOf` with its discriminator.
    mutating func readUnion(_ object: JSON.Object, at pointer: JSONPointer, _ branches: [ValueSchema]) -> SchemaUnion? {
        let place = pointer.appending("discriminator")
        guard let discriminator = object["discriminator"] else {
            add("oneOf needs \"discriminator\": {\"propertyName\": …}", at: pointer.appending("oneOf"))
            return nil
        }
        guard case .object(let members) = discriminator, case .string(let name)? = members["propertyName"] else {
            add("discriminator is an object with propertyName", at: place)
            return nil
        }
        for member in members where member.key != "propertyName" {
            unknown("member", member.key, ["propertyName"], at: place.appending(member.key))
        }
        var found: [SchemaUnion.SchemaBranch] = []
        for (index, schema) in branches.enumerated() {
            let place = pointer.appending("oneOf").appending("\(index)")
            guard case .string(let value)? = schema.anyProperty(name)?.onlyValue else {
                add("each branch is an object whose member \"\(name.prefix(64))\" has a const, a string", at: place)
                continue
            }
            if found.contains(where: { $0.value == value }) {
                add("two branches have the const \"\(value.prefix(64))\"", at: place)
            }
            found.append(.init(value: value, schema: schema))
        }
        return found.isEmpty ? nil : SchemaUnion(discriminator: name, branches: found)
    }
}
