/// A life of a journal: tags are told together with it, so that a version that was lost, or forgotten with its space,
/// is never taken for another of the same number.
public struct Life: Hashable, Sendable {
    /// A random number, drawn anew by every start that cannot prove that the journal still holds everything that was
    /// told.
    public let era: UInt64
    /// The number of spaces that were forgotten in this era.
    public let count: Int

    /// A life.
    public init(era: UInt64, count: Int) {
        self.era = era
        self.count = count
    }
}
