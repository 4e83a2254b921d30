/// A life of a journal. Each tag contains its mark. So a lost or deleted version is never taken for a later one with
/// the same number.
public struct Life: Hashable, Sendable {
    /// A random number. Every start draws a new one, unless it can prove that the journal still holds all commits that
    /// clients have seen.
    public let era: UInt64
    /// The number of deletions of spaces in this era.
    public let count: Int

    /// A life.
    public init(era: UInt64, count: Int) {
        self.era = era
        self.count = count
    }
}
