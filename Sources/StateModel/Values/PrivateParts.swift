package import JSON

/// The private parts of a value: those that only views show which say so.
package indirect enum PrivateParts: Hashable, Sendable {
    /// No part.
    case none
    /// The whole value.
    case whole
    /// Parts of members by name, and of all other members or of the elements.
    case inside([String: PrivateParts], others: PrivateParts)

    /// The token of a place that stands for each element of a list or each member without a name.
    package static let any = "*"

    /// The parts at some places of a value.
    package init(_ places: some Sequence<[String]>) {
        self = .none
        for place in places { insert(place[...]) }
    }

    private mutating func insert(_ place: ArraySlice<String>) {
        guard let token = place.first else { return self = .whole }
        var (members, others): ([String: PrivateParts], PrivateParts)
        switch self {
        case .whole: return
        case .none: (members, others) = ([:], .none)
        case .inside(let known, let rest): (members, others) = (known, rest)
        }
        if token == Self.any {
            others.insert(place.dropFirst())
        } else {
            members[token, default: .none].insert(place.dropFirst())
        }
        self = .inside(members, others: others)
    }

    /// The parts of members by name and of all others; `.none` if there are none.
    package init(members: [String: PrivateParts], others: PrivateParts = .none) {
        let members = members.filter { $0.value != .none }
        self = members.isEmpty && others == .none ? .none : .inside(members, others: others)
    }

    /// The private parts of a member, or of an element; nil stands for each that has no name.
    package subscript(_ name: String?) -> PrivateParts {
        switch self {
        case .none: .none
        case .whole: .whole
        case .inside(let members, let others): name.flatMap { members[$0] } ?? others
        }
    }

    /// Returns the parts that these or others name.
    package func union(_ others: PrivateParts) -> PrivateParts {
        switch (self, others) {
        case (.whole, _), (_, .whole): return .whole
        case (.none, let parts), (let parts, .none): return parts
        case (.inside(let own, let ownRest), .inside(let members, let rest)):
            var all: [String: PrivateParts] = [:]
            for name in Set(own.keys).union(members.keys) { all[name] = self[name].union(others[name]) }
            return PrivateParts(members: all, others: ownRest.union(rest))
        }
    }

    /// The places of the parts.
    package var places: [[String]] {
        switch self {
        case .none: return []
        case .whole: return [[]]
        case .inside(let members, let others):
            let named = members.sorted { $0.key < $1.key }
            return (named + [(Self.any, others)]).flatMap { name, part in part.places.map { [name] + $0 } }
        }
    }
    /// True if named members have private parts.
    package var hasNamedMembers: Bool { if case .inside(let members, _) = self { !members.isEmpty } else { false } }

    /// Returns the parts without those at the end of a path, or on it. A path that ends above them removes none.
    package func removing(_ path: ArraySlice<String?>) -> PrivateParts {
        switch self {
        case .none, .whole: return .none
        case .inside(var members, var others):
            guard let step = path.first else { return self }
            if let name = step, let part = members[name] {
                members[name] = part.removing(path.dropFirst())
            } else {
                others = others.removing(path.dropFirst())
            }
            return PrivateParts(members: members, others: others)
        }
    }

    /// Returns the parts without those below a path whose own names satisfy a condition.
    package func removing(below path: ArraySlice<String?>, where isNamed: (String) -> Bool) -> PrivateParts {
        guard case .inside(var members, var others) = self else { return self }
        for (name, part) in members {
            if let step = path.first, let step, step != name { continue }
            members[name] =
                part == .whole && path.isEmpty && isNamed(name)
                ? PrivateParts.none : part.removing(below: path.dropFirst(), where: isNamed)
        }
        if path.first.map({ $0.map { members[$0] == nil } ?? true }) ?? true {
            others = others.removing(below: path.dropFirst(), where: isNamed)
        }
        return PrivateParts(members: members, others: others)
    }

    /// Returns a value with null in place of each part.
    package func masking(_ value: JSON) -> JSON {
        var places: [[String]] = []
        return withheld(from: value, at: [], noting: &places)
    }

    /// Returns a value without the parts; nil if all of it is private. Elements of a list that are private are null.
    package func removed(from value: JSON) -> JSON? {
        switch (self, value) {
        case (.none, _): return value
        case (.whole, _): return nil
        case (.inside, .object(let object)):
            var shown = JSON.Object()
            for member in object {
                if let rest = self[member.key].removed(from: member.value) { shown[member.key] = rest }
            }
            return .object(shown)
        case (.inside, .array(let elements)):
            return .array(elements.enumerated().map { self["\($0)"].removed(from: $1) ?? .null })
        case (.inside, _): return value
        }
    }

    /// Returns a value at a place with null instead of each part, and appends the places of these.
    package func withheld(from value: JSON, at place: [String], noting places: inout [[String]]) -> JSON {
        switch self {
        case .none: return value
        case .whole:
            places.append(place)
            return .null
        case .inside:
            switch value {
            case .object(var object):
                for member in object where self[member.key] != .none {
                    object[member.key] = self[member.key].withheld(
                        from: member.value, at: place + [member.key], noting: &places)
                }
                return .object(object)
            case .array(let elements):
                // A place in the list of several actions has a name of its own.
                return .array(
                    elements.enumerated().map {
                        self["\($0)"].withheld(from: $1, at: place + ["\($0)"], noting: &places)
                    })
            default: return value
            }
        }
    }
}

extension PrivateParts {
    /// The nesting depth of schemas that is looked at.
    private static let depthLimit = 64

    /// The places of the parts that a schema calls private.
    package static func places(in schema: JSON, at place: [String] = []) -> [[String]] {
        guard place.count < depthLimit, case .object(let object) = schema else { return [] }
        if object["private"] == true { return [place] }
        var all: [[String]] = []
        if case .object(let properties)? = object["properties"] {
            for property in properties { all += places(in: property.value, at: place + [property.key]) }
        }
        for keyword in ["items", "additionalProperties"] {
            if let schema = object[keyword] { all += places(in: schema, at: place + [any]) }
        }
        for keyword in ["anyOf", "oneOf"] {
            guard case .array(let forms)? = object[keyword] else { continue }
            for form in forms { all += places(in: form, at: place) }
        }
        return all
    }

    /// Returns a schema as clients see it: without the word `private`.
    static func shown(_ schema: JSON, depth: Int = 0) -> JSON {
        guard depth < depthLimit, case .object(var object) = schema else { return schema }
        if case .bool? = object["private"] { object["private"] = nil }
        if case .object(var properties)? = object["properties"] {
            for property in properties { properties[property.key] = shown(property.value, depth: depth + 1) }
            object["properties"] = .object(properties)
        }
        for keyword in ["items", "additionalProperties"] {
            if let schema = object[keyword] { object[keyword] = shown(schema, depth: depth + 1) }
        }
        for keyword in ["anyOf", "oneOf"] {
            guard case .array(let forms)? = object[keyword] else { continue }
            object[keyword] = .array(forms.map { shown($0, depth: depth + 1) })
        }
        return .object(object)
    }
}
