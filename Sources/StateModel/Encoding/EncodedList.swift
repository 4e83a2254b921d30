import JSON
import Reactive
import Synchronization

/// One version of a list whose rows are encoded one by one: a JSON array that is put together when it is needed whole.
///
/// Sendable because no tree changes a node that another one shares.
final class EncodedList: @unchecked Sendable {
    private let tree: ListTree<EncodedMeasure>
    private let sum: EncodedMeasure.Sum?
    private let history: ListHistory
    /// The number of versions before this one in its history.
    private let number: Int
    private let whole = AtomicLazyReference<EncodedText>()

    /// A version of a list.
    init(_ tree: ListTree<EncodedMeasure>, number: Int, of history: ListHistory) {
        self.tree = tree
        sum = tree.sum
        self.number = number
        self.history = history
    }

    /// The number of bytes of the array, in O(1).
    var size: Int { sum.map { $0.size + 1 } ?? 2 }

    /// Calls `body` with the pieces of the array, in order: one for each leaf, and the closing bracket.
    func forEachPiece(_ body: ([UInt8]) -> Void) {
        guard tree.count > 0 else { return body(Array("[]".utf8)) }
        var isFirst = true
        tree.forEachLeaf { rows, note in
            guard let leaf = note as? EncodedLeaf else { preconditionFailure("a leaf has no note") }
            var text = leaf.text(of: rows)
            // Each row has a comma before it; the first one gets the bracket instead.
            if isFirst { text[0] = UInt8(ascii: "[") }
            isFirst = false
            body(text)
        }
        body([UInt8(ascii: "]")])
    }

    /// The work of making the pieces that are not there; nil if it is little.
    var pieceWork: PieceWork? {
        guard size >= PieceWork.bytesAtLeast else { return nil }
        var leaves: [(rows: [EncodedRow], leaf: EncodedLeaf)] = []
        var bytes = 0
        tree.forEachLeaf { rows, note in
            guard let leaf = note as? EncodedLeaf, !leaf.isMade else { return }
            leaves.append((rows, leaf))
            bytes += rows.reduce(0) { $0 + $1.bytes.count }
        }
        return bytes >= PieceWork.bytesAtLeast ? PieceWork(leaves) : nil
    }

    /// The array, put together when it is first needed.
    var bytes: [UInt8] {
        if let whole = whole.load() { return whole.bytes }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(size)
        forEachPiece { bytes.append(contentsOf: $0) }
        return whole.storeIfNil(EncodedText(bytes)).bytes
    }

    /// The digest of the rows and their order, in O(1) for the key that the list was encoded under, else in O(n).
    func digest(_ key: DigestKey) -> Digest {
        var hash = sum?.hash ?? .zero
        if key != history.key {
            let measure = EncodedMeasure(point: ListHistory.point(of: key))
            var other = measure.sum(of: [])
            tree.forEachLeaf { rows, _ in
                measure.add(measure.sum(of: rows.map { EncodedRow($0.bytes, key) }), to: &other)
            }
            hash = other.hash
        }
        return Digest(ofList: hash.number, count: tree.count, key)
    }

    /// Returns true if the other list has the same rows. False positives are as probable as equal digests of different
    /// values.
    func has(_ other: EncodedList) -> Bool {
        if history === other.history, number == other.number { return true }
        guard size == other.size, tree.count == other.tree.count else { return false }
        return history.key == other.history.key ? sum?.hash == other.sum?.hash : bytes == other.bytes
    }

    /// Calls `body` with the bytes of each row, in order.
    func forEachRow(_ body: ([UInt8]) -> Void) {
        tree.forEachLeaf { rows, _ in for row in rows { body(row.bytes) } }
    }

    /// The bytes of the first row; nil without rows.
    var firstRow: [UInt8]? { tree.count > 0 ? tree[0].bytes : nil }

    /// Returns the rows that went and came since another list, in an order in which the last change of a row is the one
    /// that counts. It costs the changes if they are stored, else the rows of both.
    func rowChanges(from base: EncodedList) -> [RowChange] {
        if history === base.history, let edits = history.edits(from: base.number, to: number) {
            return edits.flatMap { edit -> [RowChange] in
                switch edit {
                case .insert(let row, _): [RowChange(row: row.bytes, isAdded: true)]
                case .remove(let row, _): [RowChange(row: row.bytes, isAdded: false)]
                case .replace(let row, let old, _):
                    [RowChange(row: old.bytes, isAdded: false), RowChange(row: row.bytes, isAdded: true)]
                case .move: []
                }
            }
        }
        var left: Set<[UInt8]> = []
        base.forEachRow { left.insert($0) }
        var added: [RowChange] = []
        forEachRow { row in if left.remove(row) == nil { added.append(RowChange(row: row, isAdded: true)) } }
        return left.map { RowChange(row: $0, isAdded: false) } + added
    }

    /// Returns the patch that turns an earlier version into this one; nil if the edits since are not remembered, or are
    /// longer than the whole.
    func patch(from base: EncodedList) -> JSONPatch.Builder? {
        guard history === base.history else { return nil }
        return history.patch(from: base.number, to: number, limit: size)
    }
}

/// A row that came to a list, or went.
package struct RowChange: Sendable {
    /// The row as JSON.
    package let row: [UInt8]
    /// True if the row came.
    package let isAdded: Bool
}
