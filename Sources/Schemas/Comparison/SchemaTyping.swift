package import Expressions
import JSON

extension ValueSchema {
    /// The type that formulas see.
    package var type: ExpressionType {
        if let nullable { return nullable.type.orNull }
        if let union { return .object(ObjectType(union.type)) }
        let own = ownType
        guard let reference else { return own }
        // Both hold; the named type usually says more.
        let named = reference.schema.type
        return named == .dyn ? own : named.titled(reference.name)
    }

    private var ownType: ExpressionType {
        let kinds = kinds ?? impliedKinds
        var type: ExpressionType?
        for kind in SchemaKind.allCases where kinds.contains(kind) && kind != .null {
            // Two kinds of numbers are one type.
            if kind == .number, kinds.contains(.integer), kinds.subtracting([.null]).count == 2 { type = nil }
            let next = self.type(of: kind)
            type = type?.joined(with: next) ?? next
        }
        guard let type else { return kinds == [.null] ? .null : .dyn }
        return kinds.contains(.null) ? type.orNull : type
    }

    /// The kinds of the permitted values where `type` is missing; empty if they are open.
    private var impliedKinds: Set<SchemaKind> {
        guard let values = constant.map({ [$0] }) ?? choices else { return [] }
        return Set(
            values.map { value in
                switch value {
                case .null: .null
                case .bool: .boolean
                case .number(let number): number.int64 == nil ? .number : .integer
                case .string: .string
                case .array: .array
                case .object: .object
                }
            })
    }

    private func type(of kind: SchemaKind) -> ExpressionType {
        switch kind {
        case .null: .null
        case .boolean: .bool
        case .integer: format == .decimal ? .decimal : .int
        case .number: format == .decimal ? .decimal : .double
        case .string: .text(TypeNote(listedTexts))
        case .array: .list(items?.type ?? .dyn)
        case .object: objectType
        }
    }

    /// The texts among the listed values; nil if the schema lists none.
    private var listedTexts: [String]? {
        (constant.map { [$0] } ?? choices)?.compactMap { if case .string(let text) = $0 { text } else { nil } }
    }

    private var objectType: ExpressionType {
        let rest: ExpressionType? =
            switch additional {
            case .refused: nil
            case .anything: .dyn
            case .values(let schema): schema.type
            }
        if properties.isEmpty, let rest { return .map(key: .string, value: rest) }
        let members = properties.map {
            ObjectType.TypedMember(
                $0.name, $0.schema.type, isOptional: !required.contains($0.name) && $0.schema.memberDefault == nil)
        }
        return .object(ObjectType(members, rest: rest))
    }
}

extension SchemaUnion {
    /// The type that formulas see.
    fileprivate var type: ObjectUnion {
        ObjectUnion(
            by: discriminator,
            branches.map { branch in
                guard case .object(let object) = branch.schema.type else {
                    return .init(branch.value, ObjectType([], rest: .dyn))
                }
                return .init(branch.value, object)
            })
    }
}

extension ExpressionType {
    /// Returns the type with the name of a named type, if it is one of objects.
    fileprivate func titled(_ name: String) -> ExpressionType {
        switch self {
        case .nullable(let type): type.titled(name).orNull
        case .object(let object):
            .object(
                object.union.map { ObjectType($0, title: name) }
                    ?? ObjectType(object.members, rest: object.rest, title: name))
        default: self
        }
    }
}
