import HTTP
import JSON
import StateStore

/// An object of encoded values, which are not copied if they are large.
struct WrittenObject {
    private var text = RopeWriter()
    private var isEmpty = true

    /// Adds a member.
    mutating func add(_ name: String, _ value: Rope) {
        text.text.append(isEmpty ? UInt8(ascii: "{") : UInt8(ascii: ","))
        isEmpty = false
        text.text.append(contentsOf: JSON.string(name).written)
        text.text.append(UInt8(ascii: ":"))
        text.append(value)
    }

    /// The whole object.
    var rope: Rope {
        var whole = text
        whole.text.append(contentsOf: isEmpty ? "{}".utf8 : "}".utf8)
        return whole.rope
    }
}

extension ViewValue? {
    /// The encoded value, in its pieces if it is large; null for none.
    var written: Rope {
        guard let self else { return Rope(Array("null".utf8)) }
        guard self.size >= ViewValue.joinedBytes else { return Rope(self.bytes) }
        var text = RopeWriter()
        self.forEachPiece { text.append($0) }
        return text.rope
    }
}

extension ViewValue {
    /// The maximum size of a list whose pieces are joined.
    fileprivate static let joinedBytes = 256 * 1_024
}
