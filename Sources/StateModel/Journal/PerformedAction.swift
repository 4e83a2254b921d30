import JSON

/// An action that a commit performed, as the input of the commit has it.
package struct PerformedAction: Sendable {
    /// The action of a commit that performed several; its input lists them.
    package static let several = "space/actions"

    /// The action, as `feature/name`.
    package let name: String
    /// The input; nil for none.
    package let input: [UInt8]?
    /// The place of the input in the commit, as the tokens of a pointer.
    package let place: [String]

    /// Returns the actions of a commit in their order: those that its input lists, or its one action. An input that was
    /// erased lists none.
    package static func all(of action: String, _ input: [UInt8]?) -> [PerformedAction] {
        guard action == several else { return [PerformedAction(name: action, input: input, place: ["input"])] }
        guard let input, let body = try? JSON(parsing: input, depth: JSONReader.greatestDepthLimit),
            case .array(let parts)? = body["actions"]
        else { return [] }
        return parts.enumerated().compactMap { index, part in
            guard case .string(let name)? = part["name"] else { return nil }
            return PerformedAction(
                name: name, input: part["input"].flatMap { try? $0.json() },
                place: ["input", "actions", "\(index)", "input"])
        }
    }

    /// Returns true if an action, or one of those that its commit performed, satisfies a condition.
    package static func contains(
        in action: String, _ input: [UInt8]?, where isOne: (_ name: String) -> Bool
    ) -> Bool {
        isOne(action) || action == several && all(of: action, input).contains { isOne($0.name) }
    }
}
