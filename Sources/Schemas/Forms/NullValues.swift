import JSON

/// Null among the values of a schema.
extension ValueSchema {
    /// True if the schema permits null and says so: by `type`, `enum`, `const`, or a named type that does. A schema that
    /// names neither types nor values permits null without saying so.
    package var namesNull: Bool { fault(in: .null) == nil && mentionsNull }

    private var mentionsNull: Bool {
        kinds?.contains(.null) ?? false || choices?.contains(.null) ?? false || constant == .null
            || reference?.schema.mentionsNull ?? false || nullable != nil
    }

    /// The same schema without null among its values.
    package var withoutNull: ValueSchema {
        var parts = SchemaParts()
        if let nullable { return nullable.withoutNull }
        parts.reference = reference.map { ($0.name, $0.schema.withoutNull) }
        parts.union = union
        parts.kinds = (kinds ?? Set(SchemaKind.allCases)).subtracting([.null])
        (parts.properties, parts.required, parts.additional) = (properties, required, additional)
        (parts.items, parts.choices, parts.constant) = (items, choices?.filter { $0 != .null }, constant)
        (parts.numbers, parts.texts, parts.lists) = (numbers, texts, lists)
        (parts.format, parts.defaultValue, parts.isPrivate) = (format, defaultValue, isPrivate)
        return ValueSchema(parts)
    }
}
