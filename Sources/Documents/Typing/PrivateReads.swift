import Expressions
import JSON
import StateModel

// The private parts that expressions read. An expression says that it reads one by naming it: `row.pin`,
// `state.cards[input.id].pin`. One that reads a whole row does not, and finds null in its place.

extension ExpressionRead {
    /// The names of the steps; nil for a key that is computed.
    var path: [String?] {
        steps.map { step in
            switch step {
            case .member(let name): name
            case .entry(.literal(let key)): if case .string(let name) = key { name } else { nil }
            case .entry: nil
            }
        }
    }
}

extension NameScope {
    /// Returns true if a read has private parts, or may have some: a key that is computed can be that of any member.
    func isPrivate(_ read: ExpressionRead) -> Bool {
        privateParts[read.name]?.areWithin(read) ?? false
    }
}

extension PrivateParts {
    /// Returns true if a read of the value has some of the parts, or may have some: a key that is computed can be that of
    /// any member.
    func areWithin(_ read: ExpressionRead) -> Bool {
        var parts = self
        for name in read.path {
            if name == nil, parts.hasNamedMembers { return true }
            parts = parts[name]
        }
        return parts != .none
    }
}

extension [String: PrivateParts] {
    /// Returns the parts without those that formulas name.
    func hidden(from formulas: [CompiledFormula]) -> [String: PrivateParts] {
        var hidden = self
        for formula in formulas {
            for read in formula.reads {
                guard let parts = hidden[read.name] else { continue }
                let path = read.path[...]
                // The variable of a macro over a list has no path; the text names the member.
                hidden[read.name] = parts.removing(path).removing(below: path) { formula.selects($0) }
            }
        }
        return hidden
    }

    /// Returns true if formulas read values of a name with private parts.
    func areWithin(_ name: String, readBy formulas: [CompiledFormula]) -> Bool {
        guard let parts = self[name], parts != .none else { return false }
        return formulas.contains { $0.reads.contains { $0.name == name && parts.areWithin($0) } }
    }

    /// Returns true if formulas name private parts.
    func areNamed(by formulas: [CompiledFormula]) -> Bool { hidden(from: formulas) != self }
}

extension CompiledFormula {
    /// Returns true if the text has the selection of a member of a name: `.pin`, `["pin"]`.
    fileprivate func selects(_ name: String) -> Bool {
        let text = expression.source
        for mark in [".\(name)", "?\(name)"] {
            for range in text.ranges(of: mark) {
                let next = range.upperBound < text.endIndex ? text[range.upperBound] : " "
                if !next.isLetter, !next.isNumber, next != "_" { return true }
            }
        }
        return text.contains("[\"\(name)\"]") || text.contains("['\(name)']")
    }
}

/// The private parts of the state that are null for a view, or for the text of a refusal.
struct HiddenParts: Sendable {
    /// The parts of values, or of rows, by the label of the own state.
    private(set) var own: [String: PrivateParts] = [:]
    /// Those of given features, by the feature and the label.
    private(set) var given: [String: [String: PrivateParts]] = [:]

    /// No parts.
    init() {}

    /// The parts of the state without those that formulas name.
    init(of types: StateTypes, from formulas: [CompiledFormula]) {
        let parts = types.privateParts.hidden(from: formulas)
        own = Self.parts(types.own, in: parts["state"] ?? .none)
        for (feature, state) in types.given {
            let all = Self.parts(state, in: parts["given"].map { $0[feature] } ?? .none)
            if !all.isEmpty { given[feature] = all }
        }
    }

    private static func parts(_ state: [StateType], in parts: PrivateParts) -> [String: PrivateParts] {
        var all: [String: PrivateParts] = [:]
        for part in state {
            let own = part.isTable ? parts[part.label][nil] : parts[part.label]
            if own != .none { all[part.label] = own }
        }
        return all
    }

    var isEmpty: Bool { own.isEmpty && given.isEmpty }

    /// The places of the parts, as `feature.variable/member`; `feature` is the name of the own one.
    func places(of feature: String) -> Set<String> {
        var places: Set<String> = []
        for (feature, parts) in [feature: own].merging(given, uniquingKeysWith: { first, _ in first }) {
            for (label, parts) in parts {
                for place in parts.places { places.insert("\(feature).\(label)\(JSONPointer(place))") }
            }
        }
        return places
    }
}
