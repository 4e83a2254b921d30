import Synchronization

/// The text of a leaf of an encoded list, made when it is first needed.
final class EncodedLeaf: Sendable {
    private let text = AtomicLazyReference<EncodedText>()

    /// True if the text is there.
    var isMade: Bool { text.load() != nil }

    /// The text of the rows of the leaf, with a comma before each.
    func text(of rows: [EncodedRow]) -> [UInt8] {
        if let text = text.load() { return text.bytes }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(rows.reduce(0) { $0 + $1.bytes.count + 1 })
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
