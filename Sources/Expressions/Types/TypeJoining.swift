extension ExpressionType {
    /// Returns the type of a value that has one type or the other. Null joins with any type; types that have nothing
    /// in common join to `dyn`.
    package func joined(with other: ExpressionType) -> ExpressionType {
        if self == other { return agreeing(with: other) }
        switch (self, other) {
        case (.dyn, _), (_, .dyn): return .dyn
        case (.null, let type), (let type, .null): return type.orNull
        case (.range, _), (_, .range): return mapped.joined(with: other.mapped)
        case (.nullable(let left), _): return left.joined(with: other.withoutNull).orNull
        case (_, .nullable(let right)): return joined(with: right).orNull
        case (.list(let left), .list(let right)): return .list(left.joined(with: right))
        case (.map(let key, let value), .map(let otherKey, let otherValue)):
            return .map(key: key.joined(with: otherKey), value: value.joined(with: otherValue))
        case (.object(let left), .object(let right)): return .object(left.joined(with: right))
        case (.object(let object), .map(.string, let value)), (.map(.string, let value), .object(let object)):
            return .map(key: .string, value: value.joined(with: object.anyMember))
        default: return .dyn
        }
    }
}

extension ObjectType {
    /// Returns the object with the members of both. A member that one of them lacks is optional.
    fileprivate func joined(with other: ObjectType) -> ObjectType {
        let own = members.map { member in
            other.member(member.name).map {
                TypedMember(
                    member.name, member.type.joined(with: $0.type), isOptional: member.isOptional || $0.isOptional)
            }
                ?? TypedMember(
                    member.name, other.rest.map { member.type.joined(with: $0) } ?? member.type, isOptional: true)
        }
        let others = other.members.filter { member($0.name) == nil }.map { member in
            TypedMember(member.name, rest.map { member.type.joined(with: $0) } ?? member.type, isOptional: true)
        }
        let both: ExpressionType? =
            switch (rest, other.rest) {
            case (let left?, let right?): left.joined(with: right)
            case (let left, let right): left ?? right
            }
        return ObjectType(own + others, rest: both)
    }
}
