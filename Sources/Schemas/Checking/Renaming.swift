package import JSON

extension ValueSchema {
    /// Returns an old value with the present names of its members.
    package func renamed(_ value: JSON) -> JSON {
        guard hasRenames else { return value }
        var value = reference?.schema.renamed(value) ?? value
        if let nullable { value = nullable.renamed(value) }
        if let branch = union?.branch(of: value) { value = branch.schema.renamed(value) }
        switch value {
        case .array(let elements): return items.map { items in .array(elements.map { items.renamed($0) }) } ?? value
        case .object(let object):
            var members = JSON.Object()
            let names = Dictionary(
                properties.compactMap { property in property.schema.was.map { ($0, property.name) } },
                uniquingKeysWith: { first, _ in first })
            for member in object {
                var name = member.key
                if let present = names[name], object[present] == nil { name = present }
                members[name] = property(name)?.renamed(member.value) ?? renamed(other: member.value)
            }
            return .object(members)
        default: return value
        }
    }

    private func renamed(other value: JSON) -> JSON {
        if case .values(let schema) = additional { schema.renamed(value) } else { value }
    }
}
