import Expressions
package import JSON

/// A schema of values: the subset of JSON Schema that documents use. It never changes.
///
/// The one deviation from JSON Schema: an object with `properties` is closed unless `additionalProperties` is given.
package final class ValueSchema: Sendable {
    /// A named member of an object.
    package struct Property: Sendable {
        /// The name.
        package let name: String
        /// The schema of its values.
        package let schema: ValueSchema
    }

    /// The rule for members that `properties` does not name.
    package enum Additional: Sendable {
        case refused
        case anything
        case values(ValueSchema)
    }

    /// The named type that `$ref` refers to. Its rules hold besides the others.
    package let reference: (name: String, schema: ValueSchema)?
    /// The permitted types; nil for any.
    package let kinds: Set<SchemaKind>?
    /// The branches of `oneOf`; nil for none.
    package let union: SchemaUnion?
    /// The schema of the values beside null, of `anyOf`; nil without it.
    package let nullable: ValueSchema?
    /// The named members, in order.
    package let properties: [Property]
    /// The names of members that must be there.
    package let required: [String]
    /// The rule for other members.
    package let additional: Additional
    /// The schema of a list's elements.
    package let items: ValueSchema?
    /// The permitted values, from `enum`; nil for any.
    package let choices: [JSON]?
    /// The one permitted value.
    package let constant: JSON?
    let numbers: NumberRules
    let texts: TextRules
    let lists: ListRules
    /// The format of a text, or `decimal`.
    package let format: SchemaFormat?
    /// The value of a missing member.
    package let defaultValue: JSON?
    /// True if the member's values are withheld.
    package let isPrivate: Bool
    /// The name that the member had in earlier documents; nil for none.
    package let was: String?
    /// True if a member of it, or of a value in it, had another name.
    package let hasRenames: Bool
    /// The number of schemas in this one, with those of named types at each place that refers to them.
    let weight: Int
    /// The bounds of what its defaults add to values.
    let filling: FillingSize
    /// The nesting depth.
    let depth: Int
    private let places: [String: Int]

    init(_ parts: SchemaParts) {
        reference = parts.reference
        kinds = parts.kinds
        properties = parts.properties
        required = parts.required
        additional = parts.additional
        items = parts.items
        choices = parts.choices
        constant = parts.constant
        (numbers, texts, lists) = (parts.numbers, parts.texts, parts.lists)
        format = parts.format
        defaultValue = parts.defaultValue
        isPrivate = parts.isPrivate
        was = parts.was
        (union, nullable) = (parts.union, parts.nullable)
        var inner = properties.map(\.schema) + (parts.union?.branches.map(\.schema) ?? [])
        if let nullable = parts.nullable { inner.append(nullable) }
        if let items { inner.append(items) }
        if let reference { inner.append(reference.schema) }
        if case .values(let schema) = additional { inner.append(schema) }
        weight = inner.reduce(1) { min($0 + $1.weight, 1 << 30) }
        filling = FillingSize(parts)
        hasRenames = parts.properties.contains { $0.schema.was != nil } || inner.contains(where: \.hasRenames)
        depth = 1 + (inner.map(\.depth).max() ?? 0)
        places = Dictionary(properties.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Returns the schema of a named member.
    package func property(_ name: String) -> ValueSchema? { places[name].map { properties[$0].schema } }

    /// True if the schema and what its defaults add are within the limits.
    var isBounded: Bool { weight <= SchemaLimits.parts && filling.isBounded }

    /// True if `type` permits a kind of values.
    func permits(_ kind: SchemaKind) -> Bool { kinds?.contains(kind) ?? true }
}

/// A type that `type` names.
package enum SchemaKind: String, CaseIterable, Sendable {
    case null, boolean, integer, number, string, array, object

    /// The kind with its article.
    var phrase: String {
        switch self {
        case .null: "null"
        case .integer, .array, .object: "an \(rawValue)"
        case .boolean, .number, .string: "a \(rawValue)"
        }
    }
}

/// A format that `format` names.
package enum SchemaFormat: String, CaseIterable, Sendable {
    case dateTime = "date-time"
    case date, uuid
    /// Exact arithmetic in expressions.
    case decimal
}

/// The bounds of what the defaults of a schema add to values. They grow with each level of the schema, so they are
/// computed from those of its parts, and no default is filled before they are known.
struct FillingSize: Sendable {
    /// A filled value has at most this many values for each one that it had.
    let growth: Int
    /// The values of a missing member's default before it is filled; 0 if there is none.
    let defaultCount: Int
    /// The values of the greatest filled default of the schema and its parts.
    let greatestDefault: Int

    /// The values of the filled default.
    private var filledDefault: Int { Self.product(defaultCount, growth) }

    init(_ parts: SchemaParts) {
        var inner = parts.properties.map(\.schema.filling)
        let added = inner.reduce(1) { min($0 + $1.filledDefault, Self.greatest) }
        if let nullable = parts.nullable { inner.append(nullable.filling) }
        inner += parts.union?.branches.map(\.schema.filling) ?? []
        if let items = parts.items { inner.append(items.filling) }
        if case .values(let schema) = parts.additional { inner.append(schema.filling) }
        let reference = parts.reference?.schema.filling
        // A value has one of the inner schemas, besides the named type, whose defaults are filled in turn.
        growth = Self.product(inner.reduce(added) { max($0, $1.growth) }, reference?.growth ?? 1)
        defaultCount = parts.defaultValue.map(Self.count) ?? reference?.defaultCount ?? 0
        let own = Self.product(defaultCount, growth)
        greatestDefault = (inner + [reference].compactMap(\.self)).reduce(own) { max($0, $1.greatestDefault) }
    }

    /// True if the bounds are within the limit.
    var isBounded: Bool { growth <= SchemaLimits.filling && greatestDefault <= SchemaLimits.filling }

    /// The bound of the numbers, so that sums and products do not overflow.
    private static let greatest = 1 << 30

    private static func product(_ one: Int, _ other: Int) -> Int { min(one * other, greatest) }

    private static func count(_ value: JSON) -> Int {
        switch value {
        case .array(let elements): elements.reduce(1) { min($0 + count($1), greatest) }
        case .object(let object): object.reduce(1) { min($0 + count($1.value), greatest) }
        default: 1
        }
    }
}

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
