internal import Glibc

/// A string that is compared byte by byte, as in SQLite and JSON. `String` compares by canonical equivalence.
struct ByteString: Hashable {
    let text: String

    init(_ text: String) {
        self.text = text
    }

    static func == (one: ByteString, other: ByteString) -> Bool {
        var (one, other) = (one.text, other.text)
        guard one.utf8.count == other.utf8.count else { return false }
        return one.withUTF8 { one in
            other.withUTF8 { other in
                guard let start = one.baseAddress, let otherStart = other.baseAddress else { return true }
                return unsafe memcmp(start, otherStart, one.count) == 0
            }
        }
    }

    func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { unsafe hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
