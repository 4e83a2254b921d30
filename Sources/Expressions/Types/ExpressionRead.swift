package import JSON

/// A part of the declared variables on which a formula's value depends.
package struct ExpressionRead: Hashable, Sendable {
    /// A step from a value to a part of it.
    package enum ReadStep: Hashable, Sendable {
        /// A named member.
        case member(String)
        /// The entry of a map, or the element of a list, with a key.
        case entry(ReadKey)
    }

    /// The key of an entry.
    package enum ReadKey: Hashable, Sendable {
        /// A literal: the same key in each evaluation.
        case literal(JSON)
        /// A formula of the declared variables: one key in each evaluation.
        case formula(String)
        /// A formula that uses variables of macros: any number of keys.
        case any
    }

    /// The property of the part that matters.
    package enum Extent: Hashable, Sendable {
        /// The whole value.
        case value
        /// The number of entries or characters.
        case size
        /// The existence of the part.
        case presence
    }

    /// The declared name.
    package let name: String
    /// The steps from the variable to the part.
    package let steps: [ReadStep]
    /// The property that matters.
    package let extent: Extent

    init(name: String, steps: [ReadStep], extent: Extent) {
        (self.name, self.steps, self.extent) = (name, steps, extent)
    }

    /// Creates a read.
    package init(_ name: String, _ steps: [ReadStep], _ extent: Extent) {
        self.init(name: name, steps: steps, extent: extent)
    }
}

extension ExpressionRead: CustomStringConvertible {
    /// The read as a formula: `state.cards[input.id].votes`, `size(state.cards)`, `has(state.cards["a"])`.
    package var description: String {
        let path = steps.reduce(name) { text, step in
            switch step {
            case .member(let name): "\(text).\(name)"
            case .entry(.literal(let value)): "\(text)[\(value)]"
            case .entry(.formula(let source)): "\(text)[\(source)]"
            case .entry(.any): "\(text)[*]"
            }
        }
        return switch extent {
        case .value: path
        case .size: "size(\(path))"
        case .presence: "has(\(path))"
        }
    }
}
