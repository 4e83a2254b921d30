import JSON

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
