/// A string that compares code unit by code unit, as JSON compares strings (RFC 8259 §8.3).
///
/// `String` compares and hashes by canonical equivalence. It would equate two different member names, and a client
/// could make thousands of names with one hash by reordering combining marks.
@usableFromInline
package struct CodeUnits: Hashable {
    @usableFromInline package let text: String

    @inlinable
    package init(_ text: String) { self.text = text }

    @inlinable
    package static func == (left: CodeUnits, right: CodeUnits) -> Bool {
        let left = left.text.utf8
        let right = right.text.utf8
        guard left.count == right.count else { return false }
        // A loop over the bytes takes a third of the time of `elementsEqual`, and an eighth in a debug build.
        let isEqual = unsafe left.withContiguousStorageIfAvailable { left in
            unsafe right.withContiguousStorageIfAvailable { right in
                for index in 0..<left.count where unsafe left[index] != right[index] { return false }
                return true
            }
        }
        return isEqual.flatMap(\.self) ?? left.elementsEqual(right)
    }

    @inlinable
    package func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { unsafe hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        // The end marker keeps the next hashed value apart from this string's bytes.
        hasher.combine(0xFF as UInt8)
    }
}
