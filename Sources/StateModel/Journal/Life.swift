/// A life of a journal. Each tag contains its mark. So a lost or deleted version is never taken for a later one with
/// the same number.
package struct Life: Hashable, Sendable {
    /// A random number. Every start draws a new one, unless it can prove that the journal still holds all commits that
    /// clients have seen.
    package let era: UInt64
    /// The number of deletions of spaces in this era.
    package let count: Int

    /// A life.
    package init(era: UInt64, count: Int) {
        self.era = era
        self.count = count
    }
}
