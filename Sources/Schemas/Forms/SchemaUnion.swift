import JSON

/// The branches of `oneOf`, which one member tells apart.
package struct SchemaUnion: Sendable {
    /// One of the branches.
    package struct SchemaBranch: Sendable {
        /// The value of the member.
        package let value: String
        /// The schema of the objects.
        package let schema: ValueSchema
    }

    /// The member that tells the branches apart.
    package let discriminator: String
    /// The branches, in order.
    package let branches: [SchemaBranch]

    /// Returns the branch of a value; nil if there is none.
    func branch(of value: JSON) -> SchemaBranch? {
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
