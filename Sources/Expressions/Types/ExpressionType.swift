/// The static type of a formula, or of a value that a formula reads.
///
/// Types are gradual: `dyn` is the type of a value that is known only at run time, and fits everywhere.
package indirect enum ExpressionType: Hashable, Sendable {
    case dyn, null, bool, int, uint, double, decimal, bytes, timestamp, duration, type
    /// A text, with those that its schema lists.
    case text(TypeNote<[String]>)
    case list(ExpressionType)
    case map(key: ExpressionType, value: ExpressionType)
    /// A map with named members.
    case object(ObjectType)
    /// A type or null. The inner type is neither `dyn`, `null` nor nullable.
    case nullable(ExpressionType)
    /// An index, of which a formula reads a group, or the number of groups.
    case index(IndexType)
    /// The rows of a group of an index.
    case range(IndexType)

    /// The type of all texts.
    package static let string = ExpressionType.text(TypeNote(nil))

    /// The greatest number of parts of a type. A formula's type with more becomes `dyn`.
    static let greatestWeight = 4_096

    /// Returns the type or null.
    package var orNull: ExpressionType {
        switch self {
        case .dyn, .null, .nullable: self
        default: .nullable(self)
        }
    }

    /// The type without null.
    package var withoutNull: ExpressionType {
        if case .nullable(let type) = self { type } else { self }
    }

    /// The type, with the rows of an index as a plain map.
    var mapped: ExpressionType { if case .range(let type) = self { type.map } else { self } }

    /// The number of parts of the type.
    var weight: Int {
        switch self {
        case .list(let element): 1 + element.weight
        case .map(_, let value): 2 + value.weight
        case .object(let object): object.weight
        case .nullable(let type): 1 + type.weight
        case .index(let type), .range(let type): type.weight
        default: 1
        }
    }

    /// The type, or `dyn` if it has too many parts.
    var bounded: ExpressionType { weight > Self.greatestWeight ? .dyn : self }

    /// True for numbers.
    var isNumber: Bool {
        switch self {
        case .int, .uint, .double, .decimal: true
        default: false
        }
    }

    /// True if values of the type have an order.
    var isOrderable: Bool {
        switch self {
        case .bool, .text, .bytes, .timestamp, .duration: true
        default: isNumber
        }
    }
}

/// The members of an object.
package struct ObjectType: Hashable, Sendable {
    /// A named member.
    package struct TypedMember: Hashable, Sendable {
        /// The name.
        package let name: String
        /// The type.
        package let type: ExpressionType
        /// True if objects may lack the member.
        package let isOptional: Bool

        /// Creates a member.
        package init(_ name: String, _ type: ExpressionType, isOptional: Bool = false) {
            (self.name, self.type, self.isOptional) = (name, type, isOptional)
        }
    }

    /// The named members, in order; each name once.
    package let members: [TypedMember]
    /// The type of all other members; nil if there are none.
    package let rest: ExpressionType?
    /// The branches, if one member tells them apart; then `members` are those of all of them.
    package let union: ObjectUnion?
    /// The name of the type in the code of clients.
    package let title: TypeNote<String>
    let weight: Int
    private let places: [String: Int]

    /// Creates an object type. Of two members with one name the last one counts.
    package init(_ members: [TypedMember], rest: ExpressionType? = nil, title: String? = nil) {
        self.title = TypeNote(title)
        var kept: [TypedMember] = []
        var places: [String: Int] = [:]
        for member in members {
            if let place = places[member.name] {
                kept[place] = member
            } else {
                places[member.name] = kept.count
                kept.append(member)
            }
        }
        (self.members, self.rest, self.places, union) = (kept, rest, places, nil)
        weight = kept.reduce(1 + (rest?.weight ?? 0)) { min($0 + $1.type.weight, 1 << 30) }
    }

    /// Creates the type of a union. Precondition: the union has branches.
    package init(_ union: ObjectUnion, title: String? = nil) {
        self.title = TypeNote(title)
        let whole = union.branches.dropFirst().reduce(ExpressionType.object(union.branches[0].type)) { type, branch in
            type.joined(with: .object(branch.type))
        }
        var object = ObjectType([])
        if case .object(let joined) = whole { object = joined }
        (members, rest, places) = (object.members, object.rest, object.places)
        self.union = union
        weight = union.branches.reduce(object.weight) { min($0 + $1.type.weight, 1 << 30) }
    }

    /// Returns the member with a name.
    package func member(_ name: String) -> TypedMember? { places[name].map { members[$0] } }

    /// The type of a member of unknown name.
    var anyMember: ExpressionType {
        let types = members.map(\.type) + (rest.map { [$0] } ?? [])
        return types.dropFirst().reduce(types.first ?? .dyn) { $0.joined(with: $1) }
    }
}

extension ExpressionType: CustomStringConvertible {
    /// The type as the documentation writes it: `list<int>`, `{text: string, due?: string or null}`. The text of a
    /// great object is shortened.
    package var description: String {
        switch self {
        case .dyn: "dyn"
        case .null: "null"
        case .bool: "bool"
        case .int: "int"
        case .uint: "uint"
        case .double: "double"
        case .decimal: "decimal"
        case .text: "string"
        case .bytes: "bytes"
        case .timestamp: "timestamp"
        case .duration: "duration"
        case .type: "type"
        case .list(let element): "list<\(element)>"
        case .map(let key, let value): "map<\(key), \(value)>"
        case .object(let object): object.description
        case .nullable(let type): "\(type) or null"
        case .index(let type): "the index \(type.name)"
        case .range(let type): "\(type.map)"
        }
    }
}

extension ObjectType: CustomStringConvertible {
    /// The members in braces, at most eight of them, and objects within them as `{…}`.
    package var description: String {
        var parts = members.prefix(8).map { member in
            var type = member.type.withoutNull
            var brackets = 0
            while case .list(let element) = type { (type, brackets) = (element.withoutNull, brackets + 1) }
            let text = if case .object = type, brackets > 0 || member.type != .dyn { "{…}" } else { "\(type)" }
            let name = member.isOptional ? "\(member.name)?" : member.name
            let isNullable = if case .nullable = member.type { true } else { false }
            return "\(name): " + String(repeating: "list<", count: brackets) + text
                + String(repeating: ">", count: brackets) + (isNullable ? " or null" : "")
        }
        if members.count > 8 || rest != nil { parts.append("…") }
        return "{" + parts.joined(separator: ", ") + "}"
    }
}
