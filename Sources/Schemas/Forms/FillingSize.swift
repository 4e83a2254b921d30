import JSON

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
