/// The id of a definition: a UUID or a name.
package enum Identifier {
    static let pattern = "^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$"
    static let demand = "must be a UUID or a name: a letter or digit, then up to 127 letters, digits, '.', '_' or '-'"

    /// Returns true if a text is an id.
    package static func isOne(_ text: String) -> Bool {
        func isAlphanumeric(_ byte: UInt8) -> Bool {
            (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
        }
        guard let first = text.utf8.first, isAlphanumeric(first), text.utf8.count <= 128 else { return false }
        return text.utf8.allSatisfy {
            isAlphanumeric($0) || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-")
        }
    }
}
