/// A part of a type that only clients are shown: the texts that it lists, or its name. All notes are equal, because a
/// formula that has a value of one of two such types may have one of the other.
package struct TypeNote<Content: Hashable & Sendable>: Hashable, Sendable {
    /// The texts or the name; nil for none.
    package let content: Content?

    /// Creates a note.
    package init(_ content: Content?) { self.content = content }

    package static func == (left: TypeNote, right: TypeNote) -> Bool { true }
    package func hash(into hasher: inout Hasher) {}
}

extension ExpressionType {
    /// Returns this type for one that equals it: with its notes if the other one has the same, otherwise without any.
    func agreeing(with other: ExpressionType) -> ExpressionType {
        var (own, others): ([[String]?], [[String]?]) = ([], [])
        addNotes(to: &own)
        other.addNotes(to: &others)
        return own == others ? self : withoutNotes
    }

    /// The type without its notes.
    fileprivate var withoutNotes: ExpressionType {
        switch self {
        case .text: .string
        case .list(let element): .list(element.withoutNotes)
        case .map(let key, let value): .map(key: key.withoutNotes, value: value.withoutNotes)
        case .nullable(let type): .nullable(type.withoutNotes)
        case .object(let object): .object(object.withoutNotes)
        default: self
        }
    }

    /// Adds the notes of the type, in the order of its parts.
    fileprivate func addNotes(to notes: inout [[String]?]) {
        switch self {
        case .text(let choices): notes.append(choices.content)
        case .list(let element): element.addNotes(to: &notes)
        case .map(let key, let value):
            key.addNotes(to: &notes)
            value.addNotes(to: &notes)
        case .nullable(let type): type.addNotes(to: &notes)
        case .object(let object): object.addNotes(to: &notes)
        default: break
        }
    }
}

extension ObjectType {
    fileprivate var withoutNotes: ObjectType {
        if let union {
            let branches = union.branches.map { ObjectUnion.UnionBranch($0.value, $0.type.withoutNotes) }
            return ObjectType(ObjectUnion(by: union.discriminator, branches))
        }
        return ObjectType(
            members.map { TypedMember($0.name, $0.type.withoutNotes, isOptional: $0.isOptional) },
            rest: rest?.withoutNotes)
    }

    fileprivate func addNotes(to notes: inout [[String]?]) {
        notes.append(title.content.map { [$0] })
        for branch in union?.branches ?? [] { branch.type.addNotes(to: &notes) }
        for member in members { member.type.addNotes(to: &notes) }
        rest?.addNotes(to: &notes)
    }
}
