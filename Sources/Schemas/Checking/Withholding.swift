package import JSON

extension ValueSchema {
    /// The places of private members, with `*` for each element of a list or each member without a name.
    package var privatePlaces: [JSONPointer] { Self.distinct(places(at: [])) }

    /// Returns the places, each once: a named type and the schema that refers to it may name the same.
    private static func distinct(_ places: [[String]]) -> [JSONPointer] {
        var known: Set<[String]> = []
        return places.filter { known.insert($0).inserted }.map { JSONPointer($0) }
    }

    private func places(at tokens: [String]) -> [[String]] {
        if isPrivate { return [tokens] }
        var all = reference?.schema.places(at: tokens) ?? []
        for schema in alternatives { all += schema.places(at: tokens) }
        for property in properties { all += property.schema.places(at: tokens + [property.name]) }
        if let items { all += items.places(at: tokens + ["*"]) }
        if case .values(let schema) = additional { all += schema.places(at: tokens + ["*"]) }
        return all
    }

    /// True if a part is private.
    package var hasPrivateParts: Bool {
        if isPrivate || reference?.schema.hasPrivateParts ?? false || items?.hasPrivateParts ?? false { return true }
        if case .values(let schema) = additional, schema.hasPrivateParts { return true }
        return properties.contains { $0.schema.hasPrivateParts } || alternatives.contains(where: \.hasPrivateParts)
    }

    /// Returns a value with null in place of each private part, and the places of these.
    package func withholding(_ value: JSON) -> (value: JSON, withheld: [JSONPointer]) {
        var withheld: [[String]] = []
        let shown = withhold(value, [], &withheld)
        return (shown, Self.distinct(withheld))
    }

    private func withhold(_ value: JSON, _ tokens: [String], _ withheld: inout [[String]]) -> JSON {
        if isPrivate {
            withheld.append(tokens)
            return .null
        }
        var value = reference?.schema.withhold(value, tokens, &withheld) ?? value
        // Of an object of no branch, the private parts of all branches are withheld.
        let branch = union?.branch(of: value)?.schema
        for schema in branch.map({ [$0] }) ?? alternatives { value = schema.withhold(value, tokens, &withheld) }
        if branch != nil, let nullable { value = nullable.withhold(value, tokens, &withheld) }
        switch value {
        case .object(var object):
            for member in object {
                let schema: ValueSchema? =
                    if let schema = property(member.key) {
                        schema
                    } else if case .values(let schema) = additional {
                        schema
                    } else {
                        nil
                    }
                if let schema { object[member.key] = schema.withhold(member.value, tokens + [member.key], &withheld) }
            }
            return .object(object)
        case .array(let elements):
            guard let items else { return value }
            return .array(elements.enumerated().map { items.withhold($1, tokens + ["\($0)"], &withheld) })
        default: return value
        }
    }
}
