/// The names of nodes. They are parts of subjects and of rows.
enum NodeName {
    /// The maximum number of bytes.
    static let limit = 64

    /// Returns true if a text can be the name of a node: letters, digits, `-` and `_`.
    static func isValid(_ text: String) -> Bool {
        (1...limit).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }
}
