/// A name that is compared byte by byte, as SQLite and JSON do it. `String` calls two names the same that are written differently.
struct Exact: Hashable {
    let text: String

    init(_ text: String) {
        self.text = text
    }

    static func == (one: Exact, other: Exact) -> Bool {
        one.text.utf8.count == other.text.utf8.count && one.text.utf8.elementsEqual(other.text.utf8)
    }

    func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { unsafe hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
