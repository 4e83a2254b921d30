package import StateStore

/// The result of a repair: the spaces that were saved, and the content that could not be read.
package struct RepairReport: Hashable, Sendable, CustomStringConvertible {
    /// A piece of content that could not be read.
    package struct Loss: Hashable, Sendable, CustomStringConvertible {
        /// The space; nil if that is not known.
        package let space: SpaceName?
        /// The table; nil if that is not known.
        package let table: String?
        /// The versions; nil if it has none, or if they are not known.
        package let versions: ClosedRange<Int>?
        /// The key: the variable and the entry, or an idempotency key.
        package let key: String?
        /// The damage, and what the repair has put in its place.
        package let reason: String

        /// The parts that are known, and the reason.
        package var description: String {
            var parts = [space.map { "space \($0)" } ?? "no known space"]
            if let versions {
                parts.append(
                    versions.count == 1
                        ? "version \(versions.lowerBound)" : "versions \(versions.lowerBound) to \(versions.upperBound)"
                )
            }
            if let table { parts.append("table \(table)") }
            if let key { parts.append("key \(key)") }
            return parts.joined(separator: ", ") + ": " + reason
        }
    }

    /// The number of spaces that were whole.
    package internal(set) var whole = 0
    /// The spaces that were made anew.
    package internal(set) var rebuilt: [SpaceName] = []
    /// The damage by which a space was found damaged, in words.
    var reasons: [SpaceName: String] = [:]
    /// The content that could not be read.
    package internal(set) var losses: [Loss] = []

    /// True if nothing was damaged.
    package var isWhole: Bool { rebuilt.isEmpty && losses.isEmpty }

    /// A line for each loss and each space that was made anew, then the numbers.
    package var description: String {
        var lines = losses.map(\.description)
        lines += rebuilt.map { name in
            "space \(name) was made anew of what is readable" + (reasons[name].map { ": " + $0 } ?? "")
        }
        lines.append("\(whole) spaces were whole, \(rebuilt.count) were made anew")
        lines.append(isWhole ? "Nothing is damaged." : "\(losses.count) pieces could not be read.")
        return lines.joined(separator: "\n")
    }
}
