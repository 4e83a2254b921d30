import Expressions
internal import Ground
import JSON

extension SchemaReader {
    mutating func kinds(_ value: JSON, at pointer: JSONPointer) -> Set<SchemaKind>? {
        var names: [(JSON, JSONPointer)] = [(value, pointer)]
        if case .array(let elements) = value {
            names = elements.enumerated().map { ($1, pointer.appending("\($0)")) }
            if elements.isEmpty { add("type takes a type or a list of types", at: pointer) }
        }
        var kinds: Set<SchemaKind> = []
        for (name, place) in names {
            let all = SchemaKind.allCases.map(\.rawValue)
            guard case .string(let text) = name else {
                add("type takes a type or a list of types", at: place, allowed: all)
                continue
            }
            guard let kind = SchemaKind(rawValue: text) else {
                unknown("type", text, all, at: place)
                continue
            }
            if !kinds.insert(kind).inserted { add("the type \(text) is in the list twice", at: place) }
        }
        return kinds.isEmpty ? nil : kinds
    }

    mutating func names(_ value: JSON, at pointer: JSONPointer) -> [String] {
        guard case .array(let elements) = value else {
            add("required takes a list of member names", at: pointer)
            return []
        }
        var names: [String] = []
        var known: Set<String> = []
        for (place, element) in elements.enumerated() {
            guard case .string(let name) = element else {
                add("required takes a list of member names", at: pointer.appending("\(place)"))
                continue
            }
            if known.insert(name).inserted {
                names.append(name)
            } else {
                add("the name \"\(name.prefix(64))\" is in the list twice", at: pointer.appending("\(place)"))
            }
        }
        return names
    }

    mutating func number(_ value: JSON, _ name: String, at pointer: JSONPointer) -> Decimal? {
        if case .number(let number) = value { return number }
        add("\(name) takes a number", at: pointer)
        return nil
    }

    mutating func count(_ value: JSON, _ name: String, at pointer: JSONPointer) -> Int? {
        if case .number(let number) = value, let count = number.int64, count >= 0 { return Int(count) }
        add("\(name) takes a whole number of 0 or more", at: pointer)
        return nil
    }

    mutating func truth(_ value: JSON, _ name: String, at pointer: JSONPointer) -> Bool {
        if case .bool(let truth) = value { return truth }
        add("\(name) takes true or false", at: pointer)
        return false
    }

    mutating func pattern(_ value: JSON, at pointer: JSONPointer) -> TextPattern? {
        guard case .string(let source) = value else {
            add("pattern takes a regular expression", at: pointer)
            return nil
        }
        do throws(EvaluationFailure) {
            return try TextPattern(source)
        } catch {
            add(error.description, at: pointer)
            return nil
        }
    }

    mutating func format(_ value: JSON, at pointer: JSONPointer) -> SchemaFormat? {
        let all = SchemaFormat.allCases.map(\.rawValue)
        guard case .string(let text) = value else {
            add("format takes a name", at: pointer, allowed: all)
            return nil
        }
        if let format = SchemaFormat(rawValue: text) { return format }
        unknown("format", text, all, at: pointer)
        return nil
    }

    /// Checks keywords that depend on each other.
    mutating func checkTogether(_ parts: SchemaParts, at pointer: JSONPointer) {
        if case .refused = parts.additional, parts.reference == nil, !parts.properties.isEmpty {
            let names = parts.properties.map(\.name)
            let known = Set(names)
            for (place, name) in parts.required.enumerated() where !known.contains(name) {
                guard listsFaults else { break }
                let hint = Spelling.nearest(to: name, among: names).map { "; did you mean \($0)?" } ?? ""
                add(
                    "the required member \"\(name.prefix(64))\" is not in properties\(hint)",
                    at: pointer.appending("required").appending("\(place)"), allowed: names)
            }
        }
        switch parts.format {
        case .decimal where parts.kinds.map { $0.isDisjoint(with: [.number, .integer]) } ?? true:
            add("the format decimal needs the type number or integer", at: pointer.appending("format"))
        case .dateTime?, .date?, .uuid?:
            if let kinds = parts.kinds, !kinds.contains(.string) {
                add("the format needs the type string", at: pointer.appending("format"))
            }
        default: break
        }
    }

    /// Returns the fault of a default that does not satisfy its schema.
    static func defaultFault(_ schema: ValueSchema, at pointer: JSONPointer) -> SchemaFault? {
        if let value = schema.defaultValue, let fault = schema.fault(in: schema.filled(value)) {
            return SchemaFault(
                "the default does not satisfy its schema: \(fault)",
                at: JSONPointer(pointer.tokens + ["default"] + fault.pointer.tokens), allowed: fault.allowed)
        }
        for property in schema.properties {
            let place = pointer.appending("properties").appending(property.name)
            if let fault = defaultFault(property.schema, at: place) { return fault }
        }
        if let items = schema.items, let fault = defaultFault(items, at: pointer.appending("items")) { return fault }
        if case .values(let values) = schema.additional {
            return defaultFault(values, at: pointer.appending("additionalProperties"))
        }
        return nil
    }
}
