/// A summary of a stored space, for lists of spaces. Its cost does not depend on the size of the space.
package struct SpaceSummary: Hashable, Sendable {
    /// The greatest number of values that are counted.
    package static let valuesLimit = 1_000
    /// The number of bytes at which the count ends.
    package static let bytesLimit = 1_048_576

    /// The version.
    package let version: Int
    /// The time of the last commit; nil if the journal no longer has it.
    package let at: Timestamp?
    /// The bytes of the stored state, about as many as a load reads.
    package let bytes: Int
    /// False if the count of the bytes ended at a limit, so that the state has more.
    package let isWhole: Bool

    /// A summary.
    package init(version: Int, at: Timestamp?, bytes: Int, isWhole: Bool) {
        self.version = version
        self.at = at
        self.bytes = bytes
        self.isWhole = isWhole
    }

    /// The count of the bytes of a state, value by value.
    package struct Count {
        /// The bytes so far.
        package private(set) var bytes = 0
        private var valuesCount = 0
        /// True after the count has ended at a limit.
        package private(set) var isFull = false

        /// An empty count.
        package init() {}

        /// Counts the bytes of one value and of its name. Returns false if the count ends here.
        package mutating func add(_ bytes: Int) -> Bool {
            guard valuesCount < SpaceSummary.valuesLimit, self.bytes < SpaceSummary.bytesLimit else {
                isFull = true
                return false
            }
            valuesCount += 1
            self.bytes += bytes
            return true
        }
    }
}
