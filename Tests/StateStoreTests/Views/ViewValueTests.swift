import JSON
import StateStore
import Testing

/// The value of a view, whole and in pieces.
struct ViewValueTests {
    @Test func `a plain value is one piece, and its digest is that of its bytes`() {
        let bytes = Array(#"{"a":1}"#.utf8)
        let value = ViewValue(bytes)
        let key = DigestKey(1, 2)
        var pieces: [[UInt8]] = []
        value.forEachPiece { pieces.append($0) }
        #expect(pieces == [bytes] && value.pieces == [bytes] && value.bytes == bytes && value.size == bytes.count)
        #expect(value.digest(key) == Digest(bytes, key) && value.digest(key) != value.digest(DigestKey(1, 3)))
        #expect(value == ViewValue(bytes) && value != ViewValue(Array("1".utf8)))
        // There are no edits between plain values.
        #expect(value.patch(from: ViewValue(Array("1".utf8))) == nil)
    }
}
