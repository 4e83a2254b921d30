import Reactive
import Synchronization

/// The memo of a node of an encoded list: the size and the hash of the rows below it and, for a leaf, their text.
///
/// Sendable because `append` is called before the node is shared; afterwards only `text` is set, atomically.
final class EncodedPart: @unchecked Sendable {
    /// The number of bytes of the rows, with a comma before each.
    private(set) var size = 0
    /// The rows' residues as digits of a number whose base is the point of the hash.
    private(set) var hash = Residue.zero
    /// The point to the power of the number of rows.
    private(set) var power = Residue.one
    private let text = AtomicLazyReference<EncodedText>()

    func append(_ rows: [EncodedRow], at point: Residue) {
        // By index, because iteration would retain the bytes of each row.
        for index in rows.indices {
            size += rows[index].bytes.count + 1
            hash = hash * point + rows[index].residue
            power = power * point
        }
    }

    func append(_ next: EncodedPart) {
        size += next.size
        hash = hash * next.power + next.hash
        power = power * next.power
    }

    /// The text of the rows of a leaf, with a comma before each; made when it is first needed.
    func text(of rows: [EncodedRow]) -> [UInt8] {
        if let text = text.load() { return text.bytes }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(size)
        for row in rows {
            bytes.append(UInt8(ascii: ","))
            bytes.append(contentsOf: row.bytes)
        }
        return text.storeIfNil(EncodedText(bytes)).bytes
    }
}

/// Bytes behind a reference, which several threads may make at the same time.
final class EncodedText: Sendable {
    let bytes: [UInt8]

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }
}
