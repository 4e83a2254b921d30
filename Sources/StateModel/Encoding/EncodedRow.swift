/// A row of a list as JSON, with its digest.
struct EncodedRow: Sendable {
    let bytes: [UInt8]
    let residue: Residue

    init(_ bytes: [UInt8], _ key: DigestKey) {
        self.bytes = bytes
        let words = Digest(bytes, key).words
        residue = Residue(UInt128(words.0) << 64 | UInt128(words.1))
    }
}

/// One step from a version of an encoded list to the next. Each place is one in the list that the steps before have led
/// to; `target` is the place afterwards.
enum EncodedEdit: Sendable {
    case insert(EncodedRow, at: Int)
    case remove(EncodedRow, at: Int)
    /// `old` is the row before, from which a patch of the row is made.
    case replace(EncodedRow, old: EncodedRow, at: Int)
    case move(from: Int, to: Int)

    /// The approximate number of bytes that the step takes in a patch and in memory.
    var size: Int {
        switch self {
        // The old row is most often that of an edit before, and shared with it.
        case .insert(let row, _), .replace(let row, _, _): row.bytes.count + 48
        case .remove, .move: 48
        }
    }
}
