/// The joining of the rows of a large list into its pieces, a slice at a time, before a reader needs them.
package final class PieceWork {
    /// The bytes from which on the pieces of a list are made in slices,
    static let bytesAtLeast = 1_024 * 1_024
    /// and those of a slice.
    private static let sliceBytes = 256 * 1_024

    private var leaves: [(rows: [EncodedRow], leaf: EncodedLeaf)]

    /// The work that is left for some leaves.
    init(_ leaves: [(rows: [EncodedRow], leaf: EncodedLeaf)]) { self.leaves = leaves }

    /// True if all pieces are there.
    package var isOver: Bool { leaves.isEmpty }

    /// Makes the next pieces.
    package func takeSlice() {
        var left = Self.sliceBytes
        while left > 0, let (rows, leaf) = leaves.popLast() { left -= leaf.text(of: rows).count }
    }
}
