/// A version of a space and a version of `common`. Each derived value belongs to one moment.
package struct Moment: Hashable, Comparable, Sendable {
    /// The version of the space.
    package let version: Int
    /// The version of `common`.
    package let common: Int

    /// A moment.
    package init(version: Int, common: Int) {
        self.version = version
        self.common = common
    }

    /// The moment before the first commits.
    package static let beginning = Moment(version: 0, common: 0)

    /// Returns true if `one` is earlier. Neither version decreases from one visible moment to the next.
    package static func < (one: Moment, other: Moment) -> Bool {
        (one.version, one.common) < (other.version, other.common)
    }
}
