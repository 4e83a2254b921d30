import JSON
import ServiceInProcess

/// The reason why eva may not read a member.
enum Secrecy: Sendable {
    /// None.
    case open
    /// Only views with rules show it.
    case guarded
    /// It is private in all editions of its document.
    case isPrivate
    /// The second edition makes it private.
    case laterPrivate
    /// The first edition made it private.
    case formerlyPrivate

    /// True if the schema of an edition says `private`.
    func isPrivate(in edition: Int) -> Bool {
        switch self {
        case .open, .guarded: false
        case .isPrivate: true
        case .laterPrivate: edition == 2
        case .formerlyPrivate: edition == 1
        }
    }
}

/// The form of a member's values.
enum MemberForm: Sendable, CaseIterable {
    case word, numeral, integer, list

    var schema: JSON {
        switch self {
        case .word, .numeral: ["type": "string"]
        case .integer: ["type": "integer"]
        case .list: ["type": "array", "items": ["type": "integer"]]
        }
    }

    /// The value before the first write.
    var initial: JSON {
        switch self {
        case .word: ""
        case .numeral: "7"
        case .integer: 0
        case .list: []
        }
    }

    /// Returns a pair of values that no other number gives: of equal or of different length, in either order, and such that
    /// an expression fails in one world only.
    func pair(_ number: Int, _ entropy: inout Entropy) -> (JSON, JSON) {
        let turned = entropy.isOne(in: 2)
        let pair: (JSON, JSON)
        switch (self, entropy.isOne(in: 2)) {
        case (.word, true): pair = (.string("s\(number)aa"), .string("s\(number)bb"))
        case (.word, false): pair = (.string("s\(number)"), .string("t\(number)isLonger"))
        case (.numeral, true): pair = (.string("\(1_000 + number)"), .string("x\(1_000 + number)"))
        case (.numeral, false): pair = (.string("\(1_000 + number)"), .string("\(9_000 + number)"))
        case (.integer, true): pair = (.number(Decimal(-number)), .number(Decimal(1_000 + number)))
        case (.integer, false): pair = (.number(Decimal(1_000 + number)), .number(Decimal(2_000 + number)))
        case (.list, true): pair = ([.number(Decimal(number))], [.number(Decimal(-number))])
        case (.list, false): pair = ([.number(Decimal(number))], [.number(Decimal(number)), 7, 8])
        }
        return turned ? (pair.1, pair.0) : pair
    }

    /// Returns a value that both worlds have.
    func common(_ number: Int) -> JSON {
        switch self {
        case .word: .string("w\(number)")
        case .numeral: .string("\(number)")
        case .integer: .number(Decimal(number))
        case .list: [.number(Decimal(number))]
        }
    }

    /// Expressions of a value, which is written as `x`. The last ones fail for some values.
    func expressions(of x: String) -> [String] {
        switch self {
        case .word: [x, "size(\(x))", "\(x) + '!'", "\(x).startsWith('s')"]
        case .numeral: [x, "\(x) > '5'", "int(\(x))", "int(\(x)) + 1"]
        case .integer: [x, "\(x) + 1", "\(x) > 500", "1 / (\(x) - 1)"]
        case .list: [x, "size(\(x))", "\(x).exists(v, v > 500)", "\(x)[1]"]
        }
    }
}

/// A member of a row or of a variable. Its path is empty for a whole variable.
struct MemberPlan: Sendable {
    let path: [String]
    let form: MemberForm
    let secrecy: Secrecy

    /// Returns the expression of the member of a value.
    func expression(of value: String) -> String { ([value] + path).joined(separator: ".") }
}

/// A table or a variable of a document.
struct StatePlan: Sendable {
    let name: String
    let isTable: Bool
    let members: [MemberPlan]

    /// The expression of its value.
    var expression: String { "state.\(name)" }

    /// True if eva may not see the whole value, though its private members are null.
    var hasGuarded: Bool { members.contains { $0.secrecy == .guarded } }
    /// The name of its type.
    var typeName: String { name.prefix(1).uppercased() + name.dropFirst() }

    /// Returns the schema of its value or rows.
    func schema(in edition: Int) -> JSON { Self.schema(members[...], depth: 0, edition) }

    /// Returns a value made of one for each member.
    func value(_ each: (MemberPlan) -> JSON) -> JSON { Self.value(members[...], depth: 0, each) }

    private static func groups(_ members: ArraySlice<MemberPlan>, _ depth: Int) -> [(String, ArraySlice<MemberPlan>)] {
        var groups: [(String, ArraySlice<MemberPlan>)] = []
        for (index, member) in zip(members.indices, members) {
            let name = member.path[depth]
            if groups.last?.0 == name {
                groups[groups.count - 1].1 = members[groups[groups.count - 1].1.startIndex...index]
            } else {
                groups.append((name, members[index...index]))
            }
        }
        return groups
    }

    private static func schema(_ members: ArraySlice<MemberPlan>, depth: Int, _ edition: Int) -> JSON {
        if let only = members.first, only.path.count == depth {
            guard case .object(var schema) = only.form.schema else { return only.form.schema }
            if only.secrecy.isPrivate(in: edition) { schema["private"] = true }
            return .object(schema)
        }
        var properties = JSON.Object()
        var names: [JSON] = []
        for (name, members) in groups(members, depth) {
            properties[name] = schema(members, depth: depth + 1, edition)
            names.append(.string(name))
        }
        return ["type": "object", "properties": .object(properties), "required": .array(names)]
    }

    private static func value(
        _ members: ArraySlice<MemberPlan>, depth: Int, _ each: (MemberPlan) -> JSON
    ) -> JSON {
        if let only = members.first, only.path.count == depth { return each(only) }
        var object = JSON.Object()
        for (name, members) in groups(members, depth) { object[name] = value(members, depth: depth + 1, each) }
        return .object(object)
    }
}
