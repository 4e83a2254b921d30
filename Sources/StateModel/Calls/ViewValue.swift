package import JSON

/// The value of a view as JSON, encoded once for all readers.
///
/// A list that is maintained by row (`Rows.sorted`, `filter`, `map`, `limit`, `window`) is encoded by row. Its rows are
/// joined when a reader needs the bytes of the whole. Every other value is encoded whole.
package struct ViewValue: Sendable {
    private enum Encoding: Sendable {
        case whole([UInt8])
        case list(EncodedList)
    }

    private let form: Encoding

    /// A value with these bytes.
    package init(_ bytes: [UInt8]) {
        form = .whole(bytes)
    }

    /// A version of a list.
    init(_ list: EncodedList) {
        form = .list(list)
    }

    /// The bytes of the whole value. A list joins them at the first use and caches them.
    package var bytes: [UInt8] {
        switch form {
        case .whole(let bytes): bytes
        case .list(let list): list.bytes
        }
    }

    /// The number of bytes of the whole value, in O(1).
    package var size: Int {
        switch form {
        case .whole(let bytes): bytes.count
        case .list(let list): list.size
        }
    }

    /// Calls `body` with each piece of the value, in order. The concatenated pieces equal `bytes`. A list caches its
    /// pieces and shares them with its other versions.
    package func forEachPiece(_ body: ([UInt8]) -> Void) {
        switch form {
        case .whole(let bytes): body(bytes)
        case .list(let list): list.forEachPiece(body)
        }
    }

    /// The work of making the pieces of a large list; nil if it is little.
    package var pieceWork: PieceWork? { if case .list(let list) = form { list.pieceWork } else { nil } }

    /// The pieces of the value, in order.
    package var pieces: [[UInt8]] {
        var pieces: [[UInt8]] = []
        forEachPiece { pieces.append($0) }
        return pieces
    }

    /// The keyed digest of the value, in O(1) for a list and in O(size) for another value. Equal values have equal
    /// digests, also after a restart.
    package func digest(_ key: DigestKey) -> Digest {
        switch form {
        case .whole(let bytes): Digest(bytes, key)
        case .list(let list): list.digest(key)
        }
    }

    /// True if the value is a list that is encoded by row. Comparing its tree with another costs O(rows), so a reader
    /// without a patch receives the whole value.
    package var isList: Bool { if case .list = form { true } else { false } }

    /// Calls `body` with the bytes of each row of a list, in order.
    package func forEachRow(_ body: ([UInt8]) -> Void) {
        if case .list(let list) = form { list.forEachRow(body) }
    }

    /// The bytes of the first row of a list; nil without rows.
    package var firstRow: [UInt8]? { if case .list(let list) = form { list.firstRow } else { nil } }

    /// Returns the rows that went and came since another value, in an order in which the last change of a row is the one
    /// that counts; nil unless both are lists.
    package func rowChanges(from base: ViewValue) -> [RowChange]? {
        guard case .list(let list) = form, case .list(let base) = base.form else { return nil }
        return list.rowChanges(from: base)
    }

    /// Returns the patch from an earlier value to this one, computed once for all readers of that value. Returns nil
    /// unless both are versions of one list, its edits since `base` are stored, and they are shorter than the whole.
    package func patch(from base: ViewValue) -> JSONPatch.Builder? {
        guard case .list(let list) = form, case .list(let base) = base.form else { return nil }
        return list.patch(from: base)
    }
}

extension ViewValue: Equatable {
    /// Compares the bytes or, of two lists, the versions and then the hashes.
    package static func == (one: ViewValue, other: ViewValue) -> Bool {
        switch (one.form, other.form) {
        case (.whole(let one), .whole(let other)): one == other
        case (.list(let one), .list(let other)): one.has(other)
        default: one.bytes == other.bytes
        }
    }
}
