import JSON

/// The branches of `oneOf`, which one member tells apart.
package struct SchemaUnion: Sendable {
    /// One of the branches.
    package struct UnionBranch: Sendable {
        /// The value of the member.
        package let value: String
        /// The schema of the objects.
        package let schema: ValueSchema
    }

    /// The member that tells the branches apart.
    package let discriminator: String
    /// The branches, in order.
    package let branches: [UnionBranch]

    /// Returns the branch of a value; nil if there is none.
    func branch(of value: JSON) -> UnionBranch? {
        guard case .string(let text)? = value[discriminator] else { return nil }
        return branches.first { $0.value == text }
    }

    /// Returns the fault of a value that is an object of no branch.
    func fault(in value: JSON, at pointer: JSONPointer) -> SchemaFault? {
        if let branch = branch(of: value) { return branch.schema.fault(in: value, at: pointer) }
        guard case .object(let object) = value else {
            return SchemaFault("expected an object with the member \"\(discriminator)\"", at: pointer)
        }
        let names = branches.map(\.value)
        let place = pointer.appending(discriminator)
        guard object[discriminator] != nil else {
            return SchemaFault("the member \"\(discriminator)\" is missing", at: place, allowed: names)
        }
        return SchemaFault(
            "the value must be one of \(names.prefix(32).joined(separator: ", "))", at: place, allowed: names)
    }
}

extension ValueSchema {
    /// Returns the schema of a named member, also of the named type.
    func anyProperty(_ name: String) -> ValueSchema? { property(name) ?? reference?.schema.anyProperty(name) }

    /// The one value that the schema permits, also by the named type.
    var onlyValue: JSON? {
        if let constant { return constant }
        if let choices, choices.count == 1 { return choices[0] }
        return reference?.schema.onlyValue
    }

    /// The parts of the schema that are not reached by members or elements: the alternatives.
    var alternatives: [ValueSchema] { (nullable.map { [$0] } ?? []) + (union?.branches.map(\.schema) ?? []) }
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
        var found: [SchemaUnion.UnionBranch] = []
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
