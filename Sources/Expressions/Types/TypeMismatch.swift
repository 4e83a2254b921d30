package import JSON

/// The reason that values of one type do not fit another.
package struct TypeMismatch: Hashable, Sendable, CustomStringConvertible {
    /// The place in the value.
    package let pointer: JSONPointer
    /// The reason.
    package let description: String
    /// The allowed member names, if a name is unknown.
    package let allowed: [String]
}

extension ExpressionType {
    /// Returns true if values of another type may fit this one. `dyn` fits everywhere, and a value that may be null fits
    /// a type without null, because only its value decides.
    package func accepts(_ other: ExpressionType) -> Bool { mismatch(with: other) == nil }

    /// Returns the first reason that no value of another type fits this one, or nil if some may fit. An int fits a
    /// double and a decimal.
    package func mismatch(with other: ExpressionType) -> TypeMismatch? { mismatch(with: other, []) }

    fileprivate func mismatch(with other: ExpressionType, _ place: [String]) -> TypeMismatch? {
        switch (self, other) {
        case (.dyn, _), (_, .dyn): return nil
        case (.nullable, .null): return nil
        case (.nullable(let type), _): return type.mismatch(with: other.withoutNull, place)
        case (_, .nullable(let type)): return mismatch(with: type, place)
        case (.double, .int), (.decimal, .int), (.decimal, .uint), (.int, .uint), (.uint, .int): return nil
        case (.string, .timestamp): return nil
        case (.list(let element), .list(let given)): return element.mismatch(with: given, place + ["0"])
        case (.map(let key, let value), .map(let givenKey, let given)):
            return key.mismatch(with: givenKey, place) ?? value.mismatch(with: given, place)
        case (.map(let key, let value), .object(let object)):
            if let fault = key.mismatch(with: .string, place) { return fault }
            for member in object.members {
                if let fault = value.mismatch(with: member.type, place + [member.name]) { return fault }
            }
            return nil
        case (.object(let object), .map(let key, let value)):
            guard object.members.isEmpty || object.anyMember.accepts(value) else { break }
            return ExpressionType.string.mismatch(with: key, place)
        case (.object(let object), .object(let given)): return object.mismatch(with: given, place)
        default: if self == other { return nil }
        }
        return TypeMismatch(pointer: JSONPointer(place), description: "expected \(self), not \(other)", allowed: [])
    }
}

extension ObjectType {
    fileprivate func mismatch(with given: ObjectType, _ place: [String]) -> TypeMismatch? {
        for member in given.members {
            guard let type = self.member(member.name)?.type ?? rest else {
                return TypeMismatch(
                    pointer: JSONPointer(place + [member.name]),
                    description: "there is no member \(member.name.brief)"
                        + Suggestion.text(member.name, members.map(\.name)),
                    allowed: members.map(\.name))
            }
            if let fault = type.mismatch(with: member.type, place + [member.name]) { return fault }
        }
        for member in members where !member.isOptional && given.member(member.name) == nil && given.rest == nil {
            return TypeMismatch(
                pointer: JSONPointer(place + [member.name]), description: "the member \(member.name.brief) is missing",
                allowed: [])
        }
        return nil
    }
}
