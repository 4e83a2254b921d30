package import JSON

extension ValueSchema {
    /// Returns a value with the defaults of its missing members. A value that does not satisfy the schema is filled as
    /// far as possible.
    package func filled(_ value: JSON) -> JSON {
        var value = reference?.schema.filled(value) ?? value
        if let nullable, value != .null { value = nullable.filled(value) }
        if let branch = union?.branch(of: value) { value = branch.schema.filled(value) }
        switch value {
        case .object(var object):
            for property in properties {
                if let member = object[property.name] {
                    if property.schema.mayFill { object[property.name] = property.schema.filled(member) }
                } else if let fallback = property.schema.memberDefault {
                    object[property.name] = property.schema.filled(fallback)
                }
            }
            if case .values(let schema) = additional, schema.mayFill {
                for member in object where property(member.key) == nil {
                    object[member.key] = schema.filled(member.value)
                }
            }
            return .object(object)
        case .array(let elements):
            guard let items, items.mayFill else { return value }
            return .array(elements.map { items.filled($0) })
        default: return value
        }
    }

    /// The default of a member with this schema: its own, or that of its named type.
    package var memberDefault: JSON? { defaultValue ?? reference?.schema.memberDefault }

    /// True if values may have members or elements to fill.
    private var mayFill: Bool {
        if !properties.isEmpty || items != nil || reference != nil || union != nil || nullable != nil { return true }
        if case .values = additional { return true }
        return false
    }
}
