/// A summary of a stored space, for lists of spaces. Its cost does not depend on the size of the space.
public struct SpaceSummary: Hashable, Sendable {
    /// The greatest number of values that are counted.
    public static let valuesLimit = 1_000
    /// The number of bytes at which the count ends.
    public static let bytesLimit = 1_048_576

    /// The version.
    public let version: Int
    /// The time of the last commit; nil if the journal no longer has it.
    public let at: Timestamp?
    /// The bytes of the stored state, about as many as a load reads.
    public let bytes: Int
    /// False if the count of the bytes ended at a limit, so that the state has more.
    public let isWhole: Bool

    /// A summary.
    public init(version: Int, at: Timestamp?, bytes: Int, isWhole: Bool) {
        self.version = version
        self.at = at
        self.bytes = bytes
        self.isWhole = isWhole
    }

    /// The count of the bytes of a state, value by value.
    public struct Count {
        /// The bytes so far.
        public private(set) var bytes = 0
        private var valuesCount = 0
        /// True after the count has ended at a limit.
        public private(set) var isFull = false

        /// An empty count.
        public init() {}

        /// Counts the bytes of one value and of its name. Returns false if the count ends here.
        public mutating func add(_ bytes: Int) -> Bool {
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
