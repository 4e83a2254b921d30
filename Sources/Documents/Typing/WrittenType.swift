import Expressions
import Schemas

extension ValueSchema {
    /// The type of the values that actions may write: as `type`, but members with a default may be left out.
    var writtenType: ExpressionType { Self.relaxed(type, self) }

    private static func relaxed(_ type: ExpressionType, _ schema: ValueSchema) -> ExpressionType {
        if let nullable = schema.nullable { return relaxed(type.withoutNull, nullable).orNull }
        if let union = schema.union, case .object(let object) = type, let branches = object.union?.branches {
            let relaxedBranches = zip(branches, union.branches).compactMap { branch, schema in
                if case .object(let object) = relaxed(.object(branch.type), schema.schema) {
                    ObjectUnion.UnionBranch(branch.value, object)
                } else {
                    nil
                }
            }
            if relaxedBranches.isEmpty { return type }
            return .object(ObjectType(ObjectUnion(by: union.discriminator, relaxedBranches)))
        }
        // A schema that adds nothing to its named type has the parts of that.
        if schema.properties.isEmpty, schema.items == nil, let named = schema.reference?.schema {
            return relaxed(type, named)
        }
        switch type {
        case .nullable(let inner): return relaxed(inner, schema).orNull
        case .list(let element): return .list(schema.items.map { relaxed(element, $0) } ?? element)
        case .map(let key, let value):
            guard case .values(let values) = schema.additional else { return type }
            return .map(key: key, value: relaxed(value, values))
        case .object(let object):
            let members = object.members.map { member in
                guard let property = schema.property(member.name) else { return member }
                return ObjectType.TypedMember(
                    member.name, relaxed(member.type, property),
                    isOptional: member.isOptional || property.memberDefault != nil)
            }
            return .object(ObjectType(members, rest: object.rest))
        default: return type
        }
    }
}
