package import JSON

/// One event of a steered stream: the step of the views that one commit made, or several commits together. Members that
/// this client does not know are left alone.
package struct StreamNews {
    /// The values by the texts of their addresses.
    package var values: [String: JSON] = [:]
    package var patches: [String: JSON] = [:]
    /// The changed rows of replicas.
    package var rows: [String: JSON] = [:]
    package var tags: [String: String] = [:]
    package var versions: [String: Int] = [:]
    package var queue: [String: Int] = [:]
    package var reset: Set<String> = []
    package var gone: [String: ServerProblem] = [:]
    /// The replicas of which further parts follow.
    package var unfinished: Set<String> = []

    /// Reads an event; nil if its data is no JSON object.
    package init?(_ data: [UInt8]) {
        guard case .object(let event)? = try? JSON(parsing: data, depth: JSONReader.greatestDepthLimit) else {
            return nil
        }
        for member in event {
            switch member.key {
            case "_patches": for patch in member.value.members { patches[patch.key] = patch.value }
            case "_rows": for replica in member.value.members { rows[replica.key] = replica.value }
            case "_tags": for tag in member.value.members { tags[tag.key] = tag.value.text }
            case "_versions":
                for version in member.value.members { versions[version.key] = Self.number(version.value) }
            case "_queue": for number in member.value.members { queue[number.key] = number.value.integer }
            case "_reset": reset = Set(member.value.elements.compactMap(\.text))
            case "_gone": for view in member.value.members { gone[view.key] = ServerProblem(view.value) }
            case "_more": unfinished = Set(member.value.elements.compactMap(\.text))
            case let key where key.hasPrefix("_"): break
            case let key: values[key] = member.value
            }
        }
    }

    /// Returns the version in a text like `19` or `19.2`, of which the second number is the life.
    private static func number(_ version: JSON) -> Int? {
        version.integer ?? version.text?.split(separator: ".").first.flatMap { Int($0) }
    }
}
