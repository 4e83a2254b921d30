public import JSON

/// A value of one of several kinds: an enum in Swift whose cases carry a record or nothing, an object in JSON in which
/// one member says the kind, `oneOf` with a `discriminator` in a schema.
///
///     enum Payment: Union {
///         case cash
///         case card(Card)
///
///         static let kinds = UnionKinds(.plain("cash", Payment.cash), .record("card", Payment.card))
///     }
///
/// `Payment.card(Card(number: "4711"))` is `{"kind":"card","number":"4711"}`.
public protocol Union: JSONConvertible, SchemaProviding, Equatable, Sendable {
    /// The kinds, one for each case.
    static var kinds: UnionKinds<Self> { get }
}

/// The kinds of a union, and the member of the JSON object that says which one a value has.
public struct UnionKinds<Root: Equatable & Sendable>: Sendable {
    /// One kind.
    public struct UnionKind: Sendable {
        let name: String
        /// The schema of the record; without members for a kind without one.
        let schema: JSON
        let read: @Sendable (JSON.Object) throws(JSONError) -> Root
        /// Returns the members of a value; nil if it has another kind.
        let members: @Sendable (Root) throws(JSONError) -> JSON.Object?

        /// A case without a payload.
        public static func plain(_ name: String, _ value: Root) -> UnionKind {
            UnionKind(
                name: name, schema: NoInput.schema,
                read: { members throws(JSONError) in
                    if let member = members.first { throw JSONError(.unknownMember(member.key), at: 0) }
                    return value
                }, members: { $0 == value ? JSON.Object() : nil })
        }

        /// A case that carries a record; `make` is the case itself.
        public static func record<Payload: Record>(
            _ name: String, _ make: @escaping @Sendable (Payload) -> Root
        ) -> UnionKind {
            UnionKind(
                name: name, schema: Payload.schema,
                read: { members throws(JSONError) in make(try Payload(parsing: JSON.object(members).json())) },
                members: { value throws(JSONError) in
                    guard let payload = Mirror(reflecting: value).children.first?.value as? Payload,
                        make(payload) == value, case .object(let members) = try payload.tree()
                    else { return nil }
                    return members
                })
        }
    }

    let member: String
    let all: [UnionKind]

    /// The kinds of a union, told apart by a member of the JSON object.
    public init(by member: String = "kind", _ kinds: UnionKind...) {
        self.member = member
        all = kinds
        precondition(Set(kinds.map(\.name)).count == kinds.count, "two kinds of \(Root.self) have the same name")
        for kind in kinds {
            precondition(
                kind.schema["properties"]?[member] == nil,
                "the record of the kind \(kind.name) of \(Root.self) has a field \(member), which says the kind")
        }
    }

    /// The schema of the values.
    var schema: JSON {
        let branches = all.map { kind -> JSON in
            var branch = JSON.Object()
            if case .object(let object) = kind.schema { branch = object }
            var properties = JSON.Object()
            properties[member] = ["type": "string", "const": .string(kind.name)]
            if case .object(let others)? = branch["properties"] {
                for other in others { properties[other.key] = other.value }
            }
            branch["title"] = nil
            branch["properties"] = .object(properties)
            var required: [JSON] = [.string(member)]
            if case .array(let others)? = branch["required"] { required += others }
            branch["required"] = .array(required)
            return .object(branch)
        }
        return [
            "title": .string("\(Root.self)"), "oneOf": .array(branches),
            "discriminator": ["propertyName": .string(member)],
        ]
    }
}

extension Union {
    /// Reads an object of one of the kinds.
    public init(from reader: inout JSONReader) throws(JSONError) {
        let start = reader.offset
        guard case .object(var members) = try JSON(from: &reader) else {
            throw JSONError(.refused("must be an object with the member \"\(Self.kinds.member)\""), at: start)
        }
        let member = Self.kinds.member
        guard let said = members[member] else {
            throw JSONError(.missingMember(member), at: start, pointer: JSONPointer([member]))
        }
        guard case .string(let name) = said, let kind = Self.kinds.all.first(where: { $0.name == name }) else {
            throw JSONError(
                .refused("must be one of \(Self.kinds.all.map(\.name).joined(separator: ", "))"), at: start,
                pointer: JSONPointer([member]))
        }
        members[member] = nil
        do throws(JSONError) {
            self = try kind.read(members)
        } catch {
            throw JSONError(error.reason, at: start, pointer: error.pointer)
        }
    }

    /// Writes the object.
    public func write(to writer: inout JSONWriter) {
        do throws(JSONError) {
            try tree().write(to: &writer)
        } catch {
            // The writer keeps the fault for its caller: a number that is not finite.
            writer.double(.nan)
        }
    }

    /// Returns the object: the kind, and the fields of its record.
    public func tree() throws(JSONError) -> JSON {
        for kind in Self.kinds.all {
            guard let members = try kind.members(self) else { continue }
            var object = JSON.Object()
            object[Self.kinds.member] = .string(kind.name)
            for member in members { object[member.key] = member.value }
            return .object(object)
        }
        preconditionFailure("\(self) is a case of \(Self.self) that its kinds leave out")
    }

    /// One of the kinds.
    public static var schema: JSON { Self.kinds.schema }
}
