/// The lives whose tags are still valid: those of the current era since the last deletion of the space.
package struct LifeTable: Hashable, Sendable {
    /// The maximum number of deleted spaces with an entry. One more invalidates all tags of all spaces. That is
    /// safe and rare.
    package static let limit = 10_000

    /// The current era.
    package let era: UInt64
    /// The number of deletions of spaces in this era.
    package private(set) var count: Int
    /// The lowest count whose tags are valid, for spaces without an entry.
    package private(set) var first: Int
    /// The lowest valid count of each deleted space, by the digest of its name. The name itself is not stored.
    package private(set) var begun: [UInt64: Int]

    /// Creates the table of an era, either stored or new.
    package init(era: UInt64, count: Int = 0, first: Int = 0, begun: [UInt64: Int] = [:]) {
        self.era = era
        self.count = count
        self.first = first
        self.begun = begun
    }

    /// The life of new tags.
    package var now: Life { Life(era: era, count: count) }

    /// Returns the earliest life in which the tags of `space` are valid.
    package func earliestLife(of space: SpaceName) -> Life {
        Life(era: era, count: max(first, begun[space.digest] ?? first))
    }

    /// Returns true if the tags of `space` from `life` are still valid.
    package func isGood(_ life: Life, for space: SpaceName) -> Bool {
        life.era == era && life.count >= earliestLife(of: space).count && life.count <= count
    }

    /// Returns the table after the deletion of a space.
    package func forgetting(_ space: SpaceName) -> LifeTable {
        var next = self
        next.count += 1
        next.begun[space.digest] = next.count
        if next.begun.count > Self.limit {
            next.first = next.count
            next.begun = [:]
        }
        return next
    }
}
