/// The bytes of facts that a load reads, against the bytes in memory that one space may have.
package struct LoadedBytes {
    /// The bytes in memory for each byte of a fact: its value and the encoded views.
    static let factor = 4
    /// The bytes in memory of a row of a table beside its texts.
    static let bytesPerRow = 400

    private let limit: Int
    private var bytes = 0
    private var rows = 0

    /// No facts yet. A space may have `limit` bytes in memory, by estimate.
    package init(limit: Int) {
        self.limit = limit
    }

    /// The estimated bytes in memory of facts.
    static func bytes(ofFacts bytes: Int, rows: Int) -> Int { bytes * factor + rows * bytesPerRow }

    /// The estimated bytes in memory of a loaded space.
    package static func bytes(of stored: StoredSpace) -> Int {
        bytes(ofFacts: stored.facts.reduce(0) { $0 + $1.size }, rows: stored.facts.count { $0.entry != nil })
    }

    /// Adds a fact of a space. Throws if the space is too large.
    package mutating func add(_ fact: Fact, of space: SpaceName) throws(JournalFailure) {
        bytes += fact.size
        if fact.entry != nil { rows += 1 }
        // A fourth more, because a space at its limit may grow by what is not measured at each commit.
        guard Self.bytes(ofFacts: bytes, rows: rows) / 5 * 4 <= limit else {
            throw JournalFailure(
                .tooLarge,
                "the state of the space \(space) is larger than one space may be, a quarter of --space-memory: give the server more memory, or divide the space with export and import. Its changes can be read"
            )
        }
    }
}
